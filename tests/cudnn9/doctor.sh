#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests anydnn doctor on mocks of cuDNN and the driver: what it prints, which problems it finds, and its exit status.
# Needs: cudnn9/built/.stamp tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/cudnn9/cudnn9.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
mock=$tap_dir/mock
libraries=
unset VIRTUAL_ENV CONDA_PREFIX LD_LIBRARY_PATH

# doctor STATUS ARGUMENT...: runs it, with the driver and the parts in $libraries.
doctor() {
    want=$1 got=0
    shift
    LD_LIBRARY_PATH=$libraries "$anydnn" doctor "$@" >"$tap_dir/out" 2>"$tap_dir/err" || got=$?
    [ "$got" -eq "$want" ] && [ ! -s "$tap_dir/err" ] && return 0
    echo "exit status $got, not $want"
    cat "$tap_dir/out" "$tap_dir/err"
    return 1
}

# problems N: checks their number.
problems() {
    [ "$(grep -c 'problem: ' "$tap_dir/out")" -eq "$1" ] && return 0
    cat "$tap_dir/out"
    return 1
}

# driver CUDA MAJOR MINOR: makes a driver that supports this version of CUDA and has one device.
driver() {
    mkdir -p "$tap_dir/driver"
    cat >"$tap_dir/driver.c" <<EOT
#include <string.h>
int cuInit(unsigned f) { return f != 0; }
int cuDriverGetVersion(int *v) { *v = $1; return 0; }
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDeviceGet(int *d, int i) { *d = i; return 0; }
int cuDeviceGetName(char *t, int n, int d) { strncpy(t, "Mock GPU", n); return d; }
int cuDeviceGetAttribute(int *v, int a, int d) { *v = a == 75 ? $2 : $3; return d; }
EOT
    $cc -shared -fPIC -w -Wl,-soname,libcuda.so.1 "$tap_dir/driver.c" -o "$tap_dir/driver/libcuda.so.1"
}

fits() {
    libraries=$tap_dir/driver
    driver 13000 9 0 && doctor 0 "$mock" && says '^driver     supports CUDA 13.0$' && says '^cuda:0     Mock GPU, capability 9.0$' &&
        says '^cuDNN      9.19.0 for CUDA 13.1, for capabilities up to 12.1$' && says "^  file     $mock/libcudnn.so.9 (the command)$" && problems 0
}

by_file() {
    libraries=
    doctor 0 "$mock/libcudnn.so.9" && says '^cuDNN      9.19.0'
}

as_json() {
    libraries=$tap_dir/driver
    doctor 0 --json "$mock" || return 1
    python3 - "$tap_dir/out" "$mock" <<'EOT'
import json, sys
answer = json.load(open(sys.argv[1]))
assert answer["driver"]["cuda"] == "13.0" and answer["driver"]["devices"][0]["capability"] == "9.0", answer
(one,) = answer["installations"]
assert one["file"] == sys.argv[2] + "/libcudnn.so.9" and one["version"] == 91900 and one["problems"] == [], one
assert [c["status"] for c in one["checks"]] == [0, 0, 0, 0], one
assert isinstance(answer["libraries"], list)
EOT
}

old_driver() {
    libraries=$tap_dir/driver
    driver 12040 9 0 && doctor 1 "$mock" && problems 1 &&
        says 'it is for CUDA 13, and the driver supports CUDA 12.4; .*nvidia-cudnn-cu12'
}

old_gpu() {
    libraries=$tap_dir/driver
    driver 13000 7 0 && doctor 1 "$mock" && problems 1 && says 'CUDA 13, which does not support Mock GPU (capability 7.0)' || return 1
    cudnn9_mock "$tap_dir/twelve" -DMOCK_CUDART=12090 && doctor 0 "$tap_dir/twelve"
}

new_gpu() {
    libraries=$tap_dir/driver
    driver 13000 13 0 && doctor 1 "$mock" && problems 1 && says 'it is older than Mock GPU (capability 13.0); install a newer cuDNN'
}

mixed() {
    libraries=
    cudnn9_mock "$tap_dir/mixed" -DMOCK_MIXED && doctor 1 "$tap_dir/mixed" && problems 1 &&
        says 'problem: cudnnOpsVersionCheck returns 1002 (SUBLIBRARY_VERSION_MISMATCH): mock: ops 9.1.0, graph 9.2.0.$'
}

