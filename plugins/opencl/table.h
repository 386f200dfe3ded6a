/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the entries of all operations, which the operations' source files define. */
#ifndef OPENCL_TABLE_H
#define OPENCL_TABLE_H

#include "plan.h"

extern const struct opencl_operation opencl_convolution_forward;
extern const struct opencl_operation opencl_convolution_bias_activation_forward;
extern const struct opencl_operation opencl_convolution_backward_data;
extern const struct opencl_operation opencl_convolution_backward_filter;
extern const struct opencl_operation opencl_convolution_backward_bias;
extern const struct opencl_operation opencl_activation_forward;
extern const struct opencl_operation opencl_activation_backward;
extern const struct opencl_operation opencl_pooling_forward;
extern const struct opencl_operation opencl_pooling_backward;
extern const struct opencl_operation opencl_lrn_forward;
extern const struct opencl_operation opencl_lrn_backward;
extern const struct opencl_operation opencl_softmax_forward;
extern const struct opencl_operation opencl_softmax_backward;
extern const struct opencl_operation opencl_batch_normalization_inference;
extern const struct opencl_operation opencl_batch_normalization_training;
extern const struct opencl_operation opencl_batch_normalization_backward;
extern const struct opencl_operation opencl_dropout_forward;
extern const struct opencl_operation opencl_dropout_backward;
extern const struct opencl_operation opencl_transform_tensor;
extern const struct opencl_operation opencl_transform_tensor_ex;
extern const struct opencl_operation opencl_transform_filter;
extern const struct opencl_operation opencl_add_tensor;
extern const struct opencl_operation opencl_op_tensor;
extern const struct opencl_operation opencl_reduce_tensor;
extern const struct opencl_operation opencl_set_tensor;
extern const struct opencl_operation opencl_scale_tensor;
extern const struct opencl_operation opencl_im2col;
extern const struct opencl_operation opencl_divisive_normalization_forward;
extern const struct opencl_operation opencl_divisive_normalization_backward;
extern const struct opencl_operation opencl_spatial_grid_forward;
extern const struct opencl_operation opencl_spatial_grid_backward;
extern const struct opencl_operation opencl_spatial_sampler_forward;
extern const struct opencl_operation opencl_spatial_sampler_backward;

#endif
