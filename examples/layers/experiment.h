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

enum { EXPERIMENT_LAYERS = 96, EXPERIMENT_NAME = 32 };

struct run {
    double loss[EXPERIMENT_POINTS]; /* means over so many steps each */
    double *accuracy;               /* in percent, after each epoch */
    double *weights;                /* after the last; NULL in what a table gave */
    double final_loss;              /* mean of the last epoch */
    double seconds;
    int skipped; /* steps */
};

struct experiment {
    const struct example *example;
    const struct options *o;
    int steps; /* of one training */
    int points;
    struct run run[MODES_AT_MOST][SEEDS_AT_MOST];
    int layers;
    char layer[EXPERIMENT_LAYERS][EXPERIMENT_NAME];
    /* Of the weights of each mode from the first's, over the way that these went in training: means
     * over the seeds. */
    double distance[MODES_AT_MOST][EXPERIMENT_LAYERS];
    int equal[MODES_AT_MOST]; /* seeds whose weights are the first mode's, bit for bit */
    /* While it runs: the network's parameters, in the order of the weights, and the weights before
     * the first step, in the first mode. */
    int items;
    struct parameter item[PARAMETERS_AT_MOST];
    size_t weights;
    double *begin[SEEDS_AT_MOST];
};

/* Distances and equal bits of what was trained. */
void experiment_measure(struct experiment *x);

/* Trains, prints the verdict, writes the files that were asked for. */
int experiment(const struct example *example, const struct options *o, const struct images *images,
               anydnnHandle_t handle);

/* The step at whose end point `p` of the curves lies. */
int experiment_step(const struct experiment *x, int point);

/* Reports, of a finished experiment. */
void verdict_print(const struct experiment *x);
int table_write(const struct experiment *x, const char *path);
/* Draws the page of an experiment whose table was written before, here or on another machine. */
int experiment_redraw(const struct example *example, struct options *o);
/* Fills the experiment, and what the options say of modes, seeds and epochs, from a table. */
int table_read(struct experiment *x, struct options *o, const char *path);
int chart_write(const struct experiment *x, const char *path);

#endif
