/* SPDX-License-Identifier: Apache-2.0 */
/* LRN by our own code, for windows that oneDNN lacks or has wrong. */
#ifndef ONEDNN_LRN_H
#define ONEDNN_LRN_H

#include "layer.h"

/* Channels of the widest window. */
#define ONEDNN_LRN_WINDOW_MAX 16

/* Dense arrays of (outer, channels, inner). y = x * scale^-beta with scale = k + alpha * (sum of
 * x^2 over channels c - before .. c + after). */
struct onednn_lrn_own {
    int64_t outer, channels, inner;
    int64_t before, after;
    double alpha; /* divided by n */
    double beta, k;
    struct onednn_place x, dy, out; /* out: y, or dx */
};

/* Steps; data: struct onednn_lrn_own. */
void onednn_lrn_own_forward(const struct onednn_call *call, const void *data);
void onednn_lrn_own_backward(const struct onednn_call *call, const void *data);

#endif
