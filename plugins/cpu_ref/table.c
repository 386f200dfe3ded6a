/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the operations of this backend. A new operation is an entry here and a file of its own. */
#include "table.h"

const struct cpu_ref_kernel *const cpu_ref_kernels[] = {
    &cpu_ref_convolution_forward,
    &cpu_ref_convolution_backward_data,
    &cpu_ref_convolution_backward_filter,
    &cpu_ref_convolution_backward_bias,
    &cpu_ref_convolution_bias_activation_forward,
    &cpu_ref_pooling_forward,
    &cpu_ref_pooling_backward,
    &cpu_ref_activation_forward,
    &cpu_ref_activation_backward,
    &cpu_ref_lrn_forward,
    &cpu_ref_lrn_backward,
    &cpu_ref_softmax_forward,
    &cpu_ref_softmax_backward,
    &cpu_ref_divisive_normalization_forward,
    &cpu_ref_divisive_normalization_backward,
    &cpu_ref_batch_normalization_inference,
    &cpu_ref_batch_normalization_training,
    &cpu_ref_batch_normalization_backward,
    &cpu_ref_dropout_forward,
    &cpu_ref_dropout_backward,
    &cpu_ref_transform_tensor,
    &cpu_ref_transform_tensor_ex,
    &cpu_ref_transform_filter,
    &cpu_ref_add_tensor,
    &cpu_ref_op_tensor,
    &cpu_ref_reduce_tensor,
    &cpu_ref_set_tensor,
    &cpu_ref_scale_tensor,
    &cpu_ref_im2col,
    &cpu_ref_spatial_grid_forward,
    &cpu_ref_spatial_grid_backward,
    &cpu_ref_spatial_sampler_forward,
    &cpu_ref_spatial_sampler_backward,
    &cpu_ref_ctc_loss,
    &cpu_ref_normalization_forward,
    &cpu_ref_normalization_backward,
    &cpu_ref_matmul,
};

const uint32_t cpu_ref_kernel_count = sizeof cpu_ref_kernels / sizeof cpu_ref_kernels[0];

const struct cpu_ref_kernel *cpu_ref_kernel_lookup(int32_t operation)
{
    for (uint32_t i = 0; i < cpu_ref_kernel_count; i++) {
        if (cpu_ref_kernels[i]->operation == operation)
            return cpu_ref_kernels[i];
    }
    return NULL;
}

uint32_t cpu_ref_kernel_types(const struct cpu_ref_kernel *kernel)
{
    uint32_t types = 0;

    for (int32_t type = 0; type < KIT_TYPES; type++) {
        if (kernel->run[type])
            types |= ANYDNN_PLUGIN_TYPE_BIT(type);
    }
    return types;
}
