/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of chain share: a chain, which is steps over a few places of memory. */
#ifndef GPU_CHAIN_H
#define GPU_CHAIN_H

#include "exact.h"

/* Where a convolution's operands lie; each is read and written in turn. */
enum place { X, W, Y, SPARE, PLACES };

/* What stands between two convolutions: nothing; nothing, and each blends with what was there; a
 * copy and a set of bytes; another backend's kernel. */
enum variant { PLAIN, BLEND, COPIES, OTHER, VARIANTS };

#define CALLS   24 /* convolutions of a chain */
#define STEPS   (3 * CALLS + 4)
#define PROBLEM 1000 /* bytes of a problem's text */

/* A call, or, without a problem, a copy, or, without a source, a set. */
struct step {
    anydnnProblem_t problem;
    void *pointer[3];
    size_t workspace;
    void *to;
    const void *from;
    size_t bytes;
};

struct chain {
    struct exact *memory; /* input[0]: the start; output[0]: the places */
    enum variant variant;
    char operand[SPARE][PROBLEM / 6]; /* TYPE:DIMS:LAYOUT */
    char keys[PROBLEM / 3];           /* what follows in each problem */
    double terms[SPARE];              /* of the sums that are written there, at most */
    anydnnDataType_t type;
    size_t bytes[PLACES];
    unsigned char *found[PLACES], *wanted[PLACES]; /* what is there, on the host */
    struct step step[STEPS];
    int count;
};

/* ---- chain_read.c */

/* Reads a convolution: its operands and keys, its memory on the host and on the device. */
enum verdict chain_read(struct chain *chain, const char *text);

/* ---- chain_make.c */

/* The steps of a variant. They run once, to give each factors with which the numbers stay about 1,
 * and to see that each changes what was there. */
enum verdict chain_make(struct chain *chain);
/* Forgets the steps. */
void chain_clear(struct chain *chain);
void chain_free(struct chain *chain);
/* What the places hold at first, enqueued; 0 or -1. */
int chain_start(const struct chain *chain);
int chain_step(const struct chain *chain, const struct step *step);
/* Copies a place to the host. */
int chain_take(const struct chain *chain, enum place place, void *host);

#endif
