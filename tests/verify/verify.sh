# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154
# What the tests of anydnn verify share: source it behind tap.sh.

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
vectors=$ANYDNN_TEST_SRCDIR/tests/vectors
source=$ANYDNN_TEST_SRCDIR/tests/verify/wrong
mocks=$ANYDNN_TEST_MOCKDIR
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH

# verify STATUS ARGUMENT...: exits so; output in $tap_dir/out and err.
verify() {
    status=$1
    shift
    "$anydnn" verify --vectors "$vectors" "$@" >"$tap_dir/out" 2>"$tap_dir/err"
    found=$?
    [ "$found" -eq "$status" ] && return 0
    echo "status $found, not $status: anydnn verify $*"
    tail -n 30 "$tap_dir/out" "$tap_dir/err"
    return 1
}

# build FILE WHAT: the small backend of that file with -DWHAT as anydnn_what.so; prints the path.
build() {
    name=$(echo "$2" | tr '[:upper:]=' '[:lower:]_')
    # shellcheck disable=SC2086
    $CC -std=c11 -D_GNU_SOURCE -O1 -fPIC -shared -fvisibility=hidden \
        -I"$ANYDNN_TEST_SRCDIR/include" "-D$2" "-DWRONG_NAME=\"$name\"" "$source/$1.c" \
        -o "$tap_dir/anydnn_$name.so" -lm || return 1
    echo "$tap_dir/anydnn_$name.so"
}
