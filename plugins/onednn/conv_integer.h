/* SPDX-License-Identifier: Apache-2.0 */
/* Declares forward convolution of 8-bit integers. */
#ifndef ONEDNN_CONV_INTEGER_H
#define ONEDNN_CONV_INTEGER_H

#include "conv.h"

/* The largest number of products whose sum is exact. For signed inputs, oneDNN adds 128 to each
 * input, and finally subtracts 128 times the sum of the filter. 255 * 128 * 514 is the largest such
 * sum below 2^24, up to which float is exact. */
#define ONEDNN_PRODUCTS_MAX 514
/* The largest number of parts per sum. */
#define ONEDNN_PARTS_MAX 12

int onednn_conv_of_integers(const struct anydnn_plugin_problem *problem);
int32_t onednn_conv_integer_check(const struct anydnn_plugin_problem *problem,
                                  const struct onednn_conv_roles *roles, struct kit_refusal *why);
/* Builds the plain or the fused operation, depending on the problem. */
void onednn_conv_integer_build(struct onednn_build *build, const struct onednn_conv_roles *roles);

#endif
