/* SPDX-License-Identifier: Apache-2.0 */
/* Dropout of what the last layer reads, in training alone. */
#ifndef LENET_DROPOUT_H
#define LENET_DROPOUT_H

#include "network.h"

/* Gives the network a dropout of that probability, for batches of at most `most` images. After a
 * failure, too, dropout_destroy is to be called. */
int dropout_create(struct network *net, double probability, int most, uint64_t seed);
void dropout_destroy(struct network *net);

/* In place, before the last layer and behind its gradients; nothing without dropout, or while the
 * network is not training. */
int dropout_forward(struct network *net, const struct network_batch *batch);
int dropout_backward(struct network *net, const struct network_batch *batch);

#endif
