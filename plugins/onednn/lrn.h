/* SPDX-License-Identifier: Apache-2.0 */
/* Implements LRN in our own code, for windows that oneDNN lacks or gets wrong. */
#ifndef ONEDNN_LRN_H
#define ONEDNN_LRN_H

#include "layer.h"

/* The channels of the widest window. */
#define ONEDNN_LRN_WINDOW_MAX 16

/* An LRN over dense arrays of (outer, channels, inner). y = x * scale^-beta with scale = k + alpha
 * * (sum of x^2 over channels c - before .. c + after). */
struct onednn_lrn_own {
    int64_t outer, channels, inner;
    int64_t before, after;
    double alpha; /* divided by n */
    double beta, k;
    struct onednn_place x, dy, out; /* out is y, or dx */
};

/* These steps take a struct onednn_lrn_own. */
void onednn_lrn_own_forward(const struct onednn_call *call, const void *data);
void onednn_lrn_own_backward(const struct onednn_call *call, const void *data);

#endif
