#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs half of the cases of anydnn verify --small on cpu_ref, for builds in which test_whole.sh takes too long.
# Needs: tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH

quick() {
    "$ANYDNN_TEST_BUILDDIR/tools/anydnn" verify --small --case-limit 300 --shard 1/2 \
        --vectors "$ANYDNN_TEST_SRCDIR/tests/vectors" cpu_ref >"$tap_dir/out" 2>&1
    status=$?
    tail -n 30 "$tap_dir/out"
    return $status
}

check "verify --small passes half of its cases of cpu_ref" quick
tap_end
