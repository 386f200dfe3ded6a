/* SPDX-License-Identifier: Apache-2.0 */
/* The window and coefficients that LRN across channels and divisive normalization share. */
#ifndef CUDA_SIMT_NORMALIZATION_WINDOW_H
#define CUDA_SIMT_NORMALIZATION_WINDOW_H

#include <anydnn/plugin.h>

/* The parameters of y = x * scale^-beta with scale = k + alpha * (sum of squares over the
 * window). */
struct cuda_lrn {
    int64_t before, after; /* the window of position i is i - before .. i + after */
    double alpha;          /* already divided by the number of positions in a window */
    double beta;
    double k;
};

/* Returns the parameters for a window over `dims` dims. They are rounded to the precision of the
 * scaling factors, as anydnn.h specifies. */
static inline struct cuda_lrn cuda_lrn_of(const struct anydnn_plugin_problem *problem, int32_t dims,
                                          int32_t type)
{
    const struct anydnn_plugin_lrn *params = (const struct anydnn_plugin_lrn *)problem->params;
    struct cuda_lrn made;

    made.before = (params->n - 1) / 2;
    made.after = params->n - 1 - made.before;
    made.alpha = type == ANYDNN_PLUGIN_DOUBLE ? params->alpha : (double)(float)params->alpha;
    made.beta = type == ANYDNN_PLUGIN_DOUBLE ? params->beta : (double)(float)params->beta;
    made.k = type == ANYDNN_PLUGIN_DOUBLE ? params->k : (double)(float)params->k;
    for (int32_t d = 0; d < dims; d++)
        made.alpha /= (double)params->n;
    return made;
}

#endif
