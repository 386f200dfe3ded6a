/* SPDX-License-Identifier: Apache-2.0 */
/* Declares epochs of training, and testing, on sets of images in host memory. */
#ifndef LAYERS_TRAIN_H
#define LAYERS_TRAIN_H

#include "dataset.h"
#include "net.h"
#include "progress.h"
#include "random.h"

enum { TEST_BATCH = 500 };

/* The parameters of a training. */
struct training {
    double learning_rate;
    double momentum;
    double decay; /* weight decay */
    int falling;  /* 1 if the rate falls to 0 along half a cosine, 0 if it is constant */
    int batch;
    int epochs;
    int recorded;  /* 1 if a full batch's calls are recorded once and then replayed */
    uint64_t seed; /* determines the order of images */
};

/* Receives the loss of each step, before `done` counts the step. */
typedef void (*trainer_step_fn)(void *cookie, int step, double loss);

struct trainer {
    struct net *net;
    const struct training *how;
    struct net_batch step;      /* full batch */
    struct net_batch last_step; /* remainder of an epoch; count is 0 if there is none */
    struct net_batch test;
    struct net_batch last_test;
    const struct dataset *images;
    const struct dataset *test_images;
    struct random shuffling;
    int done;                    /* completed steps */
    int warm;                    /* 1 once a full batch has run, so that its plans exist */
    anydnnRecording_t recording; /* recording of a full batch's calls */
    int *order;                  /* order of the training images in this epoch */
    char *pixel;                 /* all 256 byte values as elements */
    void *staging;               /* one batch, for copies to and from the handle's memory */
    double *guesses;             /* log-probabilities of one batch */
    trainer_step_fn each;
    void *cookie;
};

/* Returns the images of the largest batch, which net_begin requires. */
int trainer_most(const struct training *how);
/* Returns the steps of all epochs. */
int trainer_steps(const struct training *how, const struct dataset *images);

/* Creates a trainer. trainer_destroy must also be called after a failure. */
int trainer_create(struct trainer *t, struct net *net, const struct training *how,
                   const struct dataset *images, const struct dataset *test_images);
void trainer_destroy(struct trainer *t);

/* Trains on all images once, in a new order, and computes the mean loss. The calls of the last step
 * are noted in `report`, unless that is NULL. progress may be NULL. */
int trainer_epoch(struct trainer *t, struct progress *progress, struct report *report,
                  double *loss);

/* Counts the test images that are recognized. */
int trainer_test(struct trainer *t, int *right);

#endif
