/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entries that compute, as data. Each lists its pointer arguments in the order of anydnn.h,
 * what a test passes for them, and what a backend must receive (plugin.h).
 */
#ifndef TESTS_DISPATCH_ENTRIES_H
#define TESTS_DISPATCH_ENTRIES_H

#include "tests/dispatch/fixture.h"

#define ENTRY_ARGUMENTS 26

/* The numbers that are passed to every entry which takes such an argument. */
#define ENTRY_WORKSPACE_BYTES 3000
#define ENTRY_RESERVE_BYTES   900
#define ENTRY_EPSILON         0.0625
#define ENTRY_FACTOR          0.125

struct entry_argument {
    /* The name in anydnn.h. A prefix `?` marks an argument that may be NULL and is then an
     * absent operand. `&` marks one that may be NULL only together with its pair or in another
     * form. `-` marks one that is not an argument itself, or is not read and may be NULL. */
    const char *name;
    /*
     * h       the handle
     * fK      scaling factor K of the operation; one, zero: with that value
     * dN      pointer of operand N
     * tTEXT   a tensor descriptor, with `@` for the type under test; wTEXT a filter; cTEXT a
     *         convolution (texts as in fixture.h)
     * iN      operand N in host memory, integers that are valid for the CTC loss
     * ws      the workspace
     * value   the value of set_tensor
     * P A R L O E X D S C N M   descriptors of pooling, activation, ReLU, LRN, op tensor,
     * reduction, transform, dropout, spatial transformer, CTC loss, normalization, matrix product,
     * as entries_make.c fills them
     */
    const char *what;
};

struct entry_case {
    const char *name;
    anydnnStatus_t (*call)(void *const *a); /* a[i]: argument i */
    struct entry_argument argument[ENTRY_ARGUMENTS];
    /* The line that the backend logs about the problem, without struct_size; `@` as above. */
    const char *problem;
    double number;  /* number[0] */
    int fixed_type; /* 1 if the texts fix the type, so that the entry runs with no other type */
};

extern const struct entry_case entries_convolution[];
extern const struct entry_case entries_layer[];
extern const struct entry_case entries_normalization[];
extern const struct entry_case entries_product[];
extern const struct entry_case entries_sequence[];
extern const struct entry_case entries_tensor[];

/* Fills in the arguments of a case, with `type` for `@`. The objects that it creates live until
 * fixture_teardown and entries_free. */
void entries_make(const struct entry_case *entry, const char *type, void **a);
void entries_free(void);
/* Returns a descriptor of that kind that was created but never set, or NULL if `what` is not a
 * descriptor. */
void *entries_unset(const char *what);
/* Returns the value of factor K for that type, as a double. */
double entries_factor(int index, const char *type);
/* Returns the text with `@` replaced; the result is valid until the next call. */
const char *entries_typed(const char *text, const char *type);

#endif
