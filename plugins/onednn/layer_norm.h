/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what both directions of layer and group normalization share: the sets of elements with
 * one mean and one variance, parameters, and the steps in our own code. */
#ifndef ONEDNN_LAYER_NORM_H
#define ONEDNN_LAYER_NORM_H

#include "activate.h"
#include "layer.h"

/* The sets of a normalization. Views have the dims of x, but the channels of groups are two dims:
 * the groups, and the channels of one. */
struct onednn_sets {
    int64_t count, size;            /* sets, and elements of one */
    uint32_t within;                /* bits of the dims within a set */
    struct onednn_view dense, work; /* x in float with whole sets, and as count rows of size */
    struct onednn_view cells;       /* an array of one value per set; stride 0 within a set */
};
struct onednn_sets onednn_sets_of(const struct onednn_build *build);

int32_t onednn_layer_norm_check(const struct anydnn_plugin_problem *problem,
                                struct kit_refusal *why);
uint32_t onednn_layer_norm_mode(const struct anydnn_plugin_operands *operands);

/* Returns an operand of either direction. Its strides are 0 where it does not vary. */
struct onednn_view onednn_sets_operand(const struct onednn_build *build, int32_t slot);
/* Sets view and place to those of a parameter, and returns 1 if the operand exists. */
int8_t onednn_sets_take(const struct onednn_build *build, int32_t slot, struct onednn_view *view,
                        struct onednn_place *place);
/* Returns the view with dims of 1 where its strides are 0. */
struct onednn_view onednn_sets_own(const struct onednn_view *view);
/* Returns an array of the type for the elements of a view, packed, with its broadcast dims. */
struct onednn_view onednn_sets_packed(const struct onednn_view *view, int32_t type);

/* Loads x or dy in float, as rows. */
int onednn_sets_load(struct onednn_build *build, const struct onednn_sets *sets, int32_t slot);

/* The statistics of the sets: what the primitive reads, and 1 / sqrt(variance + epsilon) in
 * double. */
struct onednn_sets_statistics {
    int mean, variance;
    struct onednn_place inverse;
};
/* Computes the statistics of v. */
struct onednn_sets_statistics onednn_sets_measure(struct onednn_build *build,
                                                  const struct onednn_sets *sets, int v);
/* Loads the statistics from two operands. */
struct onednn_sets_statistics onednn_sets_restore(struct onednn_build *build,
                                                  const struct onednn_sets *sets, int32_t mean_slot,
                                                  int32_t inverse_slot);

/* Describes the primitive over rows, which reads the statistics. The gradient treats them as
 * functions of x. */
dnnl_primitive_desc_t onednn_sets_describe(struct onednn_build *build,
                                           const struct onednn_sets *sets,
                                           dnnl_prop_kind_t direction, unsigned flags);

/* The parameters behind the normalization, as rows of steps use them. */
struct onednn_norm_act {
    struct onednn_activation activation;
    int8_t has_scale, has_bias, is_centered, sums_scale, sums_bias;
};
struct onednn_norm_act onednn_norm_act_of(const struct onednn_build *build);

/* The steps in our own code. Each takes the views and places of its tensors in the given order. An
 * absent tensor is replaced by the first one. */
void onednn_norm_add_row(void *arg, const struct onednn_walk *walk, char *const place[],
                         const int64_t stride[], int64_t n); /* v, x, z, sum? */
void onednn_norm_center_row(void *arg, const struct onednn_walk *walk, char *const place[],
                            const int64_t stride[], int64_t n); /* factor, scale */
void onednn_norm_finish_row(void *arg, const struct onednn_walk *walk, char *const place[],
                            const int64_t stride[], int64_t n); /* y, n, scale, bias */
void onednn_norm_undo_row(void *arg, const struct onednn_walk *walk, char *const place[],
                          const int64_t stride[], int64_t n); /* w, dy, v, mean, inverse, scale,
                                                                 bias, dscale, dbias */

#endif
