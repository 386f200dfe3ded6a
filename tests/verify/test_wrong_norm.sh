#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests that anydnn verify accepts normalizations and matrix products in float, and detects the faults of small backends.
# Needs: tools/anydnn tests/verify/wrong/anydnn_wrong_norm.la mocks-dir
set -u
. "$ANYDNN_TEST_SRCDIR/tests/tap.sh"
. "$ANYDNN_TEST_SRCDIR/tests/verify/verify.sh"

passes() {
    file=$(build wrong_norm RIGHT) || return 1
    verify 0 "$@" "$file" && says ' 0 failed'
}

# catches OPERATION WHAT TEXT: checks that verify rejects the backend with a wrong result in a case of that label.
catches() {
    file=$(build wrong_norm "WRONG_$2") || return 1
    verify 1 --op "$1" "$file" && says "^  \[[a-z]*\] $1 f32 .*$3"
}

check 'right ones in float pass' passes
check 'and random problems' passes --fuzz 400
forward=normalization_forward backward=normalization_backward
check 'the variance as a difference of moments' catches $forward MOMENTS 'mean far from zero'
check 'an unbiased variance' catches $forward UNBIASED 'layer'
check 'epsilon beside the deviation' catches $forward EPSILON 'epsilon'
check 'a mean in RMS' catches $forward RMS_MEAN 'rms'
check 'groups of channels apart' catches $forward GROUP_ORDER 'group'
check 'a zero-centred scale as a plain one' catches $forward CENTERED 'zero_centered'
check 'an addition behind the normalization' catches $forward ADDS_LATE 'add'
check 'the approximation in place of GELU' catches $forward TANH_FOR_ERF 'gelu'
check 'a saved variance' catches $forward SAVES_VARIANCE 'save'
check 'a saved deviation taken for a variance' catches $backward SAVED 'save'
check 'the mean gradient in RMS' catches $backward MEAN_OF_W 'rms'
check 'dscale without the last element' catches $backward LAST_ROW 'dscale'
check 'dbias of gradients behind the activation' catches $backward DBIAS_AFTER 'dbias'
check 'dsum ignored' catches $backward DSUM 'dsum'
check 'c read with beta 0' catches matmul READS_C 'beta 0'
check 'a bias for each step along k' catches matmul BIAS_TWICE 'bias'
check 'the first matrix for the whole batch' catches matmul BATCH 'batch'
check 'aux behind the activation' catches matmul AUX_AFTER 'aux,gelu'
check 'a transposed matrix as a packed one' catches matmul TRANSPOSES 'transposed b'
tap_end
