/* SPDX-License-Identifier: Apache-2.0 */
/* The list of cases for a backend: the shapes of each operation in the types and layouts that the
 * backend publishes. */
#ifndef TOOLS_VERIFY_CASES_CASES_H
#define TOOLS_VERIFY_CASES_CASES_H

#include "judge/subject.h"
#include "problem/problem.h"
#include "tools/verify/cases/shapes.h"
#include "tools/verify/cases/vectors.h"
#include "tools/verify/checks/target.h"

enum verify_kind {
    VERIFY_KIND_RULES, /* of the whole description, and of an operation */
    VERIFY_KIND_PROBLEM,
    VERIFY_KIND_VECTOR
};

struct verify_case {
    enum verify_kind kind;
    int32_t operation; /* 0: the whole backend */
    int32_t type;      /* -1: none */
    const char *layout;
    char *label;
    enum oracle_data data;
    char fault[ADN_JUDGE_SENTENCE]; /* why the case itself is unusable */
    struct adn_problem problem;
    struct adn_values values;
    struct verify_vector *vector;
};

struct verify_cases {
    int count;
    int capacity;
    struct verify_case **item;

    /* The random problems: `count` of them, drawn in turn from the `drawn_from` operations that
     * `item` names. Each is drawn when it is requested. */
    int drawn_from;
    const struct adn_backend *backend;
    int32_t type; /* -1: any */
    uint64_t seed;
    struct verify_case drawn;
};

/* The filter of cases. */
struct verify_filter {
    const char *operation; /* a name, or a prefix and `*`; NULL: all */
    int32_t type;          /* -1: all */
    int quick;             /* 1: --quick; 2: --small, also without long sums */
    int itself;            /* 1 if the backend is the oracle itself */
    const char *problem;   /* only this problem; NULL: all */
    const char *suite;     /* only those of this file of lines "LAYER PROBLEM"; NULL: all */
    int fuzz;              /* number of random problems instead; 0: none */
    uint64_t seed;         /* of the random problems */
};

/* Makes every case that passes the filter. Returns NULL with a message if none does. */
struct verify_cases *verify_cases_make(const struct adn_backend *backend,
                                       const struct verify_filter *filter,
                                       struct verify_vectors *vectors, char *sentence);
void verify_cases_free(struct verify_cases *cases);
/* Returns the names of a case: operation, type, layout. */
const struct verify_case *verify_cases_names(const struct verify_cases *cases, int number);
/* Returns the case itself. A random one is valid until the next call. */
const struct verify_case *verify_cases_at(struct verify_cases *cases, int number);

/* Selects two problems of the operation that the backend accepts: the first and the largest. */
void verify_samples(const struct verify_cases *cases, const struct verify_target *target,
                    int32_t operation, struct verify_sample *few, struct verify_sample *many);

/* ---- for the files that make the list */

/* Returns the math mode for a case in `math`. A backend without default math uses the least mode
 * that it publishes and that permits matrix units for the type. */
int32_t verify_math_of(const struct anydnn_plugin_operation *published, int32_t type, int32_t math);

/* Adds a case of this problem, whose first operand has that type. Copies the problem. */
struct verify_case *verify_problem_add(struct verify_cases *cases,
                                       const struct adn_problem *problem,
                                       const struct adn_values *values, int32_t type,
                                       const char *layout, const char *label);

/* ---- expand.c */

/* Returns 1 if the rules of the library permit the problem. A refusal is not logged: the lists try
 * combinations that do not exist. */
int verify_is_valid(const struct adn_problem *problem);

/* Makes a problem of a shape in the type and layout. Returns 0, or -1 if there is none. */
int verify_shape_problem(const struct verify_shapes *shapes, const struct verify_shape *shape,
                         int32_t type, const char *layout, struct adn_problem *problem,
                         struct adn_values *values);

/* ---- shaped.c */

/* Returns NULL if the operation has no shapes. */
const struct verify_shapes *verify_shapes_of(int32_t operation);
/* Returns 1 if the list has a shape with subnormal numbers for the problem's operation, type and
 * mode. */
int verify_takes_subnormals(const struct adn_problem *problem);
void verify_shapes_add(struct verify_cases *cases, const struct anydnn_plugin_operation *op,
                       const struct verify_filter *filter);

/* ---- layouts.c */

#define VERIFY_LAYOUTS 4
struct verify_layout {
    uint32_t bit; /* ANYDNN_PLUGIN_LAYOUT_xxx */
    const char *name;
};
extern const struct verify_layout verify_layouts[VERIFY_LAYOUTS];
/* Sets the operands' strides for the named layout. Returns 0, or -1 if the channels do not fill
 * whole vectors. */
int verify_lay_out(struct adn_problem *problem, const char *layout);

/* ---- mixes.c */

void verify_mixes_add(struct verify_cases *cases, const struct anydnn_plugin_operation *op,
                      const struct verify_filter *filter);

/* ---- parameters.c */

void verify_parameters_add(struct verify_cases *cases, const struct adn_backend *backend,
                           const struct anydnn_plugin_operation *op,
                           const struct verify_filter *filter);

/* ---- fuzz.c */

/* Draws the problem, values and data of a random case of an operation in the type, or in any for
 * -1. */
void verify_fuzz_case(const struct adn_backend *backend, int32_t operation, int32_t type,
                      uint64_t seed, int number, struct verify_case *item);

/* Returns the text of a case's problem. The caller frees it. */
char *verify_case_text(const struct verify_case *item);

#endif
