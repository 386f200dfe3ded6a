/* SPDX-License-Identifier: Apache-2.0 */
/* The element types of the vectors: their numbers and memory formats. This code follows the
 * definitions of the types and shares nothing with the code under test. */
#ifndef TESTS_CONFORMANCE_TYPES_H
#define TESTS_CONFORMANCE_TYPES_H

#include <stddef.h>
#include <stdint.h>

struct number_type {
    const char *name; /* name in problem texts */
    size_t bytes;     /* bytes of one number */
    int lanes;        /* numbers per element: channels of a vector type */
    int digits;       /* significand bits, including the hidden one; 0 for integers */
    int least;        /* exponent of the smallest normal number 2^least */
    int most;         /* exponent of the largest numbers: 2^most and above */
    double low;       /* ends of the range; floating types: of finite numbers */
    double high;
};

/* Returns a type by its name in problem texts, which ends at the first character that is not
 * part of a name. Returns NULL if no test uses the type. */
const struct number_type *number_type_named(const char *name);

/* Rounds to nearest, ties to even. Values beyond `high` become infinity, or the end of the range
 * for integers. NaN as an integer is 0. -DBL_MAX stands for the lowest finite number. */
double number_round(const struct number_type *type, double value);
/* Returns the smallest positive number. */
double number_least(const struct number_type *type);

void number_put(const struct number_type *type, unsigned char *at, double value);
double number_get(const struct number_type *type, const unsigned char *at);
/* Writes a quiet NaN that encodes its position, so that bytes copied from elsewhere are
 * detected, too. Integers get the low bytes of an encoded number. */
void number_poison(const struct number_type *type, unsigned char *at, size_t index);

#endif
