#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cuda_tensorcore compiled for the host's processor: every engine of problems that reach all kernels and
# their ends, and half of what verify --quick asks. test_tensorcore.sh, without what takes minutes, is its
# shorter form. Of the long tests.
# Needs: tools/anydnn tests/cuda/emulated
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

folder=emulated
. "$ANYDNN_TEST_SRCDIR/tests/cuda/tensorcore.sh"

# Every engine of the problems in $tap_dir/list.
every_engine() {
    while read -r problem; do
        verified --problem "$problem" || return 1
    done <"$tap_dir/list"
}

# The problems on whose operands all kernels of a type run.
engines() {
    grep "$1" "$list" | head -n 3 >"$tap_dir/list"
    every_engine
}

# Problems that reach the ends of direction filter.
ends() {
    sed -n "/^# ends of a filter's gradient/,/^\$/p" "$list" | grep '^conv' >"$tap_dir/list"
    [ -s "$tap_dir/list" ] || return 1
    every_engine
}

# Problems whose operands are arranged in workspace, which verify poisons: every fifth, since all of
# them would take minutes here.
arranged() {
    sed -n '/^# arranged/,/^$/p' "$list" | grep '^conv' | awk 'NR % 5 == 1' >"$tap_dir/list"
    every_engine
}

check "it compiles for the host's processor" compiled
check "verify --quick passes half of its cases" verified --quick --shard 1/2 --op 'convolution_*'
check "half: every engine is right" engines '=f16:3,24,9'
check "TF32: every engine is right" engines '=f32:3,20,9'
check "split: every engine is right" engines 'math=split'
check "direction filter: every end is right" ends
check "arranged operands: every engine is right" arranged
check "the list reaches every kernel" every_kernel
check "every kernel is right, twice" kernels 2
tap_end
