/* SPDX-License-Identifier: Apache-2.0 */
/* Forward convolution of 8-bit integers. */
#ifndef ONEDNN_CONV_INTEGER_H
#define ONEDNN_CONV_INTEGER_H

#include "conv.h"

/* With signed inputs oneDNN adds 128 to each and takes 128 times the filter's sum away in the end:
 * 255 * 128 * 514 is the most below 2^24, up to which float holds whole numbers. */
#define ONEDNN_PRODUCTS_MAX 514
/* Parts that one sum is made of at most. */
#define ONEDNN_PARTS_MAX 12

int onednn_conv_of_integers(const struct anydnn_plugin_problem *problem);
int32_t onednn_conv_integer_check(const struct anydnn_plugin_problem *problem,
                                  const struct onednn_conv_roles *roles, struct kit_refusal *why);
/* The plain operation or the fused one, as the problem says. */
void onednn_conv_integer_build(struct onednn_build *build, const struct onednn_conv_roles *roles);

#endif
