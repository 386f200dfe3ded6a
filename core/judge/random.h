/* SPDX-License-Identifier: Apache-2.0 */
/* Random bits for tests of operations, the same on every machine. */
#ifndef ADN_JUDGE_RANDOM_H
#define ADN_JUDGE_RANDOM_H

#include <stdint.h>

/* Returns the next number of a SplitMix64 sequence. */
uint64_t adn_random_bits(uint64_t *state);

#endif
