/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the convolutions ask one another. */
#ifndef CUDNN_CONVOLUTIONS_H
#define CUDNN_CONVOLUTIONS_H

#include "backend.h"

int cudnn_is_fused(const struct anydnn_plugin_problem *problem);
/* Of floats, of any length, rather than integers. */
int cudnn_is_float(const struct anydnn_plugin_problem *problem);
/* Whether float sums the products of a convolution of bytes without rounding. */
int cudnn_is_exact(const struct anydnn_plugin_problem *problem);
/* The operand that is the filter. */
int32_t cudnn_filter_slot(int32_t operation);

void cudnn_arrange_convolution(struct anydnn_plugin_plan *plan);
int32_t cudnn_check_convolution(const struct anydnn_plugin_problem *problem,
                                struct kit_refusal *why);

#endif
