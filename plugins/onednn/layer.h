/* SPDX-License-Identifier: Apache-2.0 */
/* What pooling, softmax, LRN, normalizations and activations share: operands as dense arrays of
 * float, seen by oneDNN in other dims than the application's. */
#ifndef ONEDNN_LAYER_H
#define ONEDNN_LAYER_H

#include "build.h"

/* Types that go through float where oneDNN has none of their own: widening is exact, and results
 * are rounded once. */
#define ONEDNN_FLOATS_INT8 (ONEDNN_FLOATS | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_INT8))

/* oneDNN's exponential is 0 where half its result is no normal number, for arguments below -86.98.
 * Below the second limit even its product with the greatest number is less than half the least one.
 */
#define ONEDNN_EXP_LEAST   (-86.0)
#define ONEDNN_EXP_NOTHING (-193.0)

/* An array of that many elements. */
struct onednn_view onednn_flat(int64_t count);

/* A dense view as (outer, the dim `along`, 1, inner): what lies outside of the dim in memory, and
 * what lies within. Where nothing lies within, as (1, the dim, outer, 1), which is a packed NHWC
 * image. Both are 4-D, as oneDNN's fast kernels want them. */
struct onednn_view onednn_around(const struct onednn_view *dense, int32_t along);

/* An operand as `dense` in memory and as `work`, of as many elements, for oneDNN. */
int onednn_load_as(struct onednn_build *build, int32_t slot, const struct onednn_view *dense,
                   const struct onednn_view *work);

/* A result in the same sense: `memory` is what a primitive writes. */
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

/* A temporary of float. */
int onednn_temporary_as(struct onednn_build *build, const struct onednn_view *work);

/* Whether an input lies where the output does: the primitive must not write there while our own
 * code still reads. */
int onednn_in_place(const struct onednn_build *build, int32_t out, int32_t in);
/* The same before a plan is built; and a refusal where it is so. */
int onednn_lies_on(const struct anydnn_plugin_problem *problem, int32_t out, int32_t in);
int32_t onednn_check_apart(const struct anydnn_plugin_problem *problem, int32_t out, int32_t in,
                           struct kit_refusal *why);

/* Whether each of n numbers is `most` or less; NaN is not. */
int onednn_none_above(const float *x, int64_t n, float most);
/* The same of their sizes. */
int onednn_none_beyond(const float *x, int64_t n, float most);

/* Applies `row` to every element of views over places, as a step of our own. `data` of `size` bytes
 * is copied; the row gets it and the call. */
struct onednn_row_call {
    const struct onednn_call *call;
    const void *data;
};
struct onednn_rows {
    struct onednn_walk walk;
    struct onednn_place place[ONEDNN_WALK_TENSORS];
    onednn_row_fn row; /* arg: struct onednn_row_call */
    char data[64];
};
void onednn_run_rows(struct onednn_build *build, onednn_row_fn row, const void *data, size_t size,
                     const struct onednn_view *const view[], const struct onednn_place place[],
                     int32_t tensors);

#endif
