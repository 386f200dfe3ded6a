/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses masks of one bit per element, in logical order of the dims, lowest bit of each byte
 * first. They are the reserves of dropout and of batch normalization. */
#ifndef CPU_REF_BITS_H
#define CPU_REF_BITS_H

#include "walk.h"

/* Processes a row like kit_row_fn. `at` is the logical position of its first element. */
typedef void (*cpu_ref_bits_row_fn)(void *arg, void *const place[], const int64_t stride[],
                                    int64_t n, int64_t at);

/* Runs an iteration in logical order in parallel. Each piece begins at a whole byte of a mask and
 * processes it in order. `cost` is that of one element. */
void cpu_ref_bits_parallel(const struct kit_walk *walk, void *const data[], int64_t cost,
                           cpu_ref_bits_row_fn row, void *arg);

static inline int64_t cpu_ref_bits_bytes(int64_t elements)
{
    return elements / 8 + (elements % 8 != 0);
}

static inline int cpu_ref_bits_get(const uint8_t *bits, int64_t at)
{
    return bits[at / 8] >> (at % 8) & 1;
}

/* Sets bit `at`. The first bit of a byte clears the byte, so its prior content does not matter, and
 * the bits after the last element are 0. */
static inline void cpu_ref_bits_put(uint8_t *bits, int64_t at, int bit)
{
    uint8_t before = at % 8 ? bits[at / 8] : 0;
    bits[at / 8] = (uint8_t)(before | (bit != 0) << (at % 8));
}

#endif
