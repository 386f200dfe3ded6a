/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the files of the convolutions share. */
#ifndef CDN_CONVOLUTIONS_H
#define CDN_CONVOLUTIONS_H

#include "backend.h"
#include "engines.h"

/* The slot of an operand of the fused convolution, such as CDN_FUSED(bias). */
#define CDN_FUSED(name) slot_convolution_bias_activation_forward_##name

static inline int cdn_is_fused(const struct anydnn_plugin_problem *problem)
{
    return problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD;
}

/* Returns 1 if the operands are of a floating-point type, not integers. */
int cdn_is_float(const struct anydnn_plugin_problem *problem);
/* Returns 1 if float sums the products of a convolution of bytes without rounding. */
int cdn_is_exact(const struct anydnn_plugin_problem *problem);
/* Returns the slot of the filter. */
int32_t cdn_filter_slot(int32_t operation);

void cdn_arrange_convolution(struct anydnn_plugin_plan *plan);
int32_t cdn_check_convolution(const struct anydnn_plugin_problem *problem, struct kit_refusal *why);

/* These functions (conv_offers.c) check whether the host would accept an engine, as far as the
 * problem shows it, and offer all engines. */
int cdn_is_acceptable(const struct anydnn_plugin_problem *problem, const struct cdn_engine *engine);
int32_t cdn_offer_convolution(struct anydnn_plugin_plan *plan, struct kit_refusal *why,
                              anydnn_plugin_offer_fn offer, void *cookie);

#endif
