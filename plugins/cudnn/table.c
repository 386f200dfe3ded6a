/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of cudnn and the limits that it publishes. */
#include "table.h"

const struct cudnn_operation *const cudnn_operations[] = {
    &cudnn_convolution_forward,
    &cudnn_convolution_backward_data,
    &cudnn_convolution_backward_filter,
    &cudnn_convolution_backward_bias,
    &cudnn_convolution_bias_activation_forward,
    &cudnn_pooling_forward,
    &cudnn_pooling_backward,
    &cudnn_activation_forward,
    &cudnn_activation_backward,
    &cudnn_lrn_forward,
    &cudnn_softmax_forward,
    &cudnn_softmax_backward,
    &cudnn_divisive_normalization_forward,
    &cudnn_divisive_normalization_backward,
    &cudnn_batch_normalization_inference,
    &cudnn_batch_normalization_training,
    &cudnn_batch_normalization_backward,
    &cudnn_transform_tensor,
    &cudnn_transform_tensor_ex,
    &cudnn_transform_filter,
    &cudnn_add_tensor,
    &cudnn_op_tensor,
    &cudnn_reduce_tensor,
    &cudnn_set_tensor,
    &cudnn_scale_tensor,
    &cudnn_im2col,
};
const uint32_t cudnn_operation_count = sizeof cudnn_operations / sizeof cudnn_operations[0];

const struct cudnn_operation *cudnn_operation_find(int32_t operation)
{
    for (uint32_t i = 0; i < cudnn_operation_count; i++) {
        if (cudnn_operations[i]->operation == operation)
            return cudnn_operations[i];
    }
    return NULL;
}

#define LIMIT(number, of, worth, words)                                                            \
    static const struct anydnn_plugin_limit limit_##number = {                                     \
        .struct_size = sizeof limit_##number,                                                      \
        .operation = (of),                                                                         \
        .value = (worth),                                                                          \
        .name = #number,                                                                           \
        .sentence = (words),                                                                       \
    };

LIMIT(spatial_dims, 0, 3, "cuDNN's operations have up to 3 spatial dimensions")
LIMIT(elements, 0, INT32_MAX, "cuDNN's older calls count dims, strides and elements in 31 bits")

const struct anydnn_plugin_limit *const cudnn_limits[] = {&limit_spatial_dims, &limit_elements};
const uint32_t cudnn_limit_count = sizeof cudnn_limits / sizeof cudnn_limits[0];
