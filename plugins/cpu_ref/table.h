/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the table entry of each operation. The operation's file defines it. */
#ifndef CPU_REF_TABLE_H
#define CPU_REF_TABLE_H

#include "cpu_ref.h"

extern const struct cpu_ref_kernel cpu_ref_convolution_forward;
extern const struct cpu_ref_kernel cpu_ref_convolution_backward_data;
extern const struct cpu_ref_kernel cpu_ref_convolution_backward_filter;
extern const struct cpu_ref_kernel cpu_ref_convolution_backward_bias;
extern const struct cpu_ref_kernel cpu_ref_convolution_bias_activation_forward;
extern const struct cpu_ref_kernel cpu_ref_pooling_forward;
extern const struct cpu_ref_kernel cpu_ref_pooling_backward;
extern const struct cpu_ref_kernel cpu_ref_activation_forward;
extern const struct cpu_ref_kernel cpu_ref_activation_backward;
extern const struct cpu_ref_kernel cpu_ref_lrn_forward;
extern const struct cpu_ref_kernel cpu_ref_lrn_backward;
extern const struct cpu_ref_kernel cpu_ref_softmax_forward;
extern const struct cpu_ref_kernel cpu_ref_softmax_backward;
extern const struct cpu_ref_kernel cpu_ref_divisive_normalization_forward;
extern const struct cpu_ref_kernel cpu_ref_divisive_normalization_backward;
extern const struct cpu_ref_kernel cpu_ref_batch_normalization_inference;
extern const struct cpu_ref_kernel cpu_ref_batch_normalization_training;
extern const struct cpu_ref_kernel cpu_ref_batch_normalization_backward;
extern const struct cpu_ref_kernel cpu_ref_dropout_forward;
extern const struct cpu_ref_kernel cpu_ref_dropout_backward;
extern const struct cpu_ref_kernel cpu_ref_transform_tensor;
extern const struct cpu_ref_kernel cpu_ref_transform_tensor_ex;
extern const struct cpu_ref_kernel cpu_ref_transform_filter;
extern const struct cpu_ref_kernel cpu_ref_add_tensor;
extern const struct cpu_ref_kernel cpu_ref_op_tensor;
extern const struct cpu_ref_kernel cpu_ref_reduce_tensor;
extern const struct cpu_ref_kernel cpu_ref_set_tensor;
extern const struct cpu_ref_kernel cpu_ref_scale_tensor;
extern const struct cpu_ref_kernel cpu_ref_im2col;
extern const struct cpu_ref_kernel cpu_ref_spatial_grid_forward;
extern const struct cpu_ref_kernel cpu_ref_spatial_grid_backward;
extern const struct cpu_ref_kernel cpu_ref_spatial_sampler_forward;
extern const struct cpu_ref_kernel cpu_ref_spatial_sampler_backward;
extern const struct cpu_ref_kernel cpu_ref_ctc_loss;
extern const struct cpu_ref_kernel cpu_ref_normalization_forward;
extern const struct cpu_ref_kernel cpu_ref_normalization_backward;
extern const struct cpu_ref_kernel cpu_ref_matmul;

#endif
