#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the cost of shadow in the training of LeNet if one call in a thousand is compared with cpu_ref: at
# most 5 %, as the median of pairs of runs. It measures the processor time of one thread, because other
# programs on a busy machine change that little.
# Needs: examples/lenet/lenet
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

lenet=$ANYDNN_TEST_BUILDDIR/examples/lenet/lenet
pairs=${ANYDNN_TEST_PAIRS-7}
ANYDNN_PLUGIN_PATH=$ANYDNN_TEST_PLUGINDIR ANYDNN_ROUTE=onednn,cpu_ref
OMP_NUM_THREADS=1
export ANYDNN_PLUGIN_PATH ANYDNN_ROUTE OMP_NUM_THREADS

# spent SAMPLE: prints the processor seconds of one training, with the system's share. The second line of
# `times` has those of the children: "1m2.50s 0m0.10s".
spent() (
    ANYDNN_SHADOW_SAMPLE=$1 ANYDNN_SHADOW_SUMMARY=yes "$lenet" --device cpu --epochs 1 >"$tap_dir/out" 2>"$tap_dir/err" ||
        exit 1
    times >"$tap_dir/times"
    awk -F '[ms ]+' 'NR == 2 { print $1 * 60 + $2 + $3 * 60 + $4 }' "$tap_dir/times"
)

costs_little() {
    for pair in $(seq "$pairs"); do
        plain=$(spent off) && shadowed=$(spent 1/1000) || return 1
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
