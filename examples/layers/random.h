/* SPDX-License-Identifier: Apache-2.0 */
/* Generates seeded random numbers, the same on every machine: SplitMix64 (Steele, Lea, Flood,
 * OOPSLA 2014). */
#ifndef LAYERS_RANDOM_H
#define LAYERS_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

/* Returns an independent stream of a seed. The purpose separates images, weights and shuffling. */
struct random random_stream(uint64_t seed, uint64_t purpose);
uint64_t random_next(struct random *r);
double random_uniform(struct random *r, double low, double high);
int random_below(struct random *r, int count);
void random_shuffle(struct random *r, int *items, int count);

#endif
