/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the table entry of each operation. The operation's file defines it. */
#ifndef ONEDNN_TABLE_H
#define ONEDNN_TABLE_H

#include "onednn.h"

extern const struct onednn_operation onednn_convolution_forward;
extern const struct onednn_operation onednn_convolution_backward_data;
extern const struct onednn_operation onednn_convolution_backward_filter;
extern const struct onednn_operation onednn_convolution_backward_bias;
extern const struct onednn_operation onednn_convolution_bias_activation_forward;
extern const struct onednn_operation onednn_activation_forward;
extern const struct onednn_operation onednn_activation_backward;
extern const struct onednn_operation onednn_softmax_forward;
extern const struct onednn_operation onednn_softmax_backward;
extern const struct onednn_operation onednn_lrn_forward;
extern const struct onednn_operation onednn_lrn_backward;
extern const struct onednn_operation onednn_pooling_forward;
extern const struct onednn_operation onednn_pooling_backward;
extern const struct onednn_operation onednn_batch_normalization_inference;
extern const struct onednn_operation onednn_batch_normalization_training;
extern const struct onednn_operation onednn_batch_normalization_backward;

#endif
