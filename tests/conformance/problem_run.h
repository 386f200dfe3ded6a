/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one problem, given as text, on a handle of the host with new buffers. Bytes that the
 * problem does not describe hold NaN of a known pattern: gaps between elements, and guard zones
 * on both sides. So do outputs without prior content. Uses only the public API, and the operands of
 * tools/problem, which the library under test does not contain. */
#ifndef TESTS_CONFORMANCE_PROBLEM_RUN_H
#define TESTS_CONFORMANCE_PROBLEM_RUN_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/anydnn.h>

#include "tests/conformance/types.h"

#define PRUN_OPERANDS 16

struct prun_operand {
    const struct operand *shape; /* by tools/problem/operands.h */
    const char *role;
    anydnnDirection_t direction;
    const struct number_type *number;
    size_t count;  /* described numbers */
    size_t stored; /* bytes from the first number to the end of the last */
    int alias;     /* the operand whose memory this one shares, or -1 */
    size_t bytes;  /* size of block */
    unsigned char *block;
    unsigned char *before; /* copy of block just before the execution */
    unsigned char *data;
};

struct prun {
    anydnnHandle_t handle;
    anydnnProblem_t problem;
    struct operands *operands; /* what the operands' shapes point to */
    int count;
    struct prun_operand operand[PRUN_OPERANDS];
    void *pointers[PRUN_OPERANDS];
    char error[1600];
};

/* Opens a problem; returns 0, or -1 with `error` set. Every operand begins `shift` elements
 * after a 256-byte boundary. */
int prun_open(struct prun *run, anydnnHandle_t handle, const char *text, int shift);
void prun_close(struct prun *run);

struct prun_operand *prun_find(struct prun *run, const char *role);
/* Store and read `value` in logical row-major order; -DBL_MAX stands for the type's lowest
 * finite value. */
void prun_set(struct prun_operand *operand, const double *value);
void prun_get(const struct prun_operand *operand, double *value);
/* Executes with the required workspace (`with_workspace`) or without one. Then checks that only
 * described elements of outputs have changed. Returns 0, or -1 with `error` set. */
int prun_execute(struct prun *run, int with_workspace);
/* Returns 1 if the same operand of two runs holds the same bytes. */
int prun_same_bytes(const struct prun_operand *a, const struct prun_operand *b);

/* Returns a handle of the host whose only backend is the cpu_ref of this build; NULL with a
 * sentence on stderr. */
anydnnHandle_t prun_handle(void);

#endif
