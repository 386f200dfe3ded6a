/* SPDX-License-Identifier: Apache-2.0 */
/* The list of cases for a backend: shapes by operation, times the types and layouts that it
 * publishes. */
#ifndef TOOLS_VERIFY_CASES_CASES_H
#define TOOLS_VERIFY_CASES_CASES_H

#include "judge/subject.h"
#include "problem/problem.h"
#include "tools/verify/cases/shapes.h"
#include "tools/verify/cases/vectors.h"
#include "tools/verify/checks/target.h"

enum verify_kind {
    VERIFY_KIND_RULES, /* of the description as a whole, and of an operation */
    VERIFY_KIND_PROBLEM,
    VERIFY_KIND_VECTOR
};

struct verify_case {
    enum verify_kind kind;
    int32_t operation; /* 0: the backend as a whole */
    int32_t type;      /* -1: none */
    const char *layout;
    char *label;
    enum oracle_data data;
    char fault[ADN_JUDGE_SENTENCE]; /* why the case itself cannot be used */
    struct adn_problem problem;
    struct adn_values values;
    struct verify_vector *vector;
};

struct verify_cases {
    int count;
    int room;
    struct verify_case **item;

    /* Random problems: `count` of them, of the `drawn_from` operations in turn, whose names are in
     * `item`; each is drawn when it is asked for. */
    int drawn_from;
    const struct adn_backend *backend;
    int32_t type; /* -1: any */
    uint64_t seed;
    struct verify_case drawn;
};

/* What is asked for of all there is. */
struct verify_filter {
    const char *operation; /* a name, or a prefix and `*`; NULL: all */
    int32_t type;          /* -1: all */
    int quick;             /* 2: without long sums, too */
    int itself;            /* the backend is the one that knows the right results */
    const char *problem;   /* this one alone; NULL: all */
    int fuzz;              /* so many random problems instead; 0: none */
    uint64_t seed;         /* of these */
};

/* Every case that the filter leaves; NULL with a sentence when the filter names nothing. */
struct verify_cases *verify_cases_make(const struct adn_backend *backend,
                                       const struct verify_filter *filter,
                                       struct verify_vectors *vectors, char *sentence);
void verify_cases_free(struct verify_cases *cases);
/* Names of a case: operation, type, layout. */
const struct verify_case *verify_cases_names(const struct verify_cases *cases, int number);
/* The case itself; a random one until the next call. */
const struct verify_case *verify_cases_at(struct verify_cases *cases, int number);

/* Problems of the operation that the backend takes: the first and the largest. */
void verify_samples(const struct verify_cases *cases, const struct verify_target *target,
                    int32_t operation, struct verify_sample *few, struct verify_sample *many);

/* ---- for those who make the list */

/* The math mode that a case in `math` is judged in: a backend without default math, in the least
 * mode that it publishes and that lets matrix units have the type. */
int32_t verify_math_of(const struct anydnn_plugin_operation *published, int32_t type, int32_t math);

/* A case of this problem, whose first operand is of that type; takes nothing. */
struct verify_case *verify_problem_add(struct verify_cases *cases,
                                       const struct adn_problem *problem,
                                       const struct adn_values *values, int32_t type,
                                       const char *layout, const char *label);

/* ---- expand.c */

/* A shape as a problem of the type, laid out so. 0, or -1 when there is none. */
int verify_shape_problem(const struct verify_shapes *shapes, const struct verify_shape *shape,
                         int32_t type, const char *layout, struct adn_problem *problem,
                         struct adn_values *values);

/* ---- shaped.c */

/* NULL: the operation has none. */
const struct verify_shapes *verify_shapes_of(int32_t operation);
void verify_shapes_add(struct verify_cases *cases, const struct anydnn_plugin_operation *op,
                       const struct verify_filter *filter);

/* ---- layouts.c */

#define VERIFY_LAYOUTS 4
struct verify_layout {
    uint32_t bit; /* ANYDNN_PLUGIN_LAYOUT_xxx */
    const char *name;
};
extern const struct verify_layout verify_layouts[VERIFY_LAYOUTS];
/* Gives the operands strides of the layout of that name. 0; -1 where channels are no whole vectors.
 */
int verify_lay_out(struct adn_problem *problem, const char *layout);

/* ---- mixes.c */

void verify_mixes_add(struct verify_cases *cases, const struct anydnn_plugin_operation *op,
                      const struct verify_filter *filter);

/* ---- fuzz.c */

/* Draws problem, values and data of a random case of an operation; of the type, or of any for -1.
 */
void verify_fuzz_case(const struct anydnn_plugin_operation *published, int32_t type, uint64_t seed,
                      int number, struct verify_case *item);

/* The text of a case's problem, to be freed. */
char *verify_case_text(const struct verify_case *item);

#endif
