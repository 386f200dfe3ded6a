/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what softmax forward and backward share: the vectors. */
#ifndef ONEDNN_SOFTMAX_H
#define ONEDNN_SOFTMAX_H

#include "layer.h"

/* The algorithms of struct anydnn_plugin_softmax. */
enum { ONEDNN_SOFTMAX_FAST, ONEDNN_SOFTMAX_ACCURATE, ONEDNN_SOFTMAX_LOG };

int32_t onednn_softmax_check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);

/* The views of an operand: dense, and as (outer, vector, inner). Vectors run along the second
 * dim. */
struct onednn_softmax_shape {
    struct onednn_view dense, work;
};
struct onednn_softmax_shape onednn_softmax_shape_of(const struct onednn_build *build, int32_t slot);

#endif
