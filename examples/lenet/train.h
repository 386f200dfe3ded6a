/* SPDX-License-Identifier: Apache-2.0 */
/* Epochs of training, and testing, over sets of images in host memory. */
#ifndef LENET_TRAIN_H
#define LENET_TRAIN_H

#include "dataset.h"
#include "network.h"
#include "progress.h"
#include "random.h"

enum { TEST_BATCH = 500 };

struct trainer {
    struct network *net;
    struct network_batch step;      /* a full batch */
    struct network_batch last_step; /* what is left of an epoch; count 0 if nothing is */
    struct network_batch test;
    struct network_batch last_test;
    const struct dataset *images;
    const struct dataset *test_images;
    double rate;
    double momentum;
    struct random shuffling;
    int *order;      /* of the training images in this epoch */
    char *pixel;     /* each of the 256 byte values as an element */
    void *staging;   /* one batch on its way to the handle's memory and back */
    double *guesses; /* log-probabilities of one batch */
};

/* After a failure, too, trainer_destroy is to be called. */
int trainer_create(struct trainer *t, struct network *net, const struct dataset *images,
                   const struct dataset *test_images, int batch, uint64_t seed);
void trainer_destroy(struct trainer *t);

/* One pass over the training images in a new order; gives the mean loss. The calls of its last step
 * go into `report` unless that is NULL. */
int trainer_epoch(struct trainer *t, struct progress *progress, struct report *report,
                  double *loss);

/* Gives how many of the test images are recognized. */
int trainer_test(struct trainer *t, int *right);

#endif
