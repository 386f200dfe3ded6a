/* SPDX-License-Identifier: Apache-2.0 */
/* Names of operations, operands and element types, as the sentences of this backend use them. */
#include "cpu_ref.h"

#include <stdio.h>

struct operation_names {
    const char *operation;
    const char *slot[ANYDNN_PLUGIN_OPERAND_MAX];
};

static const struct operation_names names[ANYDNN_PLUGIN_OPERATION_END] = {
    [ANYDNN_PLUGIN_CONVOLUTION_FORWARD] = {"convolution_forward", {"x", "w", "y"}},
    [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA] = {"convolution_backward_data", {"w", "dy", "dx"}},
    [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER] = {"convolution_backward_filter",
                                                   {"x", "dy", "dw"}},
    [ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS] = {"convolution_backward_bias", {"dy", "db"}},
    [ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD] = {"convolution_bias_activation_forward",
                                                           {"x", "w", "z", "bias", "y"}},
    [ANYDNN_PLUGIN_POOLING_FORWARD] = {"pooling_forward", {"x", "y"}},
    [ANYDNN_PLUGIN_POOLING_BACKWARD] = {"pooling_backward", {"y", "dy", "x", "dx"}},
    [ANYDNN_PLUGIN_ACTIVATION_FORWARD] = {"activation_forward", {"x", "y"}},
    [ANYDNN_PLUGIN_ACTIVATION_BACKWARD] = {"activation_backward", {"y", "dy", "x", "dx"}},
    [ANYDNN_PLUGIN_LRN_FORWARD] = {"lrn_forward", {"x", "y"}},
    [ANYDNN_PLUGIN_LRN_BACKWARD] = {"lrn_backward", {"y", "dy", "x", "dx"}},
    [ANYDNN_PLUGIN_SOFTMAX_FORWARD] = {"softmax_forward", {"x", "y"}},
    [ANYDNN_PLUGIN_SOFTMAX_BACKWARD] = {"softmax_backward", {"y", "dy", "dx"}},
    [ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD] = {"divisive_normalization_forward",
                                                      {"x", "means", "temp", "temp2", "y"}},
    [ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD] = {"divisive_normalization_backward",
                                                       {"x", "means", "dy", "temp", "temp2", "dx",
                                                        "dmeans"}},
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE] = {"batch_normalization_inference",
                                                     {"x", "scale", "bias", "mean", "var", "y"}},
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING] = {"batch_normalization_training",
                                                    {"x", "scale", "bias", "z", "running_mean",
                                                     "running_var", "y", "save_mean",
                                                     "save_inv_var", "reserve"}},
    [ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD] = {"batch_normalization_backward",
                                                    {"x", "dy", "y", "scale", "bias", "save_mean",
                                                     "save_inv_var", "reserve", "dx", "dz",
                                                     "dscale", "dbias"}},
    [ANYDNN_PLUGIN_DROPOUT_FORWARD] = {"dropout_forward", {"x", "states", "y", "reserve"}},
    [ANYDNN_PLUGIN_DROPOUT_BACKWARD] = {"dropout_backward", {"dy", "reserve", "dx"}},
    [ANYDNN_PLUGIN_TRANSFORM_TENSOR] = {"transform_tensor", {"x", "y"}},
    [ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX] = {"transform_tensor_ex", {"x", "y"}},
    [ANYDNN_PLUGIN_TRANSFORM_FILTER] = {"transform_filter", {"x", "y"}},
    [ANYDNN_PLUGIN_ADD_TENSOR] = {"add_tensor", {"x", "y"}},
    [ANYDNN_PLUGIN_OP_TENSOR] = {"op_tensor", {"a", "b", "c"}},
    [ANYDNN_PLUGIN_REDUCE_TENSOR] = {"reduce_tensor", {"a", "c", "indices"}},
    [ANYDNN_PLUGIN_SET_TENSOR] = {"set_tensor", {"y"}},
    [ANYDNN_PLUGIN_SCALE_TENSOR] = {"scale_tensor", {"y"}},
    [ANYDNN_PLUGIN_IM2COL] = {"im2col", {"x", "col"}},
};

static const char *const type_names[CPU_REF_TYPES] = {
    [ANYDNN_PLUGIN_FLOAT] = "float",     [ANYDNN_PLUGIN_DOUBLE] = "double",
    [ANYDNN_PLUGIN_HALF] = "half",       [ANYDNN_PLUGIN_INT8] = "int8",
    [ANYDNN_PLUGIN_INT32] = "int32",     [ANYDNN_PLUGIN_INT8X4] = "int8x4",
    [ANYDNN_PLUGIN_UINT8] = "uint8",     [ANYDNN_PLUGIN_UINT8X4] = "uint8x4",
    [ANYDNN_PLUGIN_INT8X32] = "int8x32", [ANYDNN_PLUGIN_BFLOAT16] = "bfloat16",
    [ANYDNN_PLUGIN_INT64] = "int64",
};

const char *cpu_ref_operation_name(int32_t operation)
{
    const char *name = NULL;
    if (operation > 0 && operation < ANYDNN_PLUGIN_OPERATION_END)
        name = names[operation].operation;
    return name ? name : "an unknown operation";
}

const char *cpu_ref_slot_name(int32_t operation, int32_t slot)
{
    const char *name = NULL;
    if (operation > 0 && operation < ANYDNN_PLUGIN_OPERATION_END && slot >= 0 &&
        slot < ANYDNN_PLUGIN_OPERAND_MAX)
        name = names[operation].slot[slot];
    return name ? name : "?";
}

const char *cpu_ref_type_name(int32_t type)
{
    static const char *const index_names[] = {"uint16", "uint32", "uint64"};

    if (type >= ANYDNN_PLUGIN_UINT16 && type <= ANYDNN_PLUGIN_UINT64)
        return index_names[type - ANYDNN_PLUGIN_UINT16];
    return type >= 0 && type < CPU_REF_TYPES ? type_names[type] : "an unknown type";
}
