/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of a problem: their shapes, their contents before a run, and their values in logical
 * order (row-major over the dims, for every layout). */
#ifndef TOOLS_PROBLEM_OPERANDS_H
#define TOOLS_PROBLEM_OPERANDS_H

#include <stddef.h>
#include <stdint.h>

#include "tools/common.h"

#define OPERANDS_MAX 16

/* A scalar type. A vector type has its scalar and the number of adjacent channels. */
struct element {
    const char *name;
    size_t size; /* bytes per scalar */
    int lanes;
    int fraction; /* 1: values are multiples of 1/8; 0: integers */
    int low;      /* range of random integers */
    double tolerance;
    double (*load)(const void *bytes);
    void (*store)(void *bytes, double value);
};

const struct element *element_lookup(const char *name, size_t length);

struct operand {
    const char *role;
    const struct element *element;
    anydnnDirection_t direction;
    int ndims;
    int dims[ANYDNN_DIM_MAX];
    int strides[ANYDNN_DIM_MAX];
    int64_t count;        /* number of scalars */
    size_t bytes;         /* from the first to the last scalar, including gaps */
    int alias;            /* the operand whose memory it shares, or -1 */
    int host;             /* 1 if it lies in host memory on every device */
    int written;          /* 1 if the operation writes it, also through an alias */
    unsigned char *image; /* contents before a run; NULL for an alias */
};

struct operands {
    int count;
    int align;  /* from the problem's text; 0: none */
    int blends; /* 1 if a beta is not 0, so that outputs are read */
    struct operand item[OPERANDS_MAX];
};

/* Describes the operands. `text` is the problem as the library prints it. */
int operands_describe(struct tool *tool, anydnnProblem_t problem, const char *text,
                      struct operands *operands);
/* Fills inputs with random data, and poisons outputs and gaps. `normal` selects N(0,1) for
 * floating-point inputs, so that sums round. The default, multiples of 1/8, gives exact sums. */
void operands_fill(struct operands *operands, uint64_t seed, int normal);
/* Fills the first `size` bytes of an operand, including gaps, with random data. */
void operand_fill_bytes(const struct operands *operands, int index, uint64_t seed,
                        unsigned char *bytes, size_t size);
void operands_free(struct operands *operands);
int operands_index(const struct operands *operands, const char *role); /* returns -1 if absent */

/* An iteration over the scalars in logical order. `at` is the byte offset of the current one. */
struct walk {
    const struct operand *operand;
    int index[ANYDNN_DIM_MAX];
    int64_t left;
    size_t at;
};

void walk_begin(struct walk *walk, const struct operand *operand);
int walk_goes_on(const struct walk *walk);
void walk_next(struct walk *walk);

/* Read and write files of scalars in logical order, little-endian. `bytes` is an image of the
 * operand. */
int operand_read(struct tool *tool, const struct operand *operand, unsigned char *bytes,
                 const char *path);
int operand_write(struct tool *tool, const struct operand *operand, const unsigned char *bytes,
                  const char *path);

#endif
