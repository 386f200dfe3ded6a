#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What shadow takes of LeNet's training when one call of a thousand is compared with cpu_ref: at most
# 5 %, in the median of pairs of runs.
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

lenet=$ANYDNN_TEST_BUILDDIR/examples/lenet/lenet
pairs=${ANYDNN_TEST_PAIRS-7}
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR ANYDNN_ROUTE=onednn,cpu_ref
export ANYDNN_PLUGIN_PATH ANYDNN_ROUTE

# seconds SAMPLE: of one training.
seconds() {
    from=$(date +%s%N)
    ANYDNN_SHADOW_SAMPLE=$1 ANYDNN_SHADOW_SUMMARY=yes "$lenet" --device cpu --epochs 2 >"$tap_dir/out" 2>"$tap_dir/err" ||
        return 1
    echo $(($(date +%s%N) - from))
}

costs_little() {
    for pair in $(seq "$pairs"); do
        plain=$(seconds off) && shadowed=$(seconds 1/1000) || return 1
        grep 'anydnn: warning: shadow:' "$tap_dir/err" || return 1
        echo "$pair $plain $shadowed"
    done >"$tap_dir/pairs"
    cat "$tap_dir/pairs"
    awk 'NF == 3 { ratio[n++] = $3 / $2 }
        END {
            for (i = 1; i < n; i++)
                for (k = i; k > 0 && ratio[k] < ratio[k - 1]; k--) { t = ratio[k]; ratio[k] = ratio[k - 1]; ratio[k - 1] = t }
            printf "median ratio %.4f\n", ratio[int(n / 2)]
            exit ratio[int(n / 2)] > 1.05
        }' "$tap_dir/pairs"
}

check "one call of a thousand costs at most 5 %" costs_little
tap_end
