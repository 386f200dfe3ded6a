/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a measurement, and the totals of its ratios. */
#ifndef ONEDNN_DIRECT_MEASURE_H
#define ONEDNN_DIRECT_MEASURE_H

#include "direct.h"

#define ROUNDS_MAX 101

struct options {
    const char *path, *layer;
    int batch, direction, layout, threads, rounds;
    double microseconds;
};

/* A sum of logarithms, and their number. */
struct mean {
    double sum;
    int count;
};

struct totals {
    struct mean direct, blocked;
};

extern const char *const direction_names[];
extern const char *const layout_names[];

void print_heading(void);
/* Measures a layer in one direction, prints its row and adds its ratios to the totals. */
void measure(const struct layer *layer, enum direction direction, const struct options *options,
             struct totals *totals);
/* Prints the last line of a direction. */
void print_means(enum direction direction, const struct options *options,
                 const struct totals *totals);

#endif
