/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what LRN across channels and divisive normalization share: the window and the
 * coefficients. */
#ifndef CPU_REF_LRN_H
#define CPU_REF_LRN_H

#include "cpu_ref.h"

#define LRN_WINDOW_MAX 16

/* The coefficients of y = x * scale^-beta with scale = k + alpha * (sum of squares over the
 * window). */
struct lrn_coefficients {
    int64_t n;
    int64_t before, after; /* the window of position i is i - before .. i + after */
    double alpha;          /* divided by the number of positions in a window */
    double beta;
    double k;
};

/* Returns the coefficients. `dims` is the number of dims of the window. */
static inline struct lrn_coefficients lrn_coefficients(const struct anydnn_plugin_problem *problem,
                                                       int32_t dims, int32_t type)
{
    const struct anydnn_plugin_lrn *params = problem->params;
    int64_t before = (params->n - 1) / 2;
    struct lrn_coefficients made = {.n = params->n,
                                    .before = before,
                                    .after = params->n - 1 - before,
                                    .alpha = params->alpha,
                                    .beta = params->beta,
                                    .k = params->k};

    /* The parameters have the precision of the scaling factors, as anydnn.h specifies. */
    if (type != ANYDNN_PLUGIN_DOUBLE) {
        made.alpha = (float)made.alpha;
        made.beta = (float)made.beta;
        made.k = (float)made.k;
    }
    for (int32_t d = 0; d < dims; d++)
        made.alpha /= (double)made.n;
    return made;
}

#endif
