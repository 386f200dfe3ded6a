#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that several backends work in the space opencl: a second one built from the same sources, and clblast. Also runs
# a program that works on native objects of its own.
# Needs: libanydnn.la tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/opencl/opencl.sh"

here=$ANYDNN_TEST_SRCDIR/tests/opencl
if [ "${ANYDNN_TEST_SANITIZER-no}" != no ]; then
    echo "1..0 # SKIP drivers of OpenCL contain a compiler, which sanitizers do not support"
    exit 0
fi
if ! has_device; then
    echo "1..0 # SKIP no OpenCL device: $(why)"
    exit 0
fi

# program NAME [OPTION...]: compiles a program of this folder.
program() {
    name=$1
    shift
    # shellcheck disable=SC2086
    $CC -std=c11 -I"$ANYDNN_TEST_SRCDIR/include" -I"$ANYDNN_TEST_BUILDDIR/include" ${OPENCL_CFLAGS-} "$here/$name.c" \
        -o "$tap_dir/$name" -L"$ANYDNN_TEST_BUILDDIR/.libs" -lanydnn "$@"
}

# twin: makes a backend opencl_twin from the sources of opencl. It shares no object of the file with it.
# shellcheck disable=SC2086 # OPENCL_CFLAGS may hold several words.
twin() {
    mkdir -p "$tap_dir/plugins" && ln -s "$ANYDNN_TEST_PLUGINDIR/anydnn_opencl.so" "$tap_dir/plugins/" || return 1
    $CC -std=c11 -O1 -fPIC -fvisibility=hidden -shared -D_GNU_SOURCE -DOPENCL_NAME='"opencl_twin"' ${OPENCL_CFLAGS-} \
        -I"$ANYDNN_TEST_SRCDIR/include" -I"$ANYDNN_TEST_BUILDDIR/plugins/opencl" \
        "$ANYDNN_TEST_SRCDIR"/plugins/opencl/*.c "$ANYDNN_TEST_SRCDIR"/plugins/kit/*.c \
        -Wl,-z,defs -ldl -lpthread -lm -o "$tap_dir/plugins/anydnn_opencl_twin.so"
}

# in_order FIRST SECOND: the two backends run in order on one handle; FIRST owns the space.
in_order() {
    ANYDNN_PLUGIN_PATH=$tap_dir/plugins ANYDNN_ROUTE=$1,$2 LD_LIBRARY_PATH=$ANYDNN_TEST_BUILDDIR/.libs \
        "$tap_dir/two" "$1" "$2" >"$tap_dir/out" 2>"$tap_dir/err" && return 0
    cat "$tap_dir/out" "$tap_dir/err"
    return 1
}

natives() {
    settings
    ANYDNN_CONFIG=$tap_dir/conf LD_LIBRARY_PATH=$ANYDNN_TEST_BUILDDIR/.libs "$tap_dir/native"
}

check "two backends can be made from one source" twin
check "the program of two backends compiles" program two -lm
check "two backends with a table each run in order" in_order opencl opencl_twin
check "they do so if the other one owns the space" in_order opencl_twin opencl
if program native -l:libOpenCL.so.1 >"$tap_dir/out" 2>&1; then
    check "a program brings its context, queue and memory" natives
else
    cat "$tap_dir/out"
    check "the program of native objects compiles" false
fi

if [ ! -e "$ANYDNN_TEST_PLUGINDIR/anydnn_clblast.so" ]; then
    skip "clblast shares the space" "built without clblast"
    tap_end
    exit 0
fi

# clblast LINE...: writes settings that route products and convolutions to clblast; the lines go into its section.
clblast() {
    printf '%s\n' '[route]' '* = opencl' 'matmul = clblast' 'convolution_forward = clblast, opencl' \
        '[plugin clblast]' "$@" >"$tap_dir/conf"
}

layer='convolution_forward x=f32:2,6,9,7 w=f32:4,3,3,2 y=f32:2,4,9,8 pad=1,1 groups=2'

# runs BACKEND: the layer runs on that backend of the space and is right.
runs() {
    "$anydnn" run --config "$tap_dir/conf" --device opencl --check cpu_ref "$layer" >"$tap_dir/out" 2>"$tap_dir/err" &&
        says "^backend:  *$1, engine 1, on opencl:0" && says 'passed$'
}

# falls_back PATTERN: opencl runs the layer, and the reason contains the pattern.
falls_back() {
    "$anydnn" explain --config "$tap_dir/conf" --device opencl "$layer" >"$tap_dir/out" 2>"$tap_dir/err" &&
        says "skipped: $1" && says '^choice: opencl '
}

# alone: clblast brings the backend that owns the space, which no rule names.
alone() {
    printf '%s\n' '[route]' '* = clblast' >"$tap_dir/conf"
    runs clblast
}

verified() {
    "$anydnn" verify --quick --case-limit 300 --config "$tap_dir/conf" --vectors "$ANYDNN_TEST_SRCDIR/tests/vectors" \
        clblast >"$tap_dir/out" 2>"$tap_dir/err"
    status=$?
    tail -n 30 "$tap_dir/out"
    return $status
}

clblast 'set.library = /nowhere/libclblast.so'
check "a missing library" falls_back 'cannot load CLBlast: /nowhere/libclblast.so: '
clblast "set.library = $ANYDNN_TEST_BUILDDIR/.libs/libanydnn.so"
check "a library that is not CLBlast" falls_back '.*libanydnn.so lacks the function CLBlastSgemm; CLBlast 1.5'
clblast
if falls_back 'cannot load CLBlast' >"$tap_dir/output"; then
    skip "clblast shares the space" "no CLBlast"
    tap_end
    exit 0
fi
check "a convolution on CLBlast" runs clblast
check "clblast alone in the route" alone
check "verify --quick clblast" verified
tap_end
