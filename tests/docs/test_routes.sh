#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that the built-in routes follow the measurements. docs/using.md has a table of them, whose rows name files of
# bench/results. In the geometric mean of those files' times, the backend that a route names first must be the faster
# one. The check must fail if a route, a row or a time is changed.
# Needs: tools/anydnn
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

judge=$ANYDNN_TEST_SRCDIR/tests/docs/routes.py
page=$ANYDNN_TEST_SRCDIR/docs/using.md
results=$ANYDNN_TEST_SRCDIR/bench/results

# routes.py ignores the host's backends, because the tables are from a GPU.
"$ANYDNN_TEST_BUILDDIR/tools/anydnn" config >"$tap_dir/routes"

# spoilt PATTERN FILE SED_COMMAND: changes the file; routes.py must fail with output that matches the pattern.
spoilt() {
    pattern=$1 file=$2 command=$3
    rm -rf "$tap_dir/results" && cp -r "$results" "$tap_dir/results" && chmod -R u+w "$tap_dir/results" &&
        cp "$page" "$tap_dir/results/using.md" && cp "$tap_dir/routes" "$tap_dir/results/routes" || return 1
    chmod u+w "$tap_dir/results/using.md"
    cp "$tap_dir/results/$file" "$tap_dir/before" && sed -i "$command" "$tap_dir/results/$file"
    cmp -s "$tap_dir/before" "$tap_dir/results/$file" && { echo "the sed command changed nothing"; return 1; }
    python3 "$judge" "$tap_dir/results/routes" "$tap_dir/results/using.md" "$tap_dir/results" >"$tap_dir/said" 2>&1 &&
        { echo "the fault was not detected"; return 1; }
    cat "$tap_dir/said"
    grep -q -e "$pattern" "$tap_dir/said"
}

check "the faster backend is first" python3 "$judge" "$tap_dir/routes" "$page" "$results"
check "a reversed route is detected" spoilt 'convolution_\*.*tensor_op' routes \
    '/route tensor_op/,/^$/s/cuda_tensorcore, cudnn/cudnn, cuda_tensorcore/'
check "a route without a row is detected" spoilt 'softmax_forward' routes 's/^\[route\]$/&\nsoftmax_forward = cudnn, cuda_simt/'
check "exchanged times are detected" spoilt 'is slower' h200_tensorcore_f16.csv \
    's/,cudnn,tensor_op,/,other,tensor_op,/; s/,cuda_tensorcore,tensor_op,/,cudnn,tensor_op,/; s/,other,/,cuda_tensorcore,/'
check "a missing table is detected" spoilt 'no such table' using.md 's/h200_tensorcore_split/h200_nothing/'
tap_end
