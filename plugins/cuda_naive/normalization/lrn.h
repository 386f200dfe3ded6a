/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the window and the coefficients that LRN across channels and divisive normalization
 * share. */
#ifndef CUDA_NAIVE_NORMALIZATION_LRN_H
#define CUDA_NAIVE_NORMALIZATION_LRN_H

#include "../naive.h"

/* The window and the coefficients of y = x * s^-beta with s = k + alpha * (sum of squares over
 * the window). */
struct lrn_window {
    int64_t before, after; /* the window of position i is i - before .. i + after */
    double alpha;          /* already divided by the number of positions in a window */
    double beta;
    double k;
};

/* Returns the window of a problem that extends along `dims` dims. The parameters are rounded to
 * the type of the scaling factors, as anydnn.h specifies. */
static inline lrn_window lrn_window_of(const struct anydnn_plugin_plan *plan, int dims)
{
    const struct anydnn_plugin_lrn *params = (const struct anydnn_plugin_lrn *)plan->problem.params;
    int is_double = plan->problem.tensor[0]->type == ANYDNN_PLUGIN_DOUBLE;
    lrn_window made;

    made.before = (params->n - 1) / 2;
    made.after = params->n - 1 - made.before;
    made.alpha = is_double ? params->alpha : (double)(float)params->alpha;
    made.beta = is_double ? params->beta : (double)(float)params->beta;
    made.k = is_double ? params->k : (double)(float)params->k;
    for (int d = 0; d < dims; d++)
        made.alpha /= (double)params->n;
    return made;
}

/* Clips the range i - before .. i + after to 0 .. extent - 1. */
__device__ static inline void lrn_cut(int64_t i, int64_t before, int64_t after, int64_t extent,
                                      int64_t *first, int64_t *last)
{
    *first = i > before ? i - before : 0;
    *last = i + after < extent ? i + after : extent - 1;
}

#endif
