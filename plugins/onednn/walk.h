/* SPDX-License-Identifier: Apache-2.0 */
/* Our own copies between strided tensors of any types: for what oneDNN cannot describe, and for
 * alpha and beta, which are known only when a plan runs. */
#ifndef ONEDNN_WALK_H
#define ONEDNN_WALK_H

#include "../kit/walk.h"

/* Weights of a convolution in groups have one dim more than a filter, vectors of channels too. */
#define ONEDNN_DIM_MAX      KIT_WALK_DIMS
#define ONEDNN_WALK_TENSORS 4

/* Elements that rows convert at a time. */
#define ONEDNN_CHUNK 256

/* A strided tensor: element i lies at first + sum(index[d] * strides[d]) elements. Strides may be
 * negative (a flipped filter) or 0 (a broadcast dim). */
struct onednn_view {
    int32_t type; /* ANYDNN_PLUGIN_xxx, none of the vector types */
    int32_t ndims;
    int64_t first;
    int64_t dims[ONEDNN_DIM_MAX];
    int64_t strides[ONEDNN_DIM_MAX];
};

/* Over up to four tensors of equal dims, in the order of the first one's strides; in bytes. */
struct onednn_walk {
    struct kit_walk steps;
    int32_t type[ONEDNN_WALK_TENSORS];
    int64_t first[ONEDNN_WALK_TENSORS];
};

/* The first view is the one that is written. */
void onednn_walk_init(struct onednn_walk *walk, const struct onednn_view *const view[],
                      int32_t tensors);

/* Works on n elements of a row; tensor t's lie at place[t], stride[t] bytes apart. */
typedef void (*onednn_row_fn)(void *arg, const struct onednn_walk *walk, char *const place[],
                              const int64_t stride[], int64_t n);
void onednn_walk_run(const struct onednn_walk *walk, void *const data[], onednn_row_fn row,
                     void *arg);

/* n elements of a type, as double and back. The way back rounds once: floats to the nearest, of two
 * to the even one; integers likewise, and they saturate; a NaN becomes 0. */
void onednn_row_load(double *to, int32_t type, const char *from, int64_t stride, int64_t n);
void onednn_row_store(int32_t type, char *to, int64_t stride, const double *from, int64_t n);

/* n elements side by side, by vectors, rounded likewise: floats as half or bfloat16, half as
 * floats, and no others. */
int onednn_converts(int32_t to_type, int32_t from_type);
void onednn_convert(int32_t to_type, void *to, int32_t from_type, const void *from, int64_t n);

/* Tensor 0 = tensor 1, converted. */
void onednn_walk_copy(const struct onednn_walk *walk, void *const data[]);

/* Tensor 0 = alpha * tensor 1 + beta * tensor 2, in double, rounded once. With beta 0 tensor 2 is
 * not read. Tensor 2 may be tensor 0. */
void onednn_walk_blend(const struct onednn_walk *walk, void *const data[], double alpha,
                       double beta);

#endif
