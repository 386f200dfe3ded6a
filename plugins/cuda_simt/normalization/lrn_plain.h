/* SPDX-License-Identifier: Apache-2.0 */
/* LRN in its plain form, for tensors of any strides and types (lrn_plain.cu). */
#ifndef CUDA_SIMT_NORMALIZATION_LRN_PLAIN_H
#define CUDA_SIMT_NORMALIZATION_LRN_PLAIN_H

#include "../shared/map.h"
#include "window.h"

/* The parameters of the plain form; stride_x and stride_dy are those of the channels. */
struct lrn_params {
    cuda_lrn lrn;
    int64_t channels, stride_x, stride_dy;
};

struct lrn_plain {
    cuda_walk walk;
    int32_t (*launch)(const lrn_plain *plain, const cuda_call *call, void *const data[]);
    lrn_params params;
};

/* Each function fills `plain` for a problem. `tensor`, and the data of its launch, are out, x,
 * backward dy. */
void lrn_plain_forward(lrn_plain *plain, const struct anydnn_plugin_problem *problem,
                       const struct anydnn_plugin_tensor *const tensor[]);
void lrn_plain_backward(lrn_plain *plain, const struct anydnn_plugin_problem *problem,
                        const struct anydnn_plugin_tensor *const tensor[]);

#endif
