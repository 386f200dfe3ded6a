/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every entry that computes, as data: its pointer arguments in the order of anydnn.h with what a
 * test puts there, and what a backend must get (plugin.h).
 */
#ifndef TESTS_DISPATCH_ENTRIES_H
#define TESTS_DISPATCH_ENTRIES_H

#include "tests/dispatch/fixture.h"

#define ENTRY_ARGUMENTS 26

/* Numbers that every entry which takes such a thing is given. */
#define ENTRY_WORKSPACE_BYTES 3000
#define ENTRY_RESERVE_BYTES   900
#define ENTRY_EPSILON         0.0625
#define ENTRY_FACTOR          0.125

struct entry_argument {
    /* In anydnn.h. Before it `?`: may be NULL, and is then an absent operand; `&`: NULL only with
     * its pair or in another form; `-`: no argument of its own, or not read and so NULL at will. */
    const char *name;
    /*
     * h       the handle
     * fK      scaling factor K of the operation; one, zero: with that value
     * dN      pointer of operand N
     * tTEXT   a tensor descriptor, `@` standing for the type under test; wTEXT a filter; cTEXT a
     *         convolution (as fixture.h says)
     * iN      operand N in host memory, whole numbers that make sense for the CTC loss
     * ws      the workspace
     * value   set_tensor's
     * P A R L O E X D S C   descriptors of pooling, activation, ReLU, LRN, op tensor, reduction,
     *         transform, dropout, spatial transformer, CTC loss, as entries_make.c fills them
     */
    const char *what;
};

struct entry_case {
    const char *name;
    anydnnStatus_t (*call)(void *const *a); /* a[i]: argument i */
    struct entry_argument argument[ENTRY_ARGUMENTS];
    /* The backend's line about the problem, without struct_size; `@` as above. */
    const char *problem;
    double number;  /* number[0] */
    int fixed_type; /* the type is in the texts: no run in another */
};

extern const struct entry_case entries_convolution[];
extern const struct entry_case entries_layer[];
extern const struct entry_case entries_normalization[];
extern const struct entry_case entries_sequence[];
extern const struct entry_case entries_tensor[];

/* The arguments of a case; `type` for `@`. Made objects live until fixture_teardown and
 * entries_free. */
void entries_make(const struct entry_case *entry, const char *type, void **a);
void entries_free(void);
/* A descriptor of that kind which was created and never set; NULL when `what` is no descriptor. */
void *entries_unset(const char *what);
/* Value that factor K has for that type, as a double. */
double entries_factor(int index, const char *type);
/* `@` in the text replaced; lasts until the next call. */
const char *entries_typed(const char *text, const char *type);

#endif
