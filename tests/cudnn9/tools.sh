#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that anydnn exec runs programs of cuDNN 9 with anydnn's library in front, and that anydnn shim prints how a
# program gets the library and what runs its calls.
# Needs: cudnn9/built/.stamp cudnn7/built/.stamp tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/cudnn9/cudnn9.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
# The test runs the program itself, since libtool's script changes LD_LIBRARY_PATH.
real=$ANYDNN_TEST_BUILDDIR/tools/.libs/anydnn
[ -e "$real" ] || real=$anydnn
mock=$tap_dir/mock
unset LD_LIBRARY_PATH

# gives STATUS COMMAND...: checks the exit status.
gives() {
    want=$1
    shift
    got=0
    "$@" >"$tap_dir/out" 2>"$tap_dir/err" || got=$?
    [ "$got" -eq "$want" ] && return 0
    echo "exit status $got, not $want"
    cat "$tap_dir/out" "$tap_dir/err"
    return 1
}

# linked NAME FLAG...: builds a program that is linked to the mock.
linked() {
    name=$1
    shift
    cat >"$tap_dir/linked.c" <<'EOT'
#include <stddef.h>
#include <stdio.h>
size_t cudnnGetVersion(void);
int cudnnBackendExecute(void *h, void *p, void *v);
int main(void)
{
    printf("%zu %d\n", cudnnGetVersion(), cudnnBackendExecute(NULL, NULL, NULL));
    return 0;
}
EOT
    # shellcheck disable=SC2086
    $cc $cudnn9_sanitize "$tap_dir/linked.c" -o "$tap_dir/$name" "$mock/libcudnn.so.9" "$@"
}

# ---- exec

