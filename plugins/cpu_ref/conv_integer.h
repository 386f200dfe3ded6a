/* SPDX-License-Identifier: Apache-2.0 */
/* Declares forward convolution of integers: its types and its run functions. */
#ifndef CPU_REF_CONV_INTEGER_H
#define CPU_REF_CONV_INTEGER_H

#include "conv.h"

/* Returns 1 if x is of an integer type, so that the following functions apply. */
int cpu_ref_conv_of_integers(const struct anydnn_plugin_problem *problem);

/* Refuses unsupported combinations of x, w and y. */
int32_t cpu_ref_conv_integer_types(const struct anydnn_plugin_problem *problem,
                                   const struct conv_roles *roles, struct kit_refusal *why);

/* Computes y = alpha * conv(x, w) + beta * y. */
int32_t cpu_ref_conv_integer_plain(const struct anydnn_plugin_plan *plan,
                                   const struct anydnn_plugin_operands *operands);

/* Computes y = activation(alpha1 * conv(x, w) + alpha2 * z + bias). With alpha2 0, z is not
 * read. */
int32_t cpu_ref_conv_integer_fused(const struct anydnn_plugin_plan *plan,
                                   const struct anydnn_plugin_operands *operands);

#endif
