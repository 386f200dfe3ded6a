/* SPDX-License-Identifier: Apache-2.0 */
/* Implements pooling in our own code: windows that oneDNN lacks, maxima with NaN, gradients of
 * maxima. */
#ifndef ONEDNN_POOLING_H
#define ONEDNN_POOLING_H

#include "layer.h"

/* The modes of struct anydnn_plugin_pooling. */
enum {
    ONEDNN_POOLING_MAX = 0,
    ONEDNN_POOLING_AVERAGE_INCLUDE = 1,
    ONEDNN_POOLING_AVERAGE_EXCLUDE = 2,
    ONEDNN_POOLING_MAX_DETERMINISTIC = 3,
    ONEDNN_POOLING_MODE_END = 4
};

/* A half-open range. */
struct onednn_range {
    int64_t begin, end;
};

/* The dims of an image: n, c, d, h, w. Spatial dims that the operands lack come first, with length
 * 1. */
#define ONEDNN_IMAGE 5

struct onednn_pool {
    int64_t x_dims[ONEDNN_IMAGE], y_dims[ONEDNN_IMAGE];
    int64_t x_strides[ONEDNN_IMAGE], y_strides[ONEDNN_IMAGE]; /* strides of dx and dy, too */
    int64_t window[ONEDNN_SPATIAL_MAX], pad[ONEDNN_SPATIAL_MAX], stride[ONEDNN_SPATIAL_MAX];
    int32_t mode;
    int32_t nan_propagate;
    int channels_last;
    int nan_is_zero; /* 1 if an average that is NaN becomes 0 */
    float lowest;    /* lowest finite number of the operands' type */
    struct onednn_place x, y, dy, dx;
};

static inline int onednn_pool_is_max(int32_t mode)
{
    return mode == ONEDNN_POOLING_MAX || mode == ONEDNN_POOLING_MAX_DETERMINISTIC;
}

/* Returns the part of the input along spatial dim s that the window of output o covers. A negative
 * pad crops the input. */
struct onednn_range onednn_pool_window(const struct onednn_pool *pool, int s, int64_t o);

/* These steps take a struct onednn_pool. */
void onednn_pool_forward(const struct onednn_call *call, const void *data);
void onednn_pool_backward(const struct onednn_call *call, const void *data);
/* Corrects oneDNN's maxima. It recomputes everything if x holds a NaN that must propagate, and
 * raises results below the lowest number of the operands' type to that number. */
void onednn_pool_mend(const struct onednn_call *call, const void *data);

#endif
