/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the parts of random problems. Every draw comes from one seed, so that a number in a run
 * always means the same problem. */
#ifndef TOOLS_VERIFY_CASES_FUZZ_H
#define TOOLS_VERIFY_CASES_FUZZ_H

#include "desc/names.h"
#include "judge/random.h"
#include "problem/problem.h"
#include "tools/verify/cases/cases.h"

struct verify_fuzz {
    uint64_t state;
    const struct anydnn_plugin_operation *published;
    int64_t parameter_types; /* the limit of this name */
    struct adn_problem problem;
    struct adn_values values;
};

/* Returns a number from 0 to count - 1. */
static inline int verify_fuzz_below(struct verify_fuzz *fuzz, int count)
{
    return (int)(adn_random_bits(&fuzz->state) % (uint64_t)count);
}

/* Selects an element of an array. */
#define VERIFY_FUZZ_OF(fuzz, array)                                                                \
    ((array)[verify_fuzz_below(fuzz, (int)(sizeof(array) / sizeof((array)[0])))])

/* Returns 1 once in `count` times. */
static inline int verify_fuzz_once_in(struct verify_fuzz *fuzz, int count)
{
    return verify_fuzz_below(fuzz, count) == 0;
}

/* Implemented in fuzz_shape.c. Draws the dims of every present operand and the matching parameters
 * (windows, pads, groups, folds). Types are set before. Returns 0, or -1 if these do not match. */
int verify_fuzz_shape(struct verify_fuzz *fuzz);

/* Implemented in fuzz_sequence.c. Does the same for the families with special shapes. Returns 0 for
 * others. */
int verify_fuzz_sequence(struct verify_fuzz *fuzz);

/* Implemented in fuzz_product.c. They do the same, and draw types and presence, for normalizations
 * and matrix products. */
void verify_fuzz_normalization(struct verify_fuzz *fuzz);
void verify_fuzz_matmul(struct verify_fuzz *fuzz);

/* Implemented in fuzz_layout.c. Draws the strides of every present operand, and the outputs that
 * share memory with inputs. */
void verify_fuzz_layout(struct verify_fuzz *fuzz);

#endif
