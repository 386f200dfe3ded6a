#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that libcudnn.so.7 exports the same names as NVIDIA's, in its version node, so that programs linked to that
# library find every function.
# Needs: cudnn7/built/.stamp
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/cudnn7/cudnn7.sh"

library=$cudnn7_folder/libcudnn.so.7

# shellcheck disable=SC2016
exports_the_list() {
    [ "$(cudnn7_names | wc -l)" = 234 ] || return 1
    cudnn7_names | sed 's/$/@@libcudnn.so.7/' | LC_ALL=C sort >"$tap_dir/want"
    $NM -D --defined-only "$library" | ${AWK:-awk} '$2 != "A" { print $3 }' | LC_ALL=C sort >"$tap_dir/found"
    diff "$tap_dir/want" "$tap_dir/found"
}

has_the_name() {
    readelf -d "$library" | grep 'Library soname: \[libcudnn.so.7\]'
}

# The library needs only anydnn and the C library, because a program may load no other one.
needs_little() {
    readelf -d "$library" >"$tap_dir/dynamic"
    sed -n 's/.*Shared library: \[\(.*\)\]/\1/p' "$tap_dir/dynamic" |
        grep -vE '^(libanydnn\.so\.0|libc\.so\.6|libdl\.so\.2|libasan.*|libubsan.*|libtsan.*)$' >"$tap_dir/more"
    [ ! -s "$tap_dir/more" ] || { cat "$tap_dir/more"; return 1; }
}

# binds PROGRAM COUNT: builds an object that imports the program's functions, with the node as the linker records it.
binds() {
    cudnn7_imports "$1" >"$tap_dir/names"
    [ "$(wc -l <"$tap_dir/names")" -eq "$2" ] || { wc -l <"$tap_dir/names"; return 1; }
    sed 's/.*/void &(void);/' "$tap_dir/names" >"$tap_dir/stub.c"
    {
        echo 'void (*const imports[])(void) = {'
        sed 's/.*/    &,/' "$tap_dir/names"
        echo '};'
    } >>"$tap_dir/stub.c"
    # shellcheck disable=SC2086
    $cc -shared -fPIC "$tap_dir/stub.c" -o "$tap_dir/stub.so" "$cudnn7_import/libcudnn.so.7" || return 1
    readelf -V -W "$tap_dir/stub.so" | grep -q 'Name: libcudnn.so.7 ' || return 1
    LD_LIBRARY_PATH=$cudnn7_folder ldd -r "$tap_dir/stub.so" >"$tap_dir/ldd" 2>&1
    grep -qF "=> $cudnn7_folder/libcudnn.so.7" "$tap_dir/ldd" && ! grep -E 'undefined|not found|no version' "$tap_dir/ldd" &&
        return 0
    cat "$tap_dir/ldd"
    return 1
}

check "every function of cuDNN 7.6.5 in its node, and no other" exports_the_list
check "the library's name" has_the_name
check "it needs anydnn and the C library" needs_little
check "a library of the names alone can be linked" cudnn7_named "$cudnn7_import/libcudnn.so.7"
for program in caffe:42 conv_sample:18 cupy:140 darknet:19 mnistCUDNN:36 RNN:26; do
    check "what ${program%:*} imports is exported" binds "${program%:*}" "${program#*:}"
done
tap_end
