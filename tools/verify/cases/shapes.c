/* SPDX-License-Identifier: Apache-2.0 */
/* The table of shapes by operation. */
#include "tools/verify/cases/shapes.h"

static const struct verify_shape same_as_forward[] = {{NULL, NULL, 0}};

const struct verify_shapes verify_shapes[] = {
    {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, 0, verify_convolution_shapes},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, same_as_forward},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, same_as_forward},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS, 0, verify_backward_bias_shapes},
    {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, 0, verify_fused_shapes},
    {ANYDNN_PLUGIN_POOLING_FORWARD, 0, verify_pooling_shapes},
    {ANYDNN_PLUGIN_POOLING_BACKWARD, ANYDNN_PLUGIN_POOLING_FORWARD, verify_pooling_backward_shapes},
    {ANYDNN_PLUGIN_ACTIVATION_FORWARD, 0, verify_activation_shapes},
    {ANYDNN_PLUGIN_ACTIVATION_BACKWARD, ANYDNN_PLUGIN_ACTIVATION_FORWARD,
     verify_activation_backward_shapes},
    {ANYDNN_PLUGIN_LRN_FORWARD, 0, verify_lrn_shapes},
    {ANYDNN_PLUGIN_LRN_BACKWARD, ANYDNN_PLUGIN_LRN_FORWARD, verify_lrn_backward_shapes},
    {ANYDNN_PLUGIN_SOFTMAX_FORWARD, 0, verify_softmax_shapes},
    {ANYDNN_PLUGIN_SOFTMAX_BACKWARD, ANYDNN_PLUGIN_SOFTMAX_FORWARD, verify_softmax_backward_shapes},
    {ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD, 0, verify_divisive_forward_shapes},
    {ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD, 0, verify_divisive_backward_shapes},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE, 0, verify_norm_inference_shapes},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING, 0, verify_norm_training_shapes},
    {ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD, 0, verify_norm_backward_shapes},
    {ANYDNN_PLUGIN_DROPOUT_FORWARD, 0, verify_dropout_forward_shapes},
    {ANYDNN_PLUGIN_DROPOUT_BACKWARD, 0, verify_dropout_backward_shapes},
    {ANYDNN_PLUGIN_TRANSFORM_TENSOR, 0, verify_transform_shapes},
    {ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX, 0, verify_transform_ex_shapes},
    {ANYDNN_PLUGIN_TRANSFORM_FILTER, 0, verify_transform_ex_shapes},
    {ANYDNN_PLUGIN_ADD_TENSOR, 0, verify_add_shapes},
    {ANYDNN_PLUGIN_OP_TENSOR, 0, verify_op_shapes},
    {ANYDNN_PLUGIN_REDUCE_TENSOR, 0, verify_reduce_shapes},
    {ANYDNN_PLUGIN_SET_TENSOR, 0, verify_set_shapes},
    {ANYDNN_PLUGIN_SCALE_TENSOR, 0, verify_scale_shapes},
    {ANYDNN_PLUGIN_IM2COL, 0, verify_im2col_shapes},
    {ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD, 0, verify_grid_forward_shapes},
    {ANYDNN_PLUGIN_SPATIAL_GRID_BACKWARD, ANYDNN_PLUGIN_SPATIAL_GRID_FORWARD, same_as_forward},
    {ANYDNN_PLUGIN_SPATIAL_SAMPLER_FORWARD, 0, verify_sampler_shapes},
    {ANYDNN_PLUGIN_SPATIAL_SAMPLER_BACKWARD, 0, verify_sampler_backward_shapes},
    {ANYDNN_PLUGIN_CTC_LOSS, 0, verify_ctc_shapes},
    {0, 0, NULL},
};
