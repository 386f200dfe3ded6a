/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the operations of onednn and the limits that it publishes. */
#include "table.h"

#include "../kit/limits.h"
#include "conv_integer.h"

const struct onednn_way onednn_only_way[1] = {{.engine = 1, .algorithm = -1}};

const struct onednn_operation *const onednn_operations[] = {
    &onednn_convolution_forward,
    &onednn_convolution_backward_data,
    &onednn_convolution_backward_filter,
    &onednn_convolution_backward_bias,
    &onednn_convolution_bias_activation_forward,
    &onednn_activation_forward,
    &onednn_activation_backward,
    &onednn_softmax_forward,
    &onednn_softmax_backward,
    &onednn_lrn_forward,
    &onednn_lrn_backward,
    &onednn_pooling_forward,
    &onednn_pooling_backward,
    &onednn_batch_normalization_inference,
    &onednn_batch_normalization_training,
    &onednn_batch_normalization_backward,
    &onednn_normalization_forward,
    &onednn_normalization_backward,
    &onednn_matmul,
};
const uint32_t onednn_operation_count = sizeof onednn_operations / sizeof onednn_operations[0];

const struct onednn_operation *onednn_operation_lookup(int32_t operation)
{
    uint32_t i = 0;
    while (i + 1 < onednn_operation_count && onednn_operations[i]->operation != operation)
        i++;
    return onednn_operations[i];
}

static const struct anydnn_plugin_limit spatial_dims = {
    .struct_size = sizeof spatial_dims,
    .value = ONEDNN_SPATIAL_MAX,
    .name = "spatial_dims",
    .sentence = "oneDNN's convolutions and poolings support 1 to 3 spatial dimensions",
};

#define PRODUCTS(of)                                                                               \
    {                                                                                              \
        .struct_size = sizeof(struct anydnn_plugin_limit), .operation = (of),                      \
        .value = ONEDNN_PRODUCTS_MAX * (int64_t)ONEDNN_PARTS_MAX, .name = "products",              \
        .sentence = "oneDNN converts longer 8-bit sums to float"                                   \
    }
static const struct anydnn_plugin_limit products = PRODUCTS(ANYDNN_PLUGIN_CONVOLUTION_FORWARD);
static const struct anydnn_plugin_limit fused_products =
    PRODUCTS(ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD);

const struct anydnn_plugin_limit *const onednn_limits[] = {&spatial_dims, &products,
                                                           &fused_products, &kit_parameter_types};
const uint32_t onednn_limit_count = sizeof onednn_limits / sizeof onednn_limits[0];
