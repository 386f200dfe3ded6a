# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154
# What the tests of anydnn verify share: source it behind tap.sh.

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
vectors=$ANYDNN_TEST_SRCDIR/tests/vectors
wrong=$ANYDNN_TEST_BUILDDIR/tests/verify/wrong/.libs
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

# build FILE NAME: a copy of the small backend of that file as anydnn_name.so, which has the fault of that name; prints
# the path.
build() {
    name=$(echo "$2" | tr '[:upper:]=' '[:lower:]_')
    cp "$wrong/anydnn_$1.so" "$tap_dir/anydnn_$name.so" || return 1
    echo "$tap_dir/anydnn_$name.so"
}
