/* SPDX-License-Identifier: Apache-2.0 */
/* The list of cases for a backend: shapes by operation, times the types and layouts that it
 * publishes. */
#ifndef TOOLS_VERIFY_CASES_H
#define TOOLS_VERIFY_CASES_H

#include "target.h"
#include "vectors.h"

/* A problem of every operation with `$` for the type and `%` for that of its parameters. `from`
 * other than 0: the texts of that operation, with the operands that this one has. */
struct verify_shape {
    const char *label; /* what is special about it, words between commas */
    const char *text;
    int only; /* VERIFY_ONLY_xxx, or 0 */
};

#define VERIFY_ONLY_SPECIALS 1 /* with NaN and infinities among its data */
#define VERIFY_ONLY_VECTORS  2 /* for vector types, whose channels come in vectors */
#define VERIFY_ONLY_INTEGERS 3 /* for integer types that are no vectors */

struct verify_shapes {
    int32_t operation;
    int32_t from;
    const struct verify_shape *shape; /* ends with a NULL text */
};

extern const struct verify_shapes verify_shapes[]; /* ends with operation 0 */

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
    int specials;
    char fault[VERIFY_SENTENCE]; /* why the case itself cannot be used */
    struct adn_problem problem;
    struct adn_values values;
    struct verify_vector *vector;
};

struct verify_cases {
    int count;
    int room;
    struct verify_case **item;
};

/* What is asked for of all there is. */
struct verify_filter {
    const char *operation; /* a name, or a prefix and `*`; NULL: all */
    int32_t type;          /* -1: all */
    int quick;
    const char *problem; /* this one alone; NULL: all */
};

/* Every case that the filter leaves; NULL with a sentence when the filter names nothing. */
struct verify_cases *verify_cases_make(const struct adn_backend *backend,
                                       const struct verify_filter *filter,
                                       struct verify_vectors *vectors, char *sentence);
void verify_cases_free(struct verify_cases *cases);

/* The text of a case's problem, to be freed. */
char *verify_case_text(const struct verify_case *item);

#endif
