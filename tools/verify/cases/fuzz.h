/* SPDX-License-Identifier: Apache-2.0 */
/* Random problems: what their parts are drawn with. Every draw comes from one seed, so that a
 * number of a run names the same problem again. */
#ifndef TOOLS_VERIFY_CASES_FUZZ_H
#define TOOLS_VERIFY_CASES_FUZZ_H

#include "desc/names.h"
#include "judge/random.h"
#include "problem/problem.h"
#include "tools/verify/cases/cases.h"

struct verify_fuzz {
    uint64_t state;
    const struct anydnn_plugin_operation *published;
    struct adn_problem problem;
    struct adn_values values;
};

/* 0 to count - 1. */
static inline int verify_fuzz_below(struct verify_fuzz *fuzz, int count)
{
    return (int)(adn_random_bits(&fuzz->state) % (uint64_t)count);
}

/* One of an array. */
#define VERIFY_FUZZ_OF(fuzz, array)                                                                \
    ((array)[verify_fuzz_below(fuzz, (int)(sizeof(array) / sizeof((array)[0])))])

/* Once in `count` times. */
static inline int verify_fuzz_once_in(struct verify_fuzz *fuzz, int count)
{
    return verify_fuzz_below(fuzz, count) == 0;
}

/* fuzz_shape.c: the dims of every present operand, and the parameters that go with them (windows,
 * pads, groups, folds). Types are set. 0; -1 where these do not fit each other. */
int verify_fuzz_shape(struct verify_fuzz *fuzz);

/* fuzz_sequence.c: the same for the families that have shapes of their own; 0 for others. */
int verify_fuzz_sequence(struct verify_fuzz *fuzz);

/* fuzz_layout.c: strides of every present operand, and outputs in place of inputs. */
void verify_fuzz_layout(struct verify_fuzz *fuzz);

#endif
