/* SPDX-License-Identifier: Apache-2.0 */
/* Means, confidence intervals and distances of an experiment's runs. */
#ifndef LAYERS_STATISTICS_H
#define LAYERS_STATISTICS_H

#include "experiment.h"

struct spread {
    double mean;
    double deviation; /* of the sample; 0 for one value */
    double half;      /* of the 95 % interval of the mean by Student's t; 0 for one value */
    double least;
    double most;
};

struct spread statistics_spread(const double *values, int count);

/* Test accuracy at the end, mode `m` over the seeds. */
struct spread statistics_accuracy(const struct experiment *x, int m);
/* Mode m's less the first mode's, seed by seed. */
struct spread statistics_difference(const struct experiment *x, int m);
/* How far two trainings of the first mode are apart that differ in their seed alone: root of the
 * mean square. */
double statistics_seeds(const struct experiment *x);

/* The loss that --target-loss names, or that all seeds of the first mode have half-way. */
double statistics_target(const struct experiment *x);
/* Steps until a curve reaches it, 0 where it does not. */
int statistics_steps(const struct experiment *x, int m, int seed, double target);

#endif
