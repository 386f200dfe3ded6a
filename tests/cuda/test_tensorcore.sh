#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuda_tensorcore compiled for the host's processor (emulator/), its matrix instructions included,
# judged as on a GPU: by anydnn verify, and by the list of tests/gpu. What a GPU adds is judged there:
# tests/gpu/run.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
list=$ANYDNN_TEST_SRCDIR/tests/gpu/smallest_tensorcore.txt
# Folders that stay: make builds what has changed.
built=$ANYDNN_TEST_BUILDDIR/tests/cuda/emulated_tensorcore
turing=$ANYDNN_TEST_BUILDDIR/tests/cuda/emulated_turing

if ! command -v "${CXX:-c++}" >/dev/null; then
    skip "cuda_tensorcore on the host's processor" "no C++ compiler"
    tap_end
    exit 0
fi
if [ "${ANYDNN_TEST_SANITIZER:-no}" != no ]; then
    skip "cuda_tensorcore on the host's processor" "coroutines are beyond the sanitizers"
    tap_end
    exit 0
fi

# build FOLDER CAPABILITY
build() {
    mkdir -p "$1" &&
        make -f "$ANYDNN_TEST_SRCDIR/tests/cuda/emulator/Makefile" ROOT="$ANYDNN_TEST_SRCDIR" \
            OUT="$1" CC="$CC" CXX="${CXX:-c++}" OPTIMIZE="-O1 -DEMULATOR_CAPABILITY=$2" \
            "$1/anydnn_cuda_tensorcore.so"
}

# with FOLDER COMMAND...: the backend of that folder alone on the device.
with() {
    folder=$1
    shift
    ANYDNN_PLUGIN_PATH=$folder:$ANYDNN_TEST_PLUGINDIR ANYDNN_DEVICE=cuda \
        ANYDNN_ROUTE=cuda_tensorcore ANYDNN_FALLBACK=off "$@" >"$tap_dir/out" 2>&1
}

# Every other case: all of them would take a minute here, and are judged on a GPU.
verify() {
    with "$built" "$anydnn" verify --quick --shard 1/2 --op 'convolution_*' \
        "$built/anydnn_cuda_tensorcore.so"
    status=$?
    tail -n 40 "$tap_dir/out"
    return $status
}

# Each problem of the list is taken, and gives what cpu_ref gives.
listed() {
    with "$built" "$anydnn" run --repeat 2 --check cpu_ref - <"$list"
    status=$?
    tail -n 20 "$tap_dir/out"
    return $status
}

# Every engine of the problems on whose operands all kernels of a type run.
engines() {
    grep "$1" "$list" | head -n 3 >"$tap_dir/list"
    while read -r problem; do
        with "$built" "$anydnn" verify --case-limit 300 --problem "$problem" \
            "$built/anydnn_cuda_tensorcore.so" </dev/null || {
            tail -n 30 "$tap_dir/out"
            return 1
        }
    done <"$tap_dir/list"
}

# Code for 7.5 has half alone, and no copies that go on by themselves.
turing() {
    grep '=f16:' "$list" >"$tap_dir/list"
    with "$turing" "$anydnn" run --repeat 2 --check cpu_ref - <"$tap_dir/list"
    status=$?
    tail -n 20 "$tap_dir/out"
    return $status
}

turing_declines() {
    for type in bf16:tensor_op:bfloat16 f32:allow_conversion:TF32; do
        math=${type#*:}
        with "$turing" "$anydnn" explain \
            "convolution_forward x=${type%%:*}:2,8,5,5 w=${type%%:*}:8,8,3,3 math=${math%:*}"
        grep -q "matrix units take ${type##*:} from compute capability 8.0 on" "$tap_dir/out" || {
            cat "$tap_dir/out"
            return 1
        }
    done
}

check "it compiles for the host's processor" build "$built" 90
check "verify --quick passes half of its cases" verify
check "the problems of tests/gpu/smallest_tensorcore.txt run" listed
check "half: every engine is right" engines '=f16:3,24,9'
check "TF32: every engine is right" engines '=f32:3,20,9'
check "it compiles for 7.5" build "$turing" 75
check "7.5: the problems in half run" turing
check "7.5: bfloat16 and TF32 are declined with a sentence" turing_declines
tap_end
