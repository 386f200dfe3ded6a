/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the operations of this backend. A new operation is an entry here and a file of its own. */
#include "../cuda_common/table.h"

const struct cuda_operation *const cuda_operations[] = {
    &cuda_convolution_forward,
    &cuda_convolution_bias_activation_forward,
    &cuda_convolution_backward_data,
    &cuda_convolution_backward_filter,
    &cuda_convolution_backward_bias,
    &cuda_activation_forward,
    &cuda_activation_backward,
    &cuda_pooling_forward,
    &cuda_pooling_backward,
    &cuda_lrn_forward,
    &cuda_lrn_backward,
    &cuda_softmax_forward,
    &cuda_softmax_backward,
    &cuda_divisive_normalization_forward,
    &cuda_divisive_normalization_backward,
    &cuda_batch_normalization_inference,
    &cuda_batch_normalization_training,
    &cuda_batch_normalization_backward,
    &cuda_dropout_forward,
    &cuda_dropout_backward,
    &cuda_transform_tensor,
    &cuda_transform_tensor_ex,
    &cuda_transform_filter,
    &cuda_add_tensor,
    &cuda_op_tensor,
    &cuda_reduce_tensor,
    &cuda_set_tensor,
    &cuda_scale_tensor,
    &cuda_im2col,
    &cuda_spatial_grid_forward,
    &cuda_spatial_grid_backward,
    &cuda_spatial_sampler_forward,
    &cuda_spatial_sampler_backward,
    &cuda_ctc_loss,
    &cuda_normalization_forward,
    &cuda_normalization_backward,
};

const uint32_t cuda_operation_count = sizeof cuda_operations / sizeof cuda_operations[0];
