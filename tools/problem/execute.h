/* SPDX-License-Identifier: Apache-2.0 */
/* One problem run on one device with given operands, every byte around and between them watched. */
#ifndef TOOLS_PROBLEM_EXECUTE_H
#define TOOLS_PROBLEM_EXECUTE_H

#include "tools/problem/operands.h"

struct execution {
    const char *device;  /* NULL: as tool_handle */
    const char *backend; /* the only one to be asked; NULL: as routed */
    int repeat;
    int timed;
    anydnnHandle_t handle; /* to run on instead, as it is routed; NULL: a new one */
};

struct outcome {
    char device[64];
    unsigned char *after[OPERANDS_MAX]; /* of operands that were written; else NULL */
    json_t *record;                     /* of the first run */
    double *microseconds;               /* of each run, when timed */
};

/* `text` is the problem as the library prints it. */
int execute(struct tool *tool, const struct execution *execution, anydnnProblem_t problem,
            const char *text, const struct operands *operands, struct outcome *outcome);
void outcome_free(struct outcome *outcome);

#endif
