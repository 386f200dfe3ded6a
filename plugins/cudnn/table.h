/* SPDX-License-Identifier: Apache-2.0 */
/* The table entry of each operation; it stands in the file of that operation. */
#ifndef CDN_TABLE_H
#define CDN_TABLE_H

#include "backend.h"

extern const struct cdn_operation cdn_convolution_forward;
extern const struct cdn_operation cdn_convolution_backward_data;
extern const struct cdn_operation cdn_convolution_backward_filter;
extern const struct cdn_operation cdn_convolution_backward_bias;
extern const struct cdn_operation cdn_convolution_bias_activation_forward;
extern const struct cdn_operation cdn_pooling_forward;
extern const struct cdn_operation cdn_pooling_backward;
extern const struct cdn_operation cdn_activation_forward;
extern const struct cdn_operation cdn_activation_backward;
extern const struct cdn_operation cdn_lrn_forward;
extern const struct cdn_operation cdn_softmax_forward;
extern const struct cdn_operation cdn_softmax_backward;
extern const struct cdn_operation cdn_divisive_normalization_forward;
extern const struct cdn_operation cdn_divisive_normalization_backward;
extern const struct cdn_operation cdn_batch_normalization_inference;
extern const struct cdn_operation cdn_batch_normalization_training;
extern const struct cdn_operation cdn_batch_normalization_backward;
extern const struct cdn_operation cdn_transform_tensor;
extern const struct cdn_operation cdn_transform_tensor_ex;
extern const struct cdn_operation cdn_transform_filter;
extern const struct cdn_operation cdn_add_tensor;
extern const struct cdn_operation cdn_op_tensor;
extern const struct cdn_operation cdn_reduce_tensor;
extern const struct cdn_operation cdn_set_tensor;
extern const struct cdn_operation cdn_scale_tensor;
extern const struct cdn_operation cdn_im2col;

extern const struct cdn_operation *const cdn_operations[];
extern const uint32_t cdn_operation_count;
/* NULL where there is none. */
const struct cdn_operation *cdn_operation_lookup(int32_t operation);

extern const struct anydnn_plugin_limit *const cdn_limits[];
extern const uint32_t cdn_limit_count;

/* The convolution descriptor of a plan, from its parameters (conv.c). 0 or a reason. */
int32_t cdn_convolution_make(struct anydnn_plugin_plan *plan, cudnnDataType_t compute,
                             struct kit_refusal *why);

#endif
