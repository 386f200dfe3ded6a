/* SPDX-License-Identifier: Apache-2.0 */
/* The table entry of each operation; it stands in the file of that operation. */
#ifndef CUDNN_TABLE_H
#define CUDNN_TABLE_H

#include "backend.h"

extern const struct cudnn_operation cudnn_convolution_forward;
extern const struct cudnn_operation cudnn_convolution_backward_data;
extern const struct cudnn_operation cudnn_convolution_backward_filter;
extern const struct cudnn_operation cudnn_convolution_backward_bias;
extern const struct cudnn_operation cudnn_convolution_bias_activation_forward;
extern const struct cudnn_operation cudnn_pooling_forward;
extern const struct cudnn_operation cudnn_pooling_backward;
extern const struct cudnn_operation cudnn_activation_forward;
extern const struct cudnn_operation cudnn_activation_backward;
extern const struct cudnn_operation cudnn_lrn_forward;
extern const struct cudnn_operation cudnn_softmax_forward;
extern const struct cudnn_operation cudnn_softmax_backward;
extern const struct cudnn_operation cudnn_divisive_normalization_forward;
extern const struct cudnn_operation cudnn_divisive_normalization_backward;
extern const struct cudnn_operation cudnn_batch_normalization_inference;
extern const struct cudnn_operation cudnn_batch_normalization_training;
extern const struct cudnn_operation cudnn_batch_normalization_backward;
extern const struct cudnn_operation cudnn_transform_tensor;
extern const struct cudnn_operation cudnn_transform_tensor_ex;
extern const struct cudnn_operation cudnn_transform_filter;
extern const struct cudnn_operation cudnn_add_tensor;
extern const struct cudnn_operation cudnn_op_tensor;
extern const struct cudnn_operation cudnn_reduce_tensor;
extern const struct cudnn_operation cudnn_set_tensor;
extern const struct cudnn_operation cudnn_scale_tensor;
extern const struct cudnn_operation cudnn_im2col;

extern const struct cudnn_operation *const cudnn_operations[];
extern const uint32_t cudnn_operation_count;
/* NULL where there is none. */
const struct cudnn_operation *cudnn_operation_find(int32_t operation);

extern const struct anydnn_plugin_limit *const cudnn_limits[];
extern const uint32_t cudnn_limit_count;

/* The convolution descriptor of a plan, from its parameters (conv.c). 0 or a reason. */
int32_t cudnn_convolution_make(struct anydnn_plugin_plan *plan, cudnnDataType_t compute,
                               struct kit_refusal *why);

#endif