# counted: checks that the library in front got the calls.
counted() {
    says '^91900 0$' && [ "$(cat "$tap_dir/count")" = "cudnnBackendExecute	1
cudnnGetVersion	1" ] && rm "$tap_dir/count"
}

runs_linked() {
    linked with_rpath -Wl,--disable-new-dtags "-Wl,-rpath,$mock" && linked with_runpath -Wl,--enable-new-dtags "-Wl,-rpath,$mock" &&
        linked plain || return 1
    for program in with_rpath with_runpath; do
        gives 0 env ANYDNN_CUDNN9_COUNTERS="$tap_dir/count" "$anydnn" exec "$tap_dir/$program" && counted || return 1
    done
    gives 0 env LD_LIBRARY_PATH="$mock" ANYDNN_CUDNN9_COUNTERS="$tap_dir/count" "$anydnn" exec "$tap_dir/plain" && counted
}

# Python opens the library by name and by path. By path it gets the real one.
runs_python() {
    cat >"$tap_dir/by.py" <<'EOT'
import ctypes, sys
print(ctypes.CDLL(sys.argv[1]).cudnnBackendExecute(None, None, None), ctypes.CDLL(sys.argv[2]).cudnnGetVersion())
EOT
    gives 0 env ANYDNN_CUDNN9_COUNTERS="$tap_dir/count" ANYDNN_CUDNN9_LIBRARY="$mock" \
        "$anydnn" exec python3 "$tap_dir/by.py" libcudnn.so.9 "$mock/libcudnn.so.9" && says '^0 91900$' &&
        [ "$(cat "$tap_dir/count")" = "cudnnBackendExecute	1" ]
}

# The shell that runs them expands these.
# shellcheck disable=SC2016
selects() {
    gives 0 "$anydnn" exec sh -c 'echo "$LD_PRELOAD; $LD_LIBRARY_PATH"' && says '^/.*/libcudnn.so.9:/.*/libcudnn.so.7; .*/cudnn7:/.*/cudnn9' || return 1
    gives 0 "$anydnn" exec --cudnn 9 sh -c 'echo "$LD_PRELOAD; $LD_LIBRARY_PATH"' && says '^/[^:]*/libcudnn.so.9; /[^:]*cudnn9' &&
        gives 0 "$anydnn" exec --cudnn 7 sh -c 'echo "$LD_PRELOAD"' && says '^/[^:]*/libcudnn.so.7$' &&
        gives 2 "$anydnn" exec --cudnn 8 sh -c : && says 'cudnn=8: .*7 or 9'
}

# A program that was linked to cuDNN 9 does not get cuDNN 7's library.
selects_by_program() {
    cat >"$tap_dir/maps.c" <<'EOT'
#include <stdio.h>
#include <stdlib.h>
int cudnnBackendExecute(void *h, void *p, void *v);
int main(void) { puts(getenv("LD_PRELOAD")); return cudnnBackendExecute(0, 0, 0); }
EOT
    # shellcheck disable=SC2086
    $cc $cudnn9_sanitize "$tap_dir/maps.c" -o "$tap_dir/maps" "$mock/libcudnn.so.9" "-Wl,-rpath,$mock" &&
        gives 0 "$anydnn" exec "$tap_dir/maps" && says '^/[^:]*/libcudnn.so.9$'
}

not_installed() {
    mkdir -p "$tap_dir/moved"
    cp -L "$ANYDNN_TEST_BUILDDIR/.libs/libanydnn.so.0" "$tap_dir/moved/"
    gives 1 env LD_LIBRARY_PATH="$tap_dir/moved" "$real" exec --cudnn 9 echo &&
        says "$tap_dir/moved/anydnn/cudnn9/libcudnn.so.9: No such file or directory; configure --enable-cudnn9 installs it"
}

# ---- shim

shim() {
    gives "$1" "$anydnn" shim --device cpu "$2"
}

shows_linked() {
    shim 0 "$tap_dir/with_rpath" && says 'with_rpath imports 2 functions of cuDNN$' && says '^  built for cuDNN 9: it needs libcudnn.so.9$' &&
        says '^  binds linked, with an RPATH: LD_PRELOAD comes before it' && says "^  calls go to $mock/libcudnn.so.9 (RPATH)$" &&
        says '^  cudnnBackendExecute  *the real cuDNN$' || return 1
    shim 0 "$tap_dir/with_runpath" && says '^  binds linked, with a RUNPATH: ' && says "^  calls go to $mock/libcudnn.so.9 (RUNPATH)$" || return 1
    gives 0 env LD_LIBRARY_PATH="$cudnn9_folder:$mock" "$anydnn" shim --device cpu "$tap_dir/plain" &&
        says '^  binds linked, without a run path' && says "^  calls go to $mock/libcudnn.so.9 (LD_LIBRARY_PATH)$"
}

shows_dlopen() {
    echo '#include <dlfcn.h>
    int main(void) { return dlopen("libcudnn.so.9", 1) == 0; }' >"$tap_dir/opens.c"
    sed 's,libcudnn,/opt/nvidia/cudnn/lib/libcudnn,' "$tap_dir/opens.c" >"$tap_dir/path.c"
    for name in opens path; do
        # shellcheck disable=SC2086
        $cc $cudnn9_sanitize "$tap_dir/$name.c" -o "$tap_dir/$name" -ldl "-Wl,-rpath,$mock" || return 1
    done
    shim 0 "$tap_dir/opens" && says 'opens imports 0 functions of cuDNN$' && says '^  binds opened by name: ' &&
        says "^  calls go to $mock/libcudnn.so.9" && shim 0 "$tap_dir/path" && says '^  binds opened by path: '
}

# The mock lacks a function of 9.28, and no cuDNN has the other.
shows_lacking() {
    echo 'int cudnnGnnMhaGatForward(void); int cudnnNothing(void);
    int (*imports[])(void) = {cudnnGnnMhaGatForward, cudnnNothing};' >"$tap_dir/lacks.c"
    $cc -shared -fPIC "$tap_dir/lacks.c" -o "$tap_dir/lacks.so" -Wl,--no-as-needed "$mock/libcudnn.so.9" -Wl,--disable-new-dtags \
        "-Wl,-rpath,$mock" && shim 1 "$tap_dir/lacks.so" && says '^  cudnnGnnMhaGatForward  *the real cuDNN lacks it$' &&
        says '^  cudnnNothing  *not a function of cuDNN 9.28.1$'
}

as_json() {
    gives 0 "$anydnn" shim --json --device cpu "$tap_dir/with_rpath" || return 1
    python3 - "$tap_dir/out" "$mock" <<'EOT'
import json, sys
(answer,) = json.load(open(sys.argv[1]))
assert answer["real"] == sys.argv[2] + "/libcudnn.so.9" and answer["found"] == "RPATH", answer
assert [f["name"] for f in answer["functions"]] == ["cudnnBackendExecute", "cudnnGetVersion"], answer
assert all(f["known"] and f["runs"] for f in answer["functions"]) and answer["binds"].startswith("linked"), answer
EOT
}

check "a mock is built" cudnn9_mock "$mock"
check "where the library is not installed" not_installed
if [ -n "$cudnn9_sanitize" ]; then
    linked with_rpath -Wl,--disable-new-dtags "-Wl,-rpath,$mock"
    linked with_runpath -Wl,--enable-new-dtags "-Wl,-rpath,$mock"
    linked plain
    skip "programs run on it" "a sanitizer's library wants to be the first"
else
    check "programs that are linked run with it" runs_linked
    check "a Python program, which opens the library by name" runs_python
    check "which libraries a program gets" selects
    check "a program of cuDNN 9 gets only its library" selects_by_program
fi
check "shim: how a linked program gets the library" shows_linked
check "shim: a program that opens the library" shows_dlopen
check "shim: functions that the real library lacks" shows_lacking
check "shim: JSON" as_json
tap_end
