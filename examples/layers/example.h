/* SPDX-License-Identifier: Apache-2.0 */
/* What makes one example: its images, its network, how it is trained by default. */
#ifndef LAYERS_EXAMPLE_H
#define LAYERS_EXAMPLE_H

#include <stdint.h>

#include "dataset.h"
#include "net.h"
#include "train.h"

struct options;

struct example {
    const char *name;  /* of the program */
    const char *title; /* of the network */
    const char *about; /* a line of help */
    const char *data;  /* what --data takes */
    int channels;
    int side;
    int train_images; /* drawn where none are asked for */
    int test_images;
    struct training training;
    /* The first `limit` images of the folder, all for 0. */
    int (*read)(struct dataset *set, const char *folder, int test, int limit);
    int (*draw)(struct dataset *set, int count, uint64_t seed, int test);
    /* Adds the layers behind value 0. */
    void (*build)(struct net *net, double dropout, uint64_t seed);
};

/* The program; gives its exit status. */
int example_main(const struct example *example, int argc, char **argv);

/* A network of the example, for batches of its largest size. */
int example_network(const struct example *example, const struct options *o,
                    const struct element *element, anydnnMathType_t math, uint64_t seed,
                    anydnnHandle_t handle, struct net *net);

#endif
