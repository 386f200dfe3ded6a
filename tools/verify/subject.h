/* SPDX-License-Identifier: Apache-2.0 */
/* Subjects of verify and compare: problems with numbers that are made up for them. */
#ifndef TOOLS_VERIFY_SUBJECT_H
#define TOOLS_VERIFY_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "judge/judge.h"
#include "load/load.h"
#include "tools/operands.h"

enum verify_data {
    VERIFY_INTEGERS, /* small whole numbers: sums of products are exact in any order */
    VERIFY_REALS,    /* where the type is an integer: whole numbers from all of its range */
    VERIFY_NORMAL,   /* the same with mean 0 and variance 1 */
    VERIFY_UNIFORM,  /* the same in [-1, 1) */
    VERIFY_SPECIALS, /* small whole numbers with some NaN and infinities among them */
    VERIFY_LARGE     /* the highest numbers of integer types, of which 32-bit sums wrap */
};

static inline int verify_is_real(enum verify_data data)
{
    return data == VERIFY_REALS || data == VERIFY_NORMAL || data == VERIFY_UNIFORM;
}

/* ---- data.c */

/* Sets where a subject's numbers are from. */
void verify_subject_data(struct adn_subject *subject, enum verify_data data);
/* Parses nothing: `problem` and `values` are taken. Fills what the operation reads, deterministic
 * in `seed`. 0, or -1 with a sentence. */
int verify_subject_fill(struct adn_subject *subject, const struct adn_problem *problem,
                        const struct adn_values *values, enum verify_data data, uint64_t seed,
                        struct adn_oracle *oracle, char *sentence);

/* ---- source.c */

/* Replaces inputs by what the operation that this one goes back over gives. 0, 1 or -1 as those of
 * an oracle. */
int verify_source_fill(struct adn_subject *subject, uint64_t seed, struct adn_oracle *oracle,
                       char *sentence);
/* Numbers of a hump around 0, none of them near 0. */
double verify_random_real(uint64_t *state);

/* ---- oracle.c */

/* What the oracle below runs on. */
struct verify_backend {
    struct adn_backend *backend;
    struct anydnn_plugin_context *context;
};

/* The oracle's `run` that calls the functions of a backend, its `own`. */
int verify_oracle_backend(struct adn_oracle *oracle, const struct adn_problem *wide,
                          const struct adn_values *values, void *image[ADN_SLOTS], char *sentence);

#endif
