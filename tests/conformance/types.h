/* SPDX-License-Identifier: Apache-2.0 */
/* Element types as the vectors mean them: which numbers they have and how these lie in memory.
 * Written from the definitions of the types and shared with nothing that is tested. */
#ifndef TESTS_CONFORMANCE_TYPES_H
#define TESTS_CONFORMANCE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/anydnn.h>

struct number_type {
    int type;         /* of anydnn.h, or an index type of plugin.h */
    const char *name; /* in problem texts */
    size_t bytes;     /* of one number */
    int lanes;        /* numbers beside each other in one element: channels of a vector type */
    int digits;       /* significand bits, the hidden one included; 0 for integers */
    int least;        /* exponent of the smallest normal number 2^least */
    int most;         /* of the largest numbers, 2^most and above */
    double low;       /* ends of the range; floating types: of finite numbers */
    double high;
};

/* NULL for a type that no test uses. */
const struct number_type *number_type_of(int type);
/* By the name in problem texts, which ends at the first character that no name has. */
const struct number_type *number_type_named(const char *name);

/* To nearest, ties to even; beyond `high` infinity, or for integers the end of the range; NaN as an
 * integer is 0. -DBL_MAX stands for the lowest finite number. */
double number_round(const struct number_type *type, double value);
/* The smallest positive number. */
double number_least(const struct number_type *type);

void number_put(const struct number_type *type, unsigned char *at, double value);
double number_get(const struct number_type *type, const unsigned char *at);
/* A quiet NaN that tells its place, so that bytes copied from elsewhere show, too; integers get the
 * low bytes of a number that does. */
void number_poison(const struct number_type *type, unsigned char *at, size_t index);

#endif
