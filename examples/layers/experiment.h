/* SPDX-License-Identifier: Apache-2.0 */
/* The same trainings, from the same seeds and over the same orders of images, in several modes:
 * what each run leaves, side by side. */
#ifndef LAYERS_EXPERIMENT_H
#define LAYERS_EXPERIMENT_H

#include "dataset.h"
#include "example.h"
#include "options.h"
#include "parameters.h"

enum { EXPERIMENT_POINTS = 100 };

struct images {
    struct dataset train;
    struct dataset test;
};

struct run {
    double loss[EXPERIMENT_POINTS]; /* means over so many steps each */
    double *accuracy;               /* in percent, after each epoch */
    double *weights;                /* after the last */
    double final_loss;              /* mean of the last epoch */
    double seconds;
    int skipped; /* steps */
};

struct experiment {
    const struct example *example;
    const struct options *o;
    int steps; /* of one training */
    int points;
    int items; /* the network's parameters, in the order of the weights */
    struct parameter item[PARAMETERS_AT_MOST];
    size_t weights;
    struct run run[MODES_AT_MOST][SEEDS_AT_MOST];
    double *begin[SEEDS_AT_MOST]; /* weights before the first step, in the first mode */
};

/* Trains, prints the verdict, writes the files that were asked for. */
int experiment(const struct example *example, const struct options *o, const struct images *images,
               anydnnHandle_t handle);

/* The step at whose end point `p` of the curves lies. */
int experiment_step(const struct experiment *x, int point);

/* Reports, of a finished experiment. */
void verdict_print(const struct experiment *x);
int table_write(const struct experiment *x, const char *path);
int chart_write(const struct experiment *x, const char *path);

#endif
