/* SPDX-License-Identifier: Apache-2.0 */
/* One pass through the network: forward, backward, and the update of the parameters. */
#ifndef LENET_PASS_H
#define LENET_PASS_H

#include "network.h"

/* The largest workspace that any convolution of the three passes asks for. */
int pass_workspace(struct network *net, const struct network_batch *batch, size_t *bytes);

/* From net->in[0] to net->log_probability. */
int pass_forward(struct network *net, const struct network_batch *batch);

/* From net->target, and what the forward pass left, to net->gradients. */
int pass_backward(struct network *net, const struct network_batch *batch);

/* Gradient descent with momentum: v = momentum v + g, then w = w - rate v. */
int pass_update(struct network *net, double rate, double momentum);

#endif
