/* SPDX-License-Identifier: Apache-2.0 */
/* The options of anydnn run. */
#ifndef TOOLS_RUN_H
#define TOOLS_RUN_H

#include "tools/problem/operands.h"

struct run_file {
    const char *role; /* ends at the `=` */
    const char *path;
};

struct run_options {
    unsigned long long seed;
    const char *inputs; /* "eighths" or "normal" */
    const char *check;
    double tolerance; /* below 0: depends on the type */
    int repeat;       /* 0: not given */
    int timed;
    const char *edge; /* NULL, "start" or "end" */
    int in_count;
    int out_count;
    struct run_file in[OPERANDS_MAX];
    struct run_file out[OPERANDS_MAX];
};

extern const struct tool_option tool_run_options[];

#endif
