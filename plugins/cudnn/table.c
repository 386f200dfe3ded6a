/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the operations of cudnn and the limits that it publishes. */
#include "table.h"

const struct cdn_operation *const cdn_operations[] = {
    &cdn_convolution_forward,
    &cdn_convolution_backward_data,
    &cdn_convolution_backward_filter,
    &cdn_convolution_backward_bias,
    &cdn_convolution_bias_activation_forward,
    &cdn_pooling_forward,
    &cdn_pooling_backward,
    &cdn_activation_forward,
    &cdn_activation_backward,
    &cdn_lrn_forward,
    &cdn_softmax_forward,
    &cdn_softmax_backward,
    &cdn_divisive_normalization_forward,
    &cdn_divisive_normalization_backward,
    &cdn_batch_normalization_inference,
    &cdn_batch_normalization_training,
    &cdn_batch_normalization_backward,
    &cdn_transform_tensor,
    &cdn_transform_tensor_ex,
    &cdn_transform_filter,
    &cdn_add_tensor,
    &cdn_op_tensor,
    &cdn_reduce_tensor,
    &cdn_set_tensor,
    &cdn_scale_tensor,
    &cdn_im2col,
};
const uint32_t cdn_operation_count = sizeof cdn_operations / sizeof cdn_operations[0];

const struct cdn_operation *cdn_operation_lookup(int32_t operation)
{
    for (uint32_t i = 0; i < cdn_operation_count; i++) {
        if (cdn_operations[i]->operation == operation)
            return cdn_operations[i];
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

LIMIT(spatial_dims, 0, 3, "cuDNN supports up to 3 spatial dimensions")
LIMIT(elements, 0, INT32_MAX, "cuDNN's older calls limit dims, strides and elements to 31 bits")

const struct anydnn_plugin_limit *const cdn_limits[] = {&limit_spatial_dims, &limit_elements};
const uint32_t cdn_limit_count = sizeof cdn_limits / sizeof cdn_limits[0];
