#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests cuda_tensorcore compiled for the host's processor with capability 7.5, which has fewer matrix
# instructions than that of test_tensorcore.sh. This is a long test.
# Needs: tools/anydnn tests/cuda/emulated_turing
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"

folder=emulated_turing
. "$ANYDNN_TEST_SRCDIR/tests/cuda/tensorcore.sh"

# turing: runs problems in half and integers. Code for 7.5 has no other types and no asynchronous copies.
turing() {
    grep -E '=(f16|s8|s8x4|s8x32|u8|u8x4):' "$list" >"$tap_dir/list"
    on "$anydnn" run --repeat 2 --check cpu_ref - <"$tap_dir/list"
    status=$?
    tail -n 20 "$tap_dir/out"
    return $status
}

turing_declines() {
    for type in bf16:tensor_op:bfloat16 f32:allow_conversion:TF32; do
        math=${type#*:}
        on "$anydnn" explain \
            "convolution_forward x=${type%%:*}:2,8,5,5 w=${type%%:*}:8,8,3,3 math=${math%:*}"
        grep -q "matrix units support ${type##*:} from compute capability 8.0 on" "$tap_dir/out" || {
            cat "$tap_dir/out"
            return 1
        }
    done
}

check "it compiles for 7.5" compiled
check "7.5: the problems in half and integers run" turing
check "7.5: bfloat16 and TF32 are declined with a sentence" turing_declines
tap_end
