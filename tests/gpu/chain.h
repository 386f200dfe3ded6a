/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what the files of chain share: a chain, whose steps use a few places of memory. */
#ifndef GPU_CHAIN_H
#define GPU_CHAIN_H

#include "exact.h"

/* The places of a convolution's operands. Each one is read and written in turn. */
enum place { X, W, Y, SPARE, PLACES };

/* The kinds of chains, by the steps between two convolutions: none; none, but each convolution
 * blends with the previous contents; a copy and a set of bytes; a kernel of another backend. */
enum variant { PLAIN, BLEND, COPIES, OTHER, VARIANTS };

#define CALLS   24 /* convolutions of a chain */
#define STEPS   (3 * CALLS + 4)
#define PROBLEM 1000 /* bytes of a problem's text */

/* A step: a call if `problem` is set, a copy if `from` is set, otherwise a set of bytes. */
struct step {
    anydnnProblem_t problem;
    void *pointer[3];
    size_t workspace;
    void *to;
    const void *from;
    size_t bytes;
};

struct chain {
    struct exact *memory; /* input[0]: initial contents; output[0]: places */
    enum variant variant;
    char operand[SPARE][PROBLEM / 6]; /* TYPE:DIMS:LAYOUT */
    char keys[PROBLEM / 3];           /* the other words of each problem */
    double terms[SPARE];              /* most terms of the sums that are written there */
    anydnnDataType_t type;
    size_t bytes[PLACES];
    unsigned char *found[PLACES], *wanted[PLACES]; /* contents, on the host */
    struct step step[STEPS];
    int count;
};

/* ---- chain_read.c */

/* Reads a convolution: its operands and keys. Allocates its memory on the host and the device. */
enum verdict chain_read(struct chain *chain, const char *text);

/* ---- chain_make.c */

/* Makes the steps of a variant. It runs them once, to choose factors that keep the numbers near 1,
 * and to check that each call changes its output. */
enum verdict chain_make(struct chain *chain);
/* Deletes the steps. */
void chain_clear(struct chain *chain);
void chain_free(struct chain *chain);
/* Enqueues the initial contents of the places. Returns 0 or -1. */
int chain_start(const struct chain *chain);
int chain_step(const struct chain *chain, const struct step *step);
/* Copies a place to the host. */
int chain_take(const struct chain *chain, enum place place, void *host);

#endif
