/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the test vectors of tests/vectors (format: README.md there), one case at a time. */
#ifndef TOOLS_VERIFY_CASES_VEC_READER_H
#define TOOLS_VERIFY_CASES_VEC_READER_H

#include <stddef.h>
#include <stdio.h>

#define VEC_ROLES      8
#define VEC_ROLE_BYTES 24
#define VEC_VALUES     10000000 /* what one word may stand for */

/* The values of one operand in logical row-major order. The type's lowest finite value is kept as
 * -DBL_MAX. */
struct vec_values {
    char role[VEC_ROLE_BYTES];
    size_t count;
    double *value;
};

struct vec_list {
    int count;
    struct vec_values at[VEC_ROLES];
};

struct vec_case {
    char *name;
    char *problem;
    char *types; /* names of the types the case serves, or `text`; NULL: all floating types */
    char *wide;  /* roles that are float beside 16-bit types, or NULL */
    struct vec_list in;
    struct vec_list prior;
    struct vec_list sum;
    struct vec_list rounds;
    struct vec_list out;
    struct vec_list kred; /* one value each */
};

struct vec_reader {
    FILE *file;
    char path[1024];
    int line;
    char *text; /* the current line */
    size_t capacity;
    char error[1280]; /* names file and line */
};

/* 0, or -1 with `error` set. */
int vec_open(struct vec_reader *reader, const char *path);
/* 1 with the next case, 0 at the end of the file, -1 with `error` set. */
int vec_next(struct vec_reader *reader, struct vec_case *vec);
void vec_close(struct vec_reader *reader);

/* The values of a role, or NULL. */
const struct vec_values *vec_lookup(const struct vec_list *list, const char *role);
void vec_case_clear(struct vec_case *vec);

#endif
