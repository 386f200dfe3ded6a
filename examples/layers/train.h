/* SPDX-License-Identifier: Apache-2.0 */
/* Epochs of training, and testing, over sets of images in host memory. */
#ifndef LAYERS_TRAIN_H
#define LAYERS_TRAIN_H

#include "dataset.h"
#include "net.h"
#include "progress.h"
#include "random.h"

enum { TEST_BATCH = 500 };

/* How a network is trained. */
struct training {
    double learning_rate;
    double momentum;
    double decay; /* of the weights */
    int falling;  /* the rate falls to 0 along a half of a cosine, else it stays */
    int batch;
    int epochs;
    int recorded;  /* a full batch's calls are recorded once, and then replayed */
    uint64_t seed; /* of the order of images */
};

/* Is told the loss of each step, before `done` counts it. */
typedef void (*trainer_step_fn)(void *cookie, int step, double loss);

struct trainer {
    struct net *net;
    const struct training *how;
    struct net_batch step;      /* a full batch */
    struct net_batch last_step; /* what is left of an epoch; count 0 if nothing is */
    struct net_batch test;
    struct net_batch last_test;
    const struct dataset *images;
    const struct dataset *test_images;
    struct random shuffling;
    int done;                    /* steps */
    int warm;                    /* a full batch's calls have run, and so have their plans */
    anydnnRecording_t recording; /* of them */
    int *order;                  /* of the training images in this epoch */
    char *pixel;                 /* each of the 256 byte values as an element */
    void *staging;               /* one batch on its way to the handle's memory and back */
    double *guesses;             /* log-probabilities of one batch */
    trainer_step_fn each;
    void *cookie;
};

/* Images in the largest batch, which net_begin wants. */
int trainer_most(const struct training *how);
/* Steps in all epochs. */
int trainer_steps(const struct training *how, const struct dataset *images);

/* After a failure, too, trainer_destroy is to be called. */
int trainer_create(struct trainer *t, struct net *net, const struct training *how,
                   const struct dataset *images, const struct dataset *test_images);
void trainer_destroy(struct trainer *t);

/* One pass over the training images in a new order; gives the mean loss. The calls of its last step
 * go into `report` unless that is NULL; progress may be NULL. */
int trainer_epoch(struct trainer *t, struct progress *progress, struct report *report,
                  double *loss);

/* Gives how many of the test images are recognized. */
int trainer_test(struct trainer *t, int *right);

#endif
