/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what pooling, softmax, LRN, normalizations and activations share: operands as dense
 * arrays of float, which oneDNN views with other dims than the application. */
#ifndef ONEDNN_LAYER_H
#define ONEDNN_LAYER_H

#include "build.h"

/* The types that are converted to float where oneDNN does not support them. The conversion is
 * exact, and results are rounded once. */
#define ONEDNN_FLOATS_INT8 (ONEDNN_FLOATS | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8))

/* The limits of oneDNN's exponential. It returns 0 where half its result is subnormal, for
 * arguments below -86.98. Below the second limit, even its product with the largest float is less
 * than half the smallest subnormal. */
#define ONEDNN_EXP_LEAST   (-86.0)
#define ONEDNN_EXP_NOTHING (-193.0)

/* Returns an array of `count` elements. */
struct onednn_view onednn_flat(int64_t count);

/* Returns a dense view as (outer, the dim `along`, 1, inner). Outer and inner are the products of
 * the dims outside and inside it in memory. If inner is 1, returns (1, the dim, outer, 1), which is
 * a packed NHWC image. Both are 4-D, as oneDNN's fast kernels require. */
struct onednn_view onednn_around(const struct onednn_view *dense, int32_t along);

/* Loads an operand in the memory order `dense`. oneDNN sees it as `work`, which has as many
 * elements. */
int onednn_load_as(struct onednn_build *build, int32_t slot, const struct onednn_view *dense,
                   const struct onednn_view *work);

/* A result with these two views. `memory` is what a primitive writes. */
struct onednn_output {
    int32_t slot;
    struct onednn_view dense;
    int plain; /* the memory under the layout of `dense` */
    int memory;
};
struct onednn_output onednn_result_as(struct onednn_build *build, int32_t slot,
                                      const struct onednn_view *dense,
                                      const struct onednn_view *work);
void onednn_store_as(struct onednn_build *build, const struct onednn_output *output,
                     int32_t scale_at);

/* Returns a temporary of float. */
int onednn_temporary_as(struct onednn_build *build, const struct onednn_view *work);

/* Returns 1 if the output lies on the input. The primitive must not write there while our own code
 * still reads. */
int onednn_in_place(const struct onednn_build *build, int32_t out, int32_t in);
/* These functions check the same before a plan is built; the second one fills in a refusal. */
int onednn_lies_on(const struct anydnn_plugin_problem *problem, int32_t out, int32_t in);
int32_t onednn_check_apart(const struct anydnn_plugin_problem *problem, int32_t out, int32_t in,
                           struct kit_refusal *why);

/* Returns 1 if all n numbers are at most `most`. NaN is not. */
int onednn_none_above(const float *x, int64_t n, float most);
/* Returns 1 if the absolute values of all n numbers are at most `most`. NaN is not. */
int onednn_none_beyond(const float *x, int64_t n, float most);

/* Adds a step of our own that applies `row` to all elements of views over places. The step copies
 * `data`, which has `size` bytes; the row gets the copy and the call. */
struct onednn_row_call {
    const struct onednn_call *call;
    const void *data;
};
struct onednn_rows {
    struct onednn_walk walk;
    struct onednn_place place[ONEDNN_WALK_TENSORS];
    onednn_row_fn row; /* its arg is a struct onednn_row_call */
    char data[64];
    int64_t pieces, piece;             /* pieces that threads share, and elements of one */
    size_t apart[ONEDNN_WALK_TENSORS]; /* bytes from a tensor of one piece to that of the next */
};
void onednn_run_rows(struct onednn_build *build, onednn_row_fn row, const void *data, size_t size,
                     const struct onednn_view *const view[], const struct onednn_place place[],
                     int32_t tensors);
/* Does the same in pieces that threads share. `apart` may be NULL; otherwise each piece has tensors
 * of its own, so many bytes after those of the piece before. */
void onednn_share_rows(struct onednn_build *build, onednn_row_fn row, const void *data, size_t size,
                       const struct onednn_view *const view[], const struct onednn_place place[],
                       int32_t tensors, int64_t pieces, const size_t apart[]);
/* Returns a number of pieces for elementwise work on a view. */
int64_t onednn_pieces_of(const struct onednn_view *view);

#endif
