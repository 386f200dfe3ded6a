/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only programs need of the judge: numbers that are made up for a problem, smaller versions of
 * it, and the two ways to an oracle: a backend's functions (verify) and a handle (compare, replay).
 * What is right, and how far from it a result may be, is core/judge's, since shadow asks that in
 * the library, too.
 */
#ifndef TOOLS_ORACLE_ORACLE_H
#define TOOLS_ORACLE_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#include "judge/oracle.h"
#include "judge/subject.h"
#include "problem/problem.h"
#include "tools/problem/operands.h"

struct adn_backend;

enum oracle_data {
    ORACLE_INTEGERS, /* small whole numbers: sums of products are exact in any order */
    ORACLE_REALS,    /* where the type is an integer: whole numbers from all of its range */
    ORACLE_NORMAL,   /* the same with mean 0 and variance 1 */
    ORACLE_UNIFORM,  /* the same in [-1, 1) */
    ORACLE_SPECIALS, /* small whole numbers with some NaN and infinities among them */
    ORACLE_LARGE,    /* the highest numbers of integer types, of which 32-bit sums wrap */
    ORACLE_WIDE,     /* normal ones times powers of two over much of the type's range */
    ORACLE_SUBNORMAL /* the first operand below the type's normal numbers, the others normal ones */
};

static inline int oracle_is_real(enum oracle_data data)
{
    return data == ORACLE_REALS || data == ORACLE_NORMAL || data == ORACLE_UNIFORM ||
           data == ORACLE_WIDE || data == ORACLE_SUBNORMAL;
}

/* ---- data.c */

/* Sets where a subject's numbers are from. */
void oracle_from(struct adn_subject *subject, enum oracle_data data);
/* Parses nothing: `problem` and `values` are taken. Fills what the operation reads, deterministic
 * in `seed`. 0, or -1 with a sentence. */
int oracle_fill(struct adn_subject *subject, const struct adn_problem *problem,
                const struct adn_values *values, enum oracle_data data, uint64_t seed,
                struct adn_oracle *oracle, char *sentence);

/* ---- source.c */

/* Replaces inputs by what the operation that this one goes back over gives. 0, 1 or -1 as those of
 * an oracle. */
int oracle_fill_source(struct adn_subject *subject, uint64_t seed, struct adn_oracle *oracle,
                       char *sentence);
/* Numbers of a hump around 0, none of them near 0. */
double oracle_random_real(uint64_t *state);

/* ---- backend.c */

/* What the oracle below runs on. */
struct oracle_backend {
    struct adn_backend *backend;
    struct anydnn_plugin_context *context;
};

/* The oracle's `run` that calls the functions of a backend, its `own`. */
int oracle_run_backend(struct adn_oracle *oracle, const struct adn_problem *wide,
                       const struct adn_values *values, void *image[ADN_SLOTS], char *sentence);

/* ---- handle.c */

/* An oracle that runs problems on a handle, which lives as long. */
void oracle_on_handle(struct adn_oracle *oracle, anydnnHandle_t handle);

#endif
