/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of a problem: what they look like, what they hold before a run, and their values one
 * by one in logical order (row-major over the dims, whatever the layout). */
#ifndef TOOLS_PROBLEM_OPERANDS_H
#define TOOLS_PROBLEM_OPERANDS_H

#include <stddef.h>
#include <stdint.h>

#include "tools/common.h"

#define OPERANDS_MAX 16

/* A scalar type; a vector type is its scalar and the number of channels beside each other. */
struct element {
    const char *name;
    size_t size; /* bytes of a scalar */
    int lanes;
    int fraction; /* values are multiples of 1/8, else whole numbers */
    int low;      /* of random whole numbers */
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
    int64_t count;        /* of scalars */
    size_t bytes;         /* from the first to the last, with the gaps between */
    int alias;            /* the operand whose memory this one shares, or -1 */
    int host;             /* it lies in host memory on every device */
    int written;          /* by the operation, be it through an alias */
    unsigned char *image; /* what it holds before a run; NULL for an alias */
};

struct operands {
    int count;
    int align;  /* of the problem's text; 0: none */
    int blends; /* some beta is not 0, so that outputs are read */
    struct operand item[OPERANDS_MAX];
};

/* `text` is the problem as the library prints it. */
int operands_describe(struct tool *tool, anydnnProblem_t problem, const char *text,
                      struct operands *operands);
/* Random inputs, poisoned outputs and gaps. `normal`: inputs of floating point are N(0,1), so that
 * sums round, not multiples of 1/8, whose sums are exact. */
void operands_fill(struct operands *operands, uint64_t seed, int normal);
/* Random data for `size` bytes that begin at the operand's first, gaps included. */
void operand_fill_bytes(const struct operands *operands, int index, uint64_t seed,
                        unsigned char *bytes, size_t size);
void operands_free(struct operands *operands);
int operands_index(const struct operands *operands, const char *role); /* or -1 */

/* The scalars in logical order: `at` is the byte where the present one lies. */
struct walk {
    const struct operand *operand;
    int index[ANYDNN_DIM_MAX];
    int64_t left;
    size_t at;
};

void walk_begin(struct walk *walk, const struct operand *operand);
int walk_goes_on(const struct walk *walk);
void walk_next(struct walk *walk);

/* Files of scalars in logical order, lowest byte first. `bytes` is an image of the operand. */
int operand_read(struct tool *tool, const struct operand *operand, unsigned char *bytes,
                 const char *path);
int operand_write(struct tool *tool, const struct operand *operand, const unsigned char *bytes,
                  const char *path);

#endif
