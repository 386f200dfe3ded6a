#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks a program of level 1 and one of level 2. The first is linked with a library that has only level 1, and
# runs with this one; both get the same answer.
# Needs: libanydnn.la
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
# shellcheck disable=SC2034
abi_root=$ANYDNN_TEST_SRCDIR abi_tmp=$tap_dir
. "$ANYDNN_TEST_SRCDIR/tests/abi/abi.sh"

here=$ANYDNN_TEST_SRCDIR/tests/abi
libraries=$ANYDNN_TEST_BUILDDIR/.libs
include="-I${abi_header%/anydnn/anydnn.h} -I$abi_views_folder"

# Builds a library of level 1 with empty functions, for the linker.
# shellcheck disable=SC2086
first_library() {
    mkdir -p "$tap_dir/first"
    abi_table map -v newest=1 >"$tap_dir/first/map"
    {
        echo "#include <anydnn/anydnn.h>"
        abi_prototypes -DANYDNN_EVERY_FORM | sed -e 's/^[^|]*|[^|]*|//' -e 's/$/ { __builtin_trap(); }/'
    } >"$tap_dir/first/empty.c"
    $CC -fPIC -shared -DANYDNN_EVERY_FORM $include "$tap_dir/first/empty.c" -o "$tap_dir/first/libanydnn.so" \
        -Wl,-soname,libanydnn.so.0 -Wl,--version-script="$tap_dir/first/map"
}

# shellcheck disable=SC2086
program() {
    $CC -std=c99 -pedantic -Wall -Wextra -Werror -DANYDNN_API_LEVEL="$1" $include "$here/levels.c" \
        -o "$tap_dir/level$1" -L"$2" -lanydnn
}

runs() {
    LD_LIBRARY_PATH=$libraries ANYDNN_ROUTE=cpu_ref "$tap_dir/level$1" >"$tap_dir/printed$1" || return 1
    cat "$tap_dir/printed$1"
    grep -q "^forward [0-9]*, backward data [0-9]*, backward filter [0-9]*$" "$tap_dir/printed$1"
}

needs_of_level_1() {
    readelf -V -W "$tap_dir/level1" | grep -o 'Name: ANYDNN_[0-9.]*' | sort -u >"$tap_dir/nodes"
    echo "Name: ANYDNN_1" | diff - "$tap_dir/nodes"
}

# shellcheck disable=SC2086
warned() {
    $CC -std=c99 -fsyntax-only -DANYDNN_API_LEVEL=2 -DOLD_CALLS $include "$here/levels.c" 2>"$tap_dir/warnings"
    cat "$tap_dir/warnings"
    [ "$(grep -c "changed at API level 2: anydnnGetConvolution.*Algorithm_v2 is the new form" "$tap_dir/warnings")" -ge 3 ]
}

check "a library of level 1 can be linked" first_library
check "a program of level 1 builds, without a warning" program 1 "$tap_dir/first"
check "it needs nothing of level 2" needs_of_level_1
check "it runs with this library" runs 1
check "a program of level 2 builds, without a warning" program 2 "$libraries"
check "it runs" runs 2
check "both get the same answer" diff "$tap_dir/printed1" "$tap_dir/printed2"
check "the calls of level 1 bring a warning in view 2, with the new name" warned
tap_end
