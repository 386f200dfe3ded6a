/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of any family in one union. A copied problem holds it, both in a backend and in
 * core. */
#ifndef KIT_PARAMS_H
#define KIT_PARAMS_H

#include <stdint.h>

#include <anydnn/plugin.h>

union kit_params {
    uint32_t struct_size;
    struct anydnn_plugin_convolution convolution;
    struct anydnn_plugin_pooling pooling;
    struct anydnn_plugin_activation activation;
    struct anydnn_plugin_softmax softmax;
    struct anydnn_plugin_lrn lrn;
    struct anydnn_plugin_batch_normalization batch_normalization;
    struct anydnn_plugin_dropout dropout;
    struct anydnn_plugin_transform transform;
    struct anydnn_plugin_op_tensor op_tensor;
    struct anydnn_plugin_reduce reduce;
    struct anydnn_plugin_spatial spatial;
    struct anydnn_plugin_ctc ctc;
    struct anydnn_plugin_normalization normalization;
    struct anydnn_plugin_matmul matmul;
};

#endif
