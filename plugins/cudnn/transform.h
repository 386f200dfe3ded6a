/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what transforms with and without pads and folds share: their types. */
#ifndef CDN_TRANSFORM_H
#define CDN_TRANSFORM_H

#include "backend.h"

/* The types between any two of which cuDNN transforms. */
#define CDN_TRANSFORMED (CDN_TYPE(FLOAT) | CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16) | CDN_TYPE(INT8))

#define CDN_TRANSFORM_SHORTS (CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16))

/* Returns 0 or a reason. cuDNN's transforms between double and another type run, but return
 * garbage. */
int32_t cdn_check_transform_types(const struct anydnn_plugin_problem *problem, uint32_t any,
                                  struct kit_refusal *why);

/* Moves operands to float if needed. cuDNN requires packed vectors of 4, does not support vectors
 * of 32, and does not convert between short types. All of these work through float, with one
 * rounding. */
void cdn_arrange_transform_types(struct anydnn_plugin_plan *plan);

#endif
