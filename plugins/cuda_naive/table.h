/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the entries of all operations, which the operations' source files define, and defines
 * the context. */
#ifndef CUDA_NAIVE_TABLE_H
#define CUDA_NAIVE_TABLE_H

#include "../cuda_common/plan.h"

/* The context, which has no members of its own. */
struct anydnn_plugin_context {
    struct cuda_context cuda;
};

/* Defines the entry of ANYDNN_PLUGIN_number. The further arguments initialize members of struct
 * cuda_operation, in their order. */
#define CUDA_OPERATION(name, number, ...)                                                          \
    const struct cuda_operation cuda_##name = {.operation = ANYDNN_PLUGIN_##number, __VA_ARGS__}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cuda_operation cuda_convolution_forward;
extern const struct cuda_operation cuda_convolution_bias_activation_forward;
extern const struct cuda_operation cuda_convolution_backward_data;
extern const struct cuda_operation cuda_convolution_backward_filter;
extern const struct cuda_operation cuda_convolution_backward_bias;
extern const struct cuda_operation cuda_pooling_forward;
extern const struct cuda_operation cuda_pooling_backward;
extern const struct cuda_operation cuda_activation_forward;
extern const struct cuda_operation cuda_activation_backward;
extern const struct cuda_operation cuda_lrn_forward;
extern const struct cuda_operation cuda_lrn_backward;
extern const struct cuda_operation cuda_softmax_forward;
extern const struct cuda_operation cuda_softmax_backward;
extern const struct cuda_operation cuda_divisive_normalization_forward;
extern const struct cuda_operation cuda_divisive_normalization_backward;
extern const struct cuda_operation cuda_batch_normalization_inference;
extern const struct cuda_operation cuda_batch_normalization_training;
extern const struct cuda_operation cuda_batch_normalization_backward;
extern const struct cuda_operation cuda_dropout_forward;
extern const struct cuda_operation cuda_dropout_backward;
extern const struct cuda_operation cuda_transform_tensor;
extern const struct cuda_operation cuda_transform_tensor_ex;
extern const struct cuda_operation cuda_transform_filter;
extern const struct cuda_operation cuda_add_tensor;
extern const struct cuda_operation cuda_op_tensor;
extern const struct cuda_operation cuda_reduce_tensor;
extern const struct cuda_operation cuda_set_tensor;
extern const struct cuda_operation cuda_scale_tensor;
extern const struct cuda_operation cuda_im2col;
extern const struct cuda_operation cuda_spatial_grid_forward;
extern const struct cuda_operation cuda_spatial_grid_backward;
extern const struct cuda_operation cuda_spatial_sampler_forward;
extern const struct cuda_operation cuda_spatial_sampler_backward;
extern const struct cuda_operation cuda_ctc_loss;
extern const struct cuda_operation cuda_normalization_forward;
extern const struct cuda_operation cuda_normalization_backward;
extern const struct cuda_operation cuda_matmul;

#ifdef __cplusplus
}
#endif

#endif
