/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between strided tensors of any types. These copies serve layouts that oneDNN cannot
 * describe, and alpha and beta, which are known only when a plan runs. */
#ifndef ONEDNN_WALK_H
#define ONEDNN_WALK_H

#include "../kit/walk.h"

/* The most dims: grouped filters have one more dim than plain ones, and so do vectors of
 * channels. */
#define ONEDNN_DIM_MAX      KIT_WALK_DIMS
#define ONEDNN_WALK_TENSORS 9

/* The elements that rows convert at a time. */
#define ONEDNN_CHUNK 256

/* A strided tensor: element i lies at first + sum(index[d] * strides[d]) elements. Strides may be
 * negative (a flipped filter) or 0 (a broadcast dim). */
struct onednn_view {
    int32_t type; /* ANYDNN_PLUGIN_xxx, but no vector type */
    int32_t ndims;
    int64_t first;
    int64_t dims[ONEDNN_DIM_MAX];
    int64_t strides[ONEDNN_DIM_MAX];
};

/* An iteration over tensors of equal dims, in the order of the first one's strides; in
 * bytes. */
struct onednn_walk {
    struct kit_walk steps;
    int32_t type[ONEDNN_WALK_TENSORS];
    int64_t first[ONEDNN_WALK_TENSORS];
};

/* Prepares an iteration. The first view is the one that is written. */
void onednn_walk_init(struct onednn_walk *walk, const struct onednn_view *const view[],
                      int32_t tensors);

/* Processes n elements of a row. Those of tensor t lie at place[t], stride[t] bytes apart. */
typedef void (*onednn_row_fn)(void *arg, const struct onednn_walk *walk, char *const place[],
                              const int64_t stride[], int64_t n);
void onednn_walk_run(const struct onednn_walk *walk, void *const data[], onednn_row_fn row,
                     void *arg);
/* Processes only the elements from index `begin` up to `end`, which may cut rows. */
void onednn_walk_range(const struct onednn_walk *walk, void *const data[], int64_t begin,
                       int64_t end, onednn_row_fn row, void *arg);

/* These functions convert n elements to double and back. The conversion back rounds once, to
 * nearest with ties to even. Integers also saturate, and for them NaN becomes 0. */
void onednn_row_load(double *to, int32_t type, const char *from, int64_t stride, int64_t n);
void onednn_row_store(int32_t type, char *to, int64_t stride, const double *from, int64_t n);

/* These functions convert n contiguous elements in vectors, with the same rounding: floats to half
 * or bfloat16, and half to floats. */
int onednn_converts(int32_t to_type, int32_t from_type);
void onednn_convert(int32_t to_type, void *to, int32_t from_type, const void *from, int64_t n);

/* Copies tensor 1 to tensor 0, with conversion. */
void onednn_walk_copy(const struct onednn_walk *walk, void *const data[]);

/* Computes tensor 0 = alpha * tensor 1 + beta * tensor 2, in double, rounded once. With beta 0,
 * tensor 2 is not read. Tensor 2 may be tensor 0. */
void onednn_walk_blend(const struct onednn_walk *walk, void *const data[], double alpha,
                       double beta);

#endif
