#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests a fresh build folder: configure reports no error, and any single target builds first.
# Needs: nothing
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
: "${MAKE:=make}"
unset MAKEFLAGS MAKELEVEL MFLAGS

top=$(cd "$ANYDNN_TEST_SRCDIR" && pwd -P) || exit 2
fresh=$tap_dir/fresh

# A second run of configure finds the objects' folder `core`, which looks like a core dump.
configures() {
    mkdir -p "$fresh/core" && cd "$fresh" &&
        "$top/configure" CC="${CC:-cc}" --with-cuda=no --disable-dependency-tracking >out 2>err || return 1
    cat err
    ! grep 'rm:' out err && [ ! -e confdefs.h ]
}

# builds TARGET: builds the target in a folder where nothing else was built.
builds() {
    $MAKE -s -C "$fresh" clean >/dev/null 2>&1
    $MAKE -s -C "$fresh" "$1"
}

check "configure reports no error beside a folder named core" configures
check "an object of the library builds first" builds core/api/libanydnn_core_la-version.lo
check "an object of the tools builds first" builds tools/anydnn-explain.o
check "an object of an example builds first" builds examples/hello/hello.o
tap_end
