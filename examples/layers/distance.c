/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the distances between the weights of an experiment's trainings, layer by layer. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment.h"

static int count_equal(const struct experiment *x, int m)
{
    int equal = 0;

    for (int seed = 0; seed < x->o->seeds; seed++)
        equal += memcmp(x->run[m][seed].weights, x->run[0][seed].weights,
                        x->weights * sizeof(double)) == 0;
    return equal;
}

/* Returns the end of the items of the layer whose first item is `first`. */
static int end_of_layer(const struct experiment *x, int first)
{
    int end = first + 1;

    while (end < x->items && strcmp(x->item[end].layer, x->item[first].layer) == 0)
        end++;
    return end;
}

static size_t weights_before(const struct experiment *x, int item)
{
    size_t count = 0;

    for (int i = 0; i < item; i++)
        count += x->item[i].count;
    return count;
}

static double distance(const double *a, const double *b, size_t first, size_t end)
{
    double squares = 0;

    for (size_t i = first; i < end; i++)
        squares += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(squares);
}

static double mean_distance(const struct experiment *x, int m, size_t from, size_t to)
{
    double sum = 0;

    for (int seed = 0; seed < x->o->seeds; seed++) {
        const double *one = x->run[0][seed].weights;
        double apart = distance(x->run[m][seed].weights, one, from, to);

        sum += apart > 0 ? apart / distance(one, x->begin[seed], from, to) : apart;
    }
    return sum / x->o->seeds;
}

void experiment_measure(struct experiment *x)
{
    x->layers = 0;
    for (int first = 0, end; first < x->items && x->layers < EXPERIMENT_LAYERS; first = end) {
        size_t from = weights_before(x, first);

        end = end_of_layer(x, first);
        snprintf(x->layer[x->layers], EXPERIMENT_NAME, "%s", x->item[first].layer);
        for (int m = 1; m < x->o->modes; m++)
            x->distance[m][x->layers] = mean_distance(x, m, from, weights_before(x, end));
        x->layers++;
    }
    for (int m = 0; m < x->o->modes; m++)
        x->equal[m] = count_equal(x, m);
}
