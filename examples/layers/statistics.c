/* SPDX-License-Identifier: Apache-2.0 */
/* Computes an experiment's means, confidence intervals and distances. */
#include "statistics.h"

#include <math.h>

/* Returns the 97.5 % quantile of Student's t, for 1 to 31 degrees of freedom. */
static double quantile(int freedom)
{
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                               2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                               2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                               2.060,  2.056, 2.052, 2.048, 2.045, 2.042, 2.040};

    return t[(freedom < 31 ? freedom : 31) - 1];
}

struct spread statistics_spread(const double *values, int count)
{
    struct spread s = {.least = values[0], .most = values[0]};
    double squares = 0;

    for (int i = 0; i < count; i++) {
        s.mean += values[i] / count;
        s.least = fmin(s.least, values[i]);
        s.most = fmax(s.most, values[i]);
    }
    if (count < 2)
        return s;
    for (int i = 0; i < count; i++)
        squares += (values[i] - s.mean) * (values[i] - s.mean);
    s.deviation = sqrt(squares / (count - 1));
    s.half = quantile(count - 1) * s.deviation / sqrt(count);
    return s;
}

static double accuracy(const struct experiment *x, int m, int seed)
{
    return x->run[m][seed].accuracy[x->o->training.epochs - 1];
}

struct spread statistics_accuracy(const struct experiment *x, int m)
{
    double values[SEEDS_AT_MOST] = {0};

    for (int seed = 0; seed < x->o->seeds; seed++)
        values[seed] = accuracy(x, m, seed);
    return statistics_spread(values, x->o->seeds);
}

struct spread statistics_difference(const struct experiment *x, int m)
{
    double values[SEEDS_AT_MOST] = {0};

    for (int seed = 0; seed < x->o->seeds; seed++)
        values[seed] = accuracy(x, m, seed) - accuracy(x, 0, seed);
    return statistics_spread(values, x->o->seeds);
}

/* Returns the seed's effect. The difference of two independent values has twice their variance. */
double statistics_seeds(const struct experiment *x)
{
    return sqrt(2) * statistics_accuracy(x, 0).deviation;
}

double statistics_target(const struct experiment *x)
{
    double most = 0;

    if (x->o->target > 0)
        return x->o->target;
    for (int seed = 0; seed < x->o->seeds; seed++)
        most = fmax(most, x->run[0][seed].loss[(x->points - 1) / 2]);
    return most;
}

int statistics_steps(const struct experiment *x, int m, int seed, double target)
{
    for (int p = 0; p < x->points; p++)
        if (x->run[m][seed].loss[p] <= target)
            return experiment_step(x, p);
    return 0;
}
