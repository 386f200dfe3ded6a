/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the passes of a training step. */
#ifndef LAYERS_PASS_H
#define LAYERS_PASS_H

#include "net.h"

/* Computes the logarithms of the classes' probabilities from value 0. */
int pass_forward(struct net *net, const struct net_batch *batch);

/* Computes the gradients of all parameters from the target. */
int pass_backward(struct net *net, const struct net_batch *batch);

#endif
