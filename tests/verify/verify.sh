# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154
# Functions that the tests of anydnn verify share. Source this file after tap.sh.

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
vectors=$ANYDNN_TEST_SRCDIR/tests/vectors
wrong=$ANYDNN_TEST_BUILDDIR/tests/verify/wrong/.libs
mocks=$ANYDNN_TEST_MOCKDIR
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH

# verify STATUS ARGUMENT...: checks the exit status; the output is in $tap_dir/out and err.
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

# build FILE NAME: copies the small backend of that file to anydnn_name.so, which has the fault of that name, and prints
# the path.
build() {
    name=$(echo "$2" | tr '[:upper:]=' '[:lower:]_')
    cp "$wrong/anydnn_$1.so" "$tap_dir/anydnn_$name.so" || return 1
    echo "$tap_dir/anydnn_$name.so"
}
