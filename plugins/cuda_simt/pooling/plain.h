/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling in its plain form, for tensors of any strides and types (plain.cu). */
#ifndef CUDA_SIMT_POOLING_PLAIN_H
#define CUDA_SIMT_POOLING_PLAIN_H

#include "../shared/window.h"
#include "packed.h"

template <int S> struct pooling_params {
    int64_t window[S], pad[S], stride[S];
    int64_t x_dims[S], y_dims[S];
    int64_t x_strides[S], y_strides[S], dy_strides[S]; /* forward uses only x_strides */
    double lowest;
    int32_t mode;
    int32_t max; /* 1 if the mode is a maximum */
    int32_t nan_propagate;
};

struct pooling_plain {
    cuda_walk walk;
    int32_t (*launch)(const pooling_plain *plain, const cuda_call *call, void *const data[]);
    pooling_params<CUDA_MANY_DIMS> params; /* the kernel may use fewer dims */
};

/* Each function fills `plain` for a problem. Its launch takes y, x forward, and dx, x, y, dy
 * backward. */
void pooling_plain_forward(pooling_plain *plain, const struct anydnn_plugin_plan *plan);
void pooling_plain_backward(pooling_plain *plain, const struct anydnn_plugin_plan *plan);

#endif
