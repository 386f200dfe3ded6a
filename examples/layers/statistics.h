/* SPDX-License-Identifier: Apache-2.0 */
/* Declares means, confidence intervals and distances of an experiment's runs. */
#ifndef LAYERS_STATISTICS_H
#define LAYERS_STATISTICS_H

#include "experiment.h"

struct spread {
    double mean;
    double deviation; /* sample deviation; 0 for one value */
    double half;      /* half the 95 % interval of the mean by Student's t; 0 for one value */
    double least;
    double most;
};

struct spread statistics_spread(const double *values, int count);

/* Returns the final test accuracy of mode `m` over the seeds. */
struct spread statistics_accuracy(const struct experiment *x, int m);
/* Returns the difference of mode m's final accuracy from the first mode's, seed by seed. */
struct spread statistics_difference(const struct experiment *x, int m);
/* Returns the root mean square difference between two trainings of the first mode that only differ
 * in their seed. */
double statistics_seeds(const struct experiment *x);

/* Returns the loss of --target-loss, or one that all seeds of the first mode reach half-way. */
double statistics_target(const struct experiment *x);
/* Returns the steps until a curve reaches the target, or 0 if it does not. */
int statistics_steps(const struct experiment *x, int m, int seed, double target);

#endif
