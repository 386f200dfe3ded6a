/* SPDX-License-Identifier: Apache-2.0 */
/* Forward convolution of integers: its types and its run functions. */
#ifndef CPU_REF_CONV_INTEGER_H
#define CPU_REF_CONV_INTEGER_H

#include "conv.h"

/* Whether x is of an integer type, so that what follows is about it. */
int cpu_ref_conv_of_integers(const struct anydnn_plugin_problem *problem);

/* Refuses other combinations of x, w and y than there are. */
int32_t cpu_ref_conv_integer_types(const struct anydnn_plugin_problem *problem,
                                   const struct conv_roles *roles, struct kit_refusal *why);

/* y = alpha * conv(x, w) + beta * y. */
int32_t cpu_ref_conv_integer_plain(const struct anydnn_plugin_plan *plan,
                                   const struct anydnn_plugin_operands *operands);

/* y = activation(alpha1 * conv(x, w) + alpha2 * z + bias); with alpha2 0, z is not read. */
int32_t cpu_ref_conv_integer_fused(const struct anydnn_plugin_plan *plan,
                                   const struct anydnn_plugin_operands *operands);

#endif
