/* SPDX-License-Identifier: Apache-2.0 */
/* Indices of strided tensors, for the small backends of this folder. */
#ifndef TESTS_VERIFY_TENSOR_H
#define TESTS_VERIFY_TENSOR_H

#include <anydnn/plugin.h>

static inline int64_t offset(const struct anydnn_plugin_tensor *tensor, const int64_t *index)
{
    int64_t at = 0;

    for (int d = 0; d < tensor->ndims; d++)
        at += index[d] * tensor->strides[d];
    return at;
}

/* 1 while there is a next index. */
static inline int step(const struct anydnn_plugin_tensor *tensor, int64_t *index)
{
    for (int d = tensor->ndims - 1; d >= 0; d--) {
        if (++index[d] < tensor->dims[d])
            return 1;
        index[d] = 0;
    }
    return 0;
}

/* Where the filter's element w_index lies over x, for the element y_index of the output; 0 when
 * that is padding. */
static inline int place_of(const struct anydnn_plugin_convolution *params,
                           const struct anydnn_plugin_tensor *x,
                           const struct anydnn_plugin_tensor *w, const int64_t *y_index,
                           const int64_t *w_index, int64_t *x_index)
{
    int inside = 1;

    for (int d = 0; d < params->spatial_dims; d++) {
        int64_t tap = params->mode == 1 ? w_index[d + 2] : w->dims[d + 2] - 1 - w_index[d + 2];

        x_index[d + 2] =
            y_index[d + 2] * params->stride[d] + tap * params->dilation[d] - params->pad[d];
        inside &= x_index[d + 2] >= 0 && x_index[d + 2] < x->dims[d + 2];
    }
    return inside;
}

#endif
