/* SPDX-License-Identifier: Apache-2.0 */
/* A run's operands in the handle's memory, between guard zones that a backend must leave as they
 * are. */
#ifndef TOOLS_PROBLEM_GUARDED_H
#define TOOLS_PROBLEM_GUARDED_H

#include "tools/problem/execute.h"

struct place {
    unsigned char *memory; /* of the device */
    size_t lead;           /* bytes before the operand */
    size_t bytes;
    size_t room; /* all bytes */
};

struct run {
    struct tool *tool;
    const struct execution *execution;
    const struct operands *operands;
    struct outcome *outcome;
    anydnnHandle_t handle;
    anydnnProblem_t problem;
    struct place place[OPERANDS_MAX];
    struct place workspace;
    void *pointers[OPERANDS_MAX];
};

/* Makes room for the operands and the workspace. */
int guarded_place(struct run *run);
void guarded_free(struct run *run);
/* Images and guard zones go to the device: of all operands, or only of what a run wrote. */
int guarded_upload(struct run *run, int all);
/* What the run wrote comes back, is kept, or compared with what an earlier run of the same wrote; a
 * byte written elsewhere fails. */
int guarded_look(struct run *run);

#endif
