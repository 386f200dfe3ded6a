/* SPDX-License-Identifier: Apache-2.0 */
/* A run's operands in the handle's memory, between guard zones that a backend must not change. */
#ifndef TOOLS_PROBLEM_GUARDED_H
#define TOOLS_PROBLEM_GUARDED_H

#include "tools/problem/execute.h"

struct place {
    unsigned char *memory; /* memory of the device */
    size_t lead;           /* bytes before the operand */
    size_t bytes;
    size_t capacity; /* total bytes */
    int mapped;      /* 1: host memory between pages that fault */
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

/* Allocates the operands and the workspace. */
int guarded_place(struct run *run);
void guarded_free(struct run *run);
/* Uploads images and guard zones: of all operands, or only of those that a run writes. */
int guarded_upload(struct run *run, int all);
/* Downloads the outputs, and keeps them or compares them with an earlier run. Fails if a byte
 * elsewhere was written. */
int guarded_look(struct run *run);

#endif
