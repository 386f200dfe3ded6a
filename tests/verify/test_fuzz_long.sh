#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests anydnn verify --fuzz on the host's backends with more problems than test_fuzz.sh has time for. ANYDNN_TEST_SEED
# may set the seed. A failure prints the command that repeats it.
# Needs: tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

anydnn=$ANYDNN_TEST_BUILDDIR/tools/anydnn
seed=${ANYDNN_TEST_SEED:-2}
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR
export ANYDNN_PLUGIN_PATH

# is_right COUNT BACKEND [OPTION...]: succeeds if verify passes COUNT random problems, and shows the first failures.
is_right() {
    count=$1
    backend=$2
    shift 2
    "$anydnn" verify --fuzz "$count" --seed "$seed" --case-limit 60 "$@" "$backend" >"$tap_dir/out" 2>&1 && return 0
    grep -A 4 '^  \[' "$tap_dir/out"
    tail -n 3 "$tap_dir/out"
    return 1
}

check "cpu_ref: 3000 problems of seed $seed" is_right 3000 cpu_ref
if [ -e "$ANYDNN_TEST_PLUGINDIR/anydnn_onednn.so" ]; then
    check "onednn: 1500 problems of seed $seed" is_right 1500 onednn
    check "onednn: 500 convolutions" is_right 500 onednn --op 'convolution_*'
else
    skip 'onednn' 'onednn was not built'
fi
tap_end
