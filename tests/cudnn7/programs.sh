#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests the programs of tests/porting, linked to cuDNN 7's names and run on anydnn's libcudnn.so.7. They must print the
# same as with the real cuDNN and through the porting header.
# Needs: cudnn7/built/.stamp
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/cudnn7/cudnn7.sh"

porting=$ANYDNN_TEST_SRCDIR/tests/porting

# on_the_shim PROGRAM: builds and runs it with nothing of anydnn's in the program itself.
on_the_shim() {
    source=$porting/$1.c
    [ -e "$source" ] || source=$porting/$1.cpp
    cudnn7_compiles "$source" "$tap_dir/$1" || return 1
    ! readelf -d "$tap_dir/$1" | grep anydnn || return 1
    cudnn7_runs "$tap_dir/$1" >"$tap_dir/$1.out"
}

# through_the_header PROGRAM: compares the bits, or the numbers if cuDNN's are known.
through_the_header() {
    source=$porting/$1.c
    [ -e "$source" ] || source=$porting/$1.cpp
    case $source in
    *.cpp) compiler="${CXX:-g++} -std=c++11" ;;
    *) compiler="$cc -std=c11" ;;
    esac
    # shellcheck disable=SC2086
    $compiler $cudnn7_sanitize -I"$porting/stub" -I"$ANYDNN_TEST_SRCDIR/include" -I"$ANYDNN_TEST_BUILDDIR/include" \
        -I"$ANYDNN_TEST_SRCDIR/include/anydnn/cudnn7" "$source" -o "$tap_dir/$1_header" \
        -L"$ANYDNN_TEST_BUILDDIR/.libs" -lanydnn -lm || return 1
    LD_LIBRARY_PATH=$ANYDNN_TEST_BUILDDIR/.libs "$tap_dir/$1_header" >"$tap_dir/$1.want" || return 1
    [ -s "$tap_dir/$1.want" ] || [ "$1" = in_place ] || [ "$1" = objects ] || [ "$1" = unread ] || return 1
    diff "$tap_dir/$1.want" "$tap_dir/$1.out"
}

# shellcheck disable=SC2016
as_cudnn_9() {
    ${AWK:-awk} -v section="[$1]" '/^#/ { next } /^\[/ { on = $0 == section; next } on' \
        "$porting/cudnn9_h200.txt" >"$tap_dir/want"
    [ -s "$tap_dir/want" ] && paste -d ' ' "$tap_dir/$1.out" "$tap_dir/want" | ${AWK:-awk} -f "$porting/same.awk"
}

cudnn7_header "$tap_dir"
check "a library of the names alone can be linked" cudnn7_named "$cudnn7_import/libcudnn.so.7"
for program in network layers streams groups owners getters in_place objects unread; do
    check "$program runs on the shim" on_the_shim "$program"
    check "$program: as through the porting header" through_the_header "$program"
done
check "network: cuDNN 9's numbers" as_cudnn_9 network
check "layers: cuDNN 9's numbers" as_cudnn_9 layers
tap_end
