/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of a training step. */
#ifndef LAYERS_PASS_H
#define LAYERS_PASS_H

#include "net.h"

/* From value 0 to the logarithms of the classes' probabilities. */
int pass_forward(struct net *net, const struct net_batch *batch);

/* From the target to the gradients of all parameters. */
int pass_backward(struct net *net, const struct net_batch *batch);

#endif