parts_elsewhere() {
    mkdir -p "$tap_dir/other"
    cp "$mock/libcudnn_graph.so.9" "$tap_dir/other"
    libraries=$tap_dir/other
    doctor 1 "$mock" && problems 1 && says "problem: it loads $tap_dir/other/libcudnn_graph.so.9 from another folder" &&
        says "^  part     $tap_dir/other/libcudnn_graph.so.9$"
}

parts_missing() {
    libraries=
    mkdir -p "$tap_dir/lacks"
    cp "$mock"/*.so.9 "$tap_dir/lacks"
    rm "$tap_dir/lacks/libcudnn_heuristic.so.9"
    doctor 1 "$tap_dir/lacks" && problems 1 && says 'libcudnn_heuristic.so.9 is missing beside it'
}

two_packages() {
    libraries=
    site=$tap_dir/env/lib/python3.11/site-packages
    mkdir -p "$site/nvidia/cudnn/lib" "$site/nvidia_cudnn_cu13-9.19.0.56.dist-info" "$site/nvidia_cudnn_frontend-1.0.dist-info"
    cp "$mock"/*.so.9 "$site/nvidia/cudnn/lib"
    doctor 0 "$tap_dir/env" && says '^  package  nvidia-cudnn-cu13 9.19.0.56$' || return 1
    mkdir "$site/nvidia_cudnn_cu12-9.10.2.21.dist-info"
    doctor 1 "$tap_dir/env" && problems 1 &&
        says 'nvidia-cudnn-cu12 9.10.2.21 and nvidia-cudnn-cu13 9.19.0.56 install the same files' &&
        VIRTUAL_ENV=$tap_dir/env "$anydnn" doctor >"$tap_dir/out"
    says 'nvidia-cudnn-cu12 9.10.2.21 and'
}

nothing() {
    libraries=
    mkdir -p "$tap_dir/empty"
    doctor 1 "$tap_dir/empty" && problems 1 && says '^problem: no cuDNN 9 was found; install it'
}

crashes() {
    libraries=
    cp -r "$mock" "$tap_dir/crashes"
    echo 'long cudnnGetVersion(void) { return *(volatile long *)0; }' |
        $cc -w -shared -fPIC -x c - -o "$tap_dir/crashes/libcudnn.so.9"
    doctor 1 "$tap_dir/crashes" && problems 1 && says 'problem: its version functions end the process by signal 11' || return 1
    echo text >"$tap_dir/crashes/libcudnn.so.9"
    doctor 1 "$tap_dir/crashes" && problems 1 && says '^cuDNN      unusable: .*libcudnn.so.9: '
}

itself() {
    libraries=
    doctor 1 "$cudnn9_folder" && says "^cuDNN      anydnn's library in front of the real one$" && says '^problem: no cuDNN 9'
}

on_this_machine() {
    libraries=
    doctor 0 "$real" && says '^cuDNN      9\.' && problems 0 && [ "$(grep -c '^  part ' "$tap_dir/out")" -ge 4 ]
}

check "a mock is built" cudnn9_mock "$mock"
check "an installation that fits" fits
check "a file as the argument" by_file
check "JSON" as_json
check "a driver that is too old" old_driver
check "a GPU that is too old for CUDA 13, and fits CUDA 12" old_gpu
check "a GPU that is newer than cuDNN" new_gpu
check "parts of different versions" mixed
check "a part that another folder gives" parts_elsewhere
check "a part that is missing" parts_missing
check "two Python packages of cuDNN" two_packages
check "no cuDNN" nothing
if [ -n "$cudnn9_sanitize" ]; then
    skip "a library that crashes, and one that is no library" "a sanitizer reports the crash itself"
else
    check "a library that crashes, and one that is no library" crashes
fi
check "anydnn's own library is not an installation" itself
real=$(cudnn9_real)
if [ -n "$real" ] && [ -z "$cudnn9_sanitize" ]; then
    check "the cuDNN of this machine" on_this_machine
else
    skip "the cuDNN of this machine" "no cuDNN 9, or a sanitizer"
fi
tap_end
