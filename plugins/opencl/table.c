/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the operations of this backend. A new operation adds an entry here and in table.h. */
#include "table.h"

const struct opencl_operation *const opencl_operations[] = {
    &opencl_convolution_forward,
    &opencl_convolution_bias_activation_forward,
    &opencl_convolution_backward_data,
    &opencl_convolution_backward_filter,
    &opencl_convolution_backward_bias,
    &opencl_activation_forward,
    &opencl_activation_backward,
    &opencl_pooling_forward,
    &opencl_pooling_backward,
    &opencl_lrn_forward,
    &opencl_lrn_backward,
    &opencl_softmax_forward,
    &opencl_softmax_backward,
    &opencl_batch_normalization_inference,
    &opencl_batch_normalization_training,
    &opencl_batch_normalization_backward,
    &opencl_dropout_forward,
    &opencl_dropout_backward,
    &opencl_transform_tensor,
    &opencl_transform_tensor_ex,
    &opencl_transform_filter,
    &opencl_add_tensor,
    &opencl_op_tensor,
    &opencl_reduce_tensor,
    &opencl_set_tensor,
    &opencl_scale_tensor,
    &opencl_im2col,
    &opencl_divisive_normalization_forward,
    &opencl_divisive_normalization_backward,
    &opencl_spatial_grid_forward,
    &opencl_spatial_grid_backward,
    &opencl_spatial_sampler_forward,
    &opencl_spatial_sampler_backward,
};

const uint32_t opencl_operation_count = sizeof opencl_operations / sizeof opencl_operations[0];
