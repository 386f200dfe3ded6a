/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the same trainings in several modes, from the same seeds and with the same orders of
 * images. It keeps the results of all runs. */
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

enum { EXPERIMENT_LAYERS = 96, EXPERIMENT_NAME = 32, EXPERIMENT_LINE = 256 };

struct run {
    double loss[EXPERIMENT_POINTS]; /* each is the mean over several steps */
    double *accuracy;               /* in percent, after each epoch */
    double *weights;                /* after the last epoch; NULL if read from a table */
    double final_loss;              /* mean of the last epoch */
    double seconds;
    int skipped; /* skipped steps */
};

struct experiment {
    const struct example *example;
    const struct options *o;
    int steps; /* steps of one training */
    int points;
    struct run run[MODES_AT_MOST][SEEDS_AT_MOST];
    char mode[MODES_AT_MOST][EXPERIMENT_LINE]; /* the options' modes if read from a table */
    int layers;
    char layer[EXPERIMENT_LAYERS][EXPERIMENT_NAME];
    /* The distances of each mode's weights from the first mode's, as means over the seeds. They are
     * relative to the change of the first mode's weights in training. */
    double distance[MODES_AT_MOST][EXPERIMENT_LAYERS];
    int equal[MODES_AT_MOST]; /* seeds whose weights equal the first mode's bit for bit */
    /* The following members are used while it runs: the network's parameters, in the order of the
     * weights, and the first mode's weights before the first step. */
    int items;
    struct parameter item[PARAMETERS_AT_MOST];
    size_t weights;
    double *begin[SEEDS_AT_MOST];
};

/* Computes distances, and counts the seeds with equal weights, after the trainings. */
void experiment_measure(struct experiment *x);

/* Trains, prints the verdict, and writes the requested files. */
int experiment(const struct example *example, const struct options *o, const struct images *images,
               anydnnHandle_t handle);

/* Returns the step at the end of point `point` of the curves. */
int experiment_step(const struct experiment *x, int point);

/* These functions report a finished experiment. */
void verdict_print(const struct experiment *x);
int table_write(const struct experiment *x, const char *path);
/* Draws the page of an experiment whose table was written earlier, here or on another machine. */
int experiment_redraw(const struct example *example, struct options *o);
/* Fills in the experiment, and the options' modes, seeds and epochs, from a table. */
int table_read(struct experiment *x, struct options *o, const char *path);
int chart_write(const struct experiment *x, const char *path);

#endif
