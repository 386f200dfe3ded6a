/* SPDX-License-Identifier: Apache-2.0 */
/* Implements SplitMix64 and distributions based on it. */
#include "random.h"

uint64_t random_next(struct random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct random random_stream(uint64_t seed, uint64_t purpose)
{
    struct random r = {seed};

    r.state = random_next(&r) + purpose;
    r.state = random_next(&r);
    return r;
}

double random_uniform(struct random *r, double low, double high)
{
    return low + (high - low) * ((double)(random_next(r) >> 11) * 0x1p-53);
}

int random_below(struct random *r, int count)
{
    return (int)(((random_next(r) >> 32) * (uint64_t)count) >> 32);
}

void random_shuffle(struct random *r, int *items, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int j = random_below(r, i + 1);
        int item = items[i];

        items[i] = items[j];
        items[j] = item;
    }
}
