/* SPDX-License-Identifier: Apache-2.0 */
/* Defines an example: its images, its network, its default training. */
#ifndef LAYERS_EXAMPLE_H
#define LAYERS_EXAMPLE_H

#include <stdint.h>

#include "dataset.h"
#include "net.h"
#include "train.h"

struct options;

struct example {
    const char *name;  /* name of the program */
    const char *title; /* name of the network */
    const char *about; /* line of the help text */
    const char *data;  /* description of --data */
    int channels;
    int side;
    int train_images; /* number of drawn images by default */
    int test_images;
    struct training training;
    /* Reads the first `limit` images of the folder; 0 reads all. */
    int (*read)(struct dataset *set, const char *folder, int test, int limit);
    int (*draw)(struct dataset *set, int count, uint64_t seed, int test);
    /* Adds the layers after value 0. */
    void (*build)(struct net *net, double dropout, uint64_t seed);
};

/* Runs the program. Returns its exit status. */
int example_main(const struct example *example, int argc, char **argv);

/* Creates a network of the example, for batches of its largest size. */
int example_network(const struct example *example, const struct options *o,
                    const struct element *element, anydnnMathType_t math, uint64_t seed,
                    anydnnHandle_t handle, struct net *net);

#endif
