#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests cuda_tensorcore compiled for the host's processor: every engine of problems that reach all kernels and
# their edge cases, and half of the cases of verify --quick. This is a long test; test_tensorcore.sh is its
# short form.
# Needs: tools/anydnn tests/cuda/emulated
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

folder=emulated
. "$ANYDNN_TEST_SRCDIR/tests/cuda/tensorcore.sh"

# every_engine: every engine of the problems in $tap_dir/list is right.
every_engine() {
    while read -r problem; do
        verified --problem "$problem" || return 1
    done <"$tap_dir/list"
}

# engines PATTERN: runs problems with operands that all kernels of a type accept.
engines() {
    grep "$1" "$list" | head -n 3 >"$tap_dir/list"
    every_engine
}

# ends: runs problems that reach the edge cases of backward filter.
ends() {
    sed -n "/^# backward filter, edge cases/,/^\$/p" "$list" | grep '^conv' >"$tap_dir/list"
    [ -s "$tap_dir/list" ] || return 1
    every_engine
}

# arranged: runs problems whose operands are arranged in workspace, which verify poisons. It takes every fifth
# problem, since all of them would take minutes here.
arranged() {
    sed -n '/^# arranged/,/^$/p' "$list" | grep '^conv' | awk 'NR % 5 == 1' >"$tap_dir/list"
    every_engine
}

check "it compiles for the host's processor" compiled
check "verify --quick passes half of its cases" verified --quick --shard 1/2 --op 'convolution_*'
check "half: every engine is right" engines '=f16:3,24,9'
check "TF32: every engine is right" engines '=f32:3,20,9'
check "split: every engine is right" engines 'math=split'
check "backward filter: every edge case is right" ends
check "arranged operands: every engine is right" arranged
check "the list reaches every kernel" every_kernel
check "every kernel is right, twice" kernels 2
tap_end
