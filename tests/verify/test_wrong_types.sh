#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests how anydnn verify judges small backends in the short types, with rounded operands, in the last bits, and in
# place. It must accept the correct ones, and detect and name the faults of the others.
# Needs: tools/anydnn tests/verify/wrong/anydnn_wrong.la tests/verify/wrong/anydnn_wrong_fused.la tests/verify/wrong/anydnn_wrong_places.la tests/verify/wrong/anydnn_wrong_types.la mocks-dir
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/verify/verify.sh"

passes_short_types() {
    file=$(build wrong_types RIGHT) || return 1
    verify 0 --quick "$file" && says ' 0 declined, 0 failed'
}

# Checks a fault of the short types in one operation and type.
catches_type() {
    file=$(build wrong_types "WRONG_$3") || return 1
    verify 1 --quick --op "$1" --type "$2" "$file" &&
        says "^  \[$4\] $1 $2 " && says "$5"
}

# The cases whose parameters have one type pass.
catches_mixed_parameters() {
    file=$(build wrong_types WRONG_ONE_PARAMETER_TYPE) || return 1
    verify 1 --op batch_normalization_inference --type f16 "$file" && says ',short scale$' &&
        says ',short given statistics$' && ! says ': [a-z_]*,short parameters$'
}

# Cases of one type fail, those of the other pass.
names_common_type() {
    file=$(build wrong_types WRONG_EXPONENT) || return 1
    verify 1 --op batch_normalization_inference "$file" &&
        says 'batch_normalization_inference: every case with .type f16. fails, and no other case does'
}

# Operands rounded to TF32 are correct if the candidate reports it and the mode permits it, and wrong if the candidate
# states default math. The quick cases suffice: the plain loops would take minutes for the channels of real layers.
passes_tf32() {
    file=$(build wrong RIGHT_TF32) || return 1
    verify 0 --quick --op convolution_forward "$file" && says 'convolution_forward  *f32  *nchw  *[1-9]'
}

# judges_last_bits STATUS ULPS: functions that libraries implement differently in the last bits may be off by one unit,
# also for integers. The sum before them must not hide a larger error.
judges_last_bits() {
    file=$(build wrong_fused "ULPS=$2") || return 1
    for activation in sigmoid tanh 'elu coef=1.5' 'swish coef=6'; do
        for math in default tensor_op; do
            verify "$1" --problem "convolution_bias_activation_forward x=f32:2,3,4,5:nchw w=f32:4,3,1,1:nchw \
z=f32:2,4,4,5:nchw bias=f32:1,4,1,1:nchw y=f32:2,4,4,5:nchw activation=$activation alpha1=0.25 math=$math" "$file" ||
                return 1
            [ "$1" -eq 0 ] || says 'the error exceeds the rounding bound' || return 1
        done
    done
}

# catches_place OPERATION WHAT TEXT: checks results in place, and inputs that must not be read.
catches_place() {
    file=$(build wrong_places "WRONG_$2") || return 1
    verify 1 --op "$1" "$file" && says "$3"
}
passes_places() {
    file=$(build wrong_places RIGHT) || return 1
    verify 0 "$file" && says ' 0 failed'
}

# The case "z unread" fails: z is poisoned there.
catches_unread_z() {
    file=$(build wrong_fused READS_Z) || return 1
    verify 1 --small --op convolution_bias_activation_forward "$file" && says ': z unread$' &&
        says 'must not read'
}

# judges_underflow STATUS ULPS: checks swish as v times a float sigmoid. That factor is coarse where it is subnormal,
# which happens for arguments of some tens.
judges_underflow() {
    file=$(build wrong_fused "ULPS=$2") || return 1
    for seed in 1 2 3; do
        verify "$1" --seed "$seed" --problem "convolution_bias_activation_forward x=f32:4,16,9,9:nchw \
w=f32:32,16,1,1:nchw bias=f32:1,32,1,1:nchw y=f32:4,32,9,9:nchw activation=swish coef=6 without=z alpha1=0.25" "$file" ||
            return 1
    done
}

check 'a right small backend in the short types passes' passes_short_types
check 'operands rounded to TF32 pass where that is stated' passes_tf32
check 'sigmoid, tanh, elu and swish one unit off behind a convolution pass' judges_last_bits 0 1
check '16 units off they fail' judges_last_bits 1 16
check 'a right small backend passes in place' passes_places
check 'writes over y while it reads y' catches_place softmax_backward WRITES_EARLY \
    '^  \[result\] softmax_backward .*: in place of y$'
check 'reads what the mode does not read' catches_place activation_backward READS_UNREAD \
    '^  \[result\] activation_backward .*: relu,without x$'
check 'reads z although its factor is 0' catches_unread_z
check 'swish is as coarse as its sigmoid is' judges_underflow 0 0
check '16 units coarser it fails' judges_underflow 1 16
check 'truncates to half' catches_type scale_tensor f16 TRUNCATES rounding 'results are truncated'
check 'truncates to int8' catches_type convolution_forward s8 TRUNCATES rounding 'results are truncated'
check 'rounds ties of half away from zero' catches_type scale_tensor f16 TIES_AWAY rounding 'ties are rounded away'
check 'rounds ties of bfloat16 away from zero' catches_type convolution_forward bf16 TIES_AWAY rounding 'ties are rounded away'
check 'rounds ties of uint8 away from zero' catches_type scale_tensor u8 TIES_AWAY rounding 'ties are rounded away'
check 'half overflows to its largest number' catches_type scale_tensor f16 HALF_MAX overflow 'they must become infinity'
check 'flushes subnormal numbers of half' catches_type scale_tensor f16 FLUSHES subnormal 'subnormal results are flushed to 0'
check 'int8 wraps' catches_type convolution_forward s8 WRAPS saturation 'they must saturate'
check 'int32 wraps' catches_type scale_tensor s32 WRAPS saturation 'they must saturate'
check 'takes uint8 for int8' catches_type scale_tensor u8 SIGNED result 'the only right value'
check 'takes vectors for plain channels' catches_type convolution_forward s8x4 PLAIN_CHANNELS result 'vectors'
check 'sums up in half' catches_type convolution_forward f16 SHORT_SUMS precision 'sums in 16 bits'
check '32-bit sums stop at the end of their range' catches_type convolution_forward s8 SUMS_STOP result ': sums wrap'
check 'reads half in pairs' catches_type transform_tensor f16 READS_PAIRS bounds 'it [a-z]* 1 byte behind operand x'
check 'half alone is wrong: what failures have in common' names_common_type
check 'reads float parameters as half' catches_type batch_normalization_inference f16 PARAMETER_TYPE result ': spatial'
check 'reads half parameters as float' catches_type batch_normalization_inference f16 FLOAT_PARAMETERS result ': spatial,short parameters'
check 'reads bfloat16 parameters as float' catches_type batch_normalization_inference bf16 FLOAT_PARAMETERS result ',short parameters'
check 'reads float statistics as the half of scale' catches_mixed_parameters
tap_end
