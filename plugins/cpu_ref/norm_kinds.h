/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what both directions of layer, group and RMS normalization share. A set holds the
 * elements with one mean and one deviation. Types differ by operand, so rows pass through
 * doubles. */
#ifndef CPU_REF_NORM_KINDS_H
#define CPU_REF_NORM_KINDS_H

#include "activate.h"
#include "mixed.h"
#include "walk.h"

/* A dim of an iteration: `size` steps of `by` along dim `of` of x. */
struct norm_dim {
    int64_t size;
    int64_t by;
    int32_t of;
};

/* The dims of x. The channels of groups are two of them: the groups, and the channels of one. */
struct norm_dims {
    struct norm_dim dim[ANYDNN_PLUGIN_DIM_MAX + 1];
    int32_t count;
    uint32_t within; /* bits of the dims within a set */
    int64_t sets;
    int64_t size; /* elements of a set */
};

/* The values that a set's elements share. */
struct norm_cell {
    double mean, shift; /* the mean is the sum of both, which one number would round */
    double inv_dev;
    double mean_w;  /* mean of the gradients times their factors; backward only */
    double mean_wn; /* the same, times the normalized elements */
};

/* The way to v = x + z, rounded to the type of sum. x is operand 0 of an iteration. */
struct norm_input {
    const struct cpu_ref_mixed *x, *z, *sum; /* z and sum may be NULL */
    int32_t z_at;                            /* number of z in the iteration */
};

/* The activation and the factor of a plan. */
struct norm_settings {
    int32_t is_rms, is_centered, activation, nan_propagate;
    double coef, epsilon;
};

void cpu_ref_norm_dims(const struct anydnn_plugin_problem *problem, struct norm_dims *dims);
struct norm_settings cpu_ref_norm_settings(const struct anydnn_plugin_problem *problem);

/* Makes an iteration over the dims in `mask`. A tensor that is NULL is the array of cells. Those in
 * `saved` hold one element for each set. */
void cpu_ref_norm_walk(const struct norm_dims *dims, uint32_t mask,
                       const struct anydnn_plugin_tensor *const tensor[], int32_t tensors,
                       uint32_t saved, struct kit_walk *walk);

/* Loads v of n elements of a row, from number `begin`; n is at most CPU_REF_MIXED_ROW. */
void cpu_ref_norm_load(const struct norm_input *input, void *const place[], const int64_t stride[],
                       int64_t begin, int64_t n, double *v);

/* Computes mean and 1 / sqrt(variance + epsilon) of a set. */
void cpu_ref_norm_statistics(const struct norm_input *input, const struct kit_walk *set,
                             void *const data[], const struct norm_settings *settings,
                             struct norm_cell *cell);

/* Loads n elements of an operand, or fills in `otherwise` where it is absent (type NULL). */
void cpu_ref_norm_operand(const struct cpu_ref_mixed *type, const void *place, int64_t stride,
                          int64_t begin, int64_t n, double otherwise, double *to);

/* Returns the normalized element of a set. */
static inline double norm_normal(const struct norm_cell *cell, double v)
{
    return (v - cell->mean - cell->shift) * cell->inv_dev;
}

/* Returns the factor of the normalized element. `scale` is 1 - is_centered where it is absent. */
static inline double norm_factor(const struct norm_settings *settings, double scale)
{
    return settings->is_centered ? 1 + scale : scale;
}

/* Returns what stands for an absent scale, so that the factor is 1. */
static inline double norm_no_scale(const struct norm_settings *settings)
{
    return settings->is_centered ? 0 : 1;
}

/* Returns 0, since types were checked by the host: any floating types, or all double. */
int32_t cpu_ref_norm_check_types(const struct anydnn_plugin_problem *problem,
                                 struct kit_refusal *why);

#endif
