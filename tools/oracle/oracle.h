/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the judge that only programs need: generated data, smaller versions of a problem,
 * and two oracles: a backend's functions (verify) and a handle (compare, replay). core/judge
 * defines what is right and how large an error may be, since shadow needs that in the library. */
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
    ORACLE_INTEGERS,  /* small integers: sums of products are exact in any order */
    ORACLE_REALS,     /* real numbers; for integer types, integers of the full range */
    ORACLE_NORMAL,    /* real numbers with mean 0 and variance 1 */
    ORACLE_UNIFORM,   /* real numbers in [-1, 1) */
    ORACLE_SPECIALS,  /* small integers with some NaN and infinities */
    ORACLE_LARGE,     /* the largest numbers of integer types; 32-bit sums wrap */
    ORACLE_WIDE,      /* normal numbers times powers of two over much of the type's range */
    ORACLE_SUBNORMAL, /* the first operand subnormal, the others normal */
    ORACLE_FAR        /* small integers, those of the first operand around a large one */
};

static inline int oracle_is_real(enum oracle_data data)
{
    return data == ORACLE_REALS || data == ORACLE_NORMAL || data == ORACLE_UNIFORM ||
           data == ORACLE_WIDE || data == ORACLE_SUBNORMAL;
}

/* ---- data.c */

/* Sets the distribution of a subject's numbers. */
void oracle_from(struct adn_subject *subject, enum oracle_data data);
/* Fills the inputs of a subject, deterministic in `seed`. Uses `problem` and `values` as given,
 * without parsing. Returns 0, or -1 with a message. */
int oracle_fill(struct adn_subject *subject, const struct adn_problem *problem,
                const struct adn_values *values, enum oracle_data data, uint64_t seed,
                struct adn_oracle *oracle, char *sentence);

/* ---- source.c */

/* Replaces the inputs of a backward operation by the results of its forward operation. Returns 0, 1
 * or -1 as an oracle does. */
int oracle_fill_source(struct adn_subject *subject, uint64_t seed, struct adn_oracle *oracle,
                       char *sentence);
/* Returns a number of a triangular distribution around 0, but none near 0. */
double oracle_random_real(uint64_t *state);

/* ---- backend.c */

/* The backend that the oracle below uses. */
struct oracle_backend {
    struct adn_backend *backend;
    struct anydnn_plugin_context *context;
};

/* Runs a problem on the backend in the oracle's `own`, as the oracle's `run`. */
int oracle_run_backend(struct adn_oracle *oracle, const struct adn_problem *wide,
                       const struct adn_values *values, void *image[ADN_SLOTS], char *sentence);

/* ---- handle.c */

/* Makes an oracle that runs problems on a handle. The handle must live as long. */
void oracle_on_handle(struct adn_oracle *oracle, anydnnHandle_t handle);

#endif
