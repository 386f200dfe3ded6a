/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one problem on one device with given operands, and checks every byte around and between
 * them. */
#ifndef TOOLS_PROBLEM_EXECUTE_H
#define TOOLS_PROBLEM_EXECUTE_H

#include "tools/problem/operands.h"

/* The place of operands in host memory: near the page that faults behind them, at multiples of 256
 * bytes, or next to one of the pages. */
enum execution_edge { EDGE_ANY, EDGE_START, EDGE_END };

struct execution {
    const char *device;  /* NULL: as in tool_handle */
    const char *backend; /* the only backend to use; NULL: the default route */
    int repeat;
    int timed;
    enum execution_edge edge;
    anydnnHandle_t handle; /* handle to use with its routes; NULL: a new one */
};

struct outcome {
    char device[64];
    unsigned char *after[OPERANDS_MAX]; /* for operands that were written; else NULL */
    json_t *record;                     /* of the first run */
    double *microseconds;               /* of each run if timed */
};

/* Executes the problem. `text` is the problem as the library prints it. */
int execute(struct tool *tool, const struct execution *execution, anydnnProblem_t problem,
            const char *text, const struct operands *operands, struct outcome *outcome);
void outcome_free(struct outcome *outcome);

#endif
