/* SPDX-License-Identifier: Apache-2.0 */
/* What transforms with and without pads and folds share: their types. */
#ifndef CDN_TRANSFORM_H
#define CDN_TRANSFORM_H

#include "backend.h"

/* Types between any two of which cuDNN transforms. */
#define CDN_TRANSFORMED (CDN_TYPE(FLOAT) | CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16) | CDN_TYPE(INT8))

#define CDN_TRANSFORM_SHORTS (CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16))

/* 0, or the reason. Between double and another type cuDNN's transforms run and give garbage. */
int32_t cdn_check_transform_types(const struct anydnn_plugin_problem *problem, uint32_t any,
                                  struct kit_refusal *why);

/* cuDNN takes vectors of 4 packed, of 32 not at all, and does not go from one short type to the
 * other: by way of float all of that goes, and is rounded once. */
void cdn_arrange_transform_types(struct anydnn_plugin_plan *plan);

#endif
