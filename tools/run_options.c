/* SPDX-License-Identifier: Apache-2.0 */
/* The options of anydnn run. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

static const char *const inputs[] = {"eighths", "normal", NULL};
static const char *const edges[] = {"start", "end", NULL};

static int set_tolerance(struct tool *tool, void *own, const char *value)
{
    double *tolerance = &((struct run_options *)own)->tolerance;
    char *end;

    *tolerance = strtod(value, &end);
    if (end == value || *end != '\0' || !(*tolerance >= 0))
        return tool_fail(tool, TOOL_USAGE, "--tolerance=%s: must be a number of at least 0", value);
    return TOOL_FINE;
}

static int add_file(struct tool *tool, const char *option, const char *value,
                    struct run_file *files, int *count)
{
    const char *equals = strchr(value, '=');

    if (equals == NULL || equals == value || equals[1] == '\0')
        return tool_fail(tool, TOOL_USAGE, "--%s %s: must be ROLE=FILE, such as x=x.bin", option,
                         value);
    if (*count == OPERANDS_MAX)
        return tool_fail(tool, TOOL_USAGE, "--%s %s: too many; the maximum is %d", option, value,
                         OPERANDS_MAX);
    files[*count].role = value;
    files[*count].path = equals + 1;
    ++*count;
    return TOOL_FINE;
}

static int set_in(struct tool *tool, void *own, const char *value)
{
    struct run_options *options = own;

    return add_file(tool, "in", value, options->in, &options->in_count);
}

static int set_out(struct tool *tool, void *own, const char *value)
{
    struct run_options *options = own;

    return add_file(tool, "out", value, options->out, &options->out_count);
}

const struct tool_option tool_run_options[] = {
    {"seed", "N", "seed of the random inputs (1)",
     TOOL_KEEP_NUMBER(run_options, seed, 0, INT64_MAX)},
    {"inputs", "KIND", "eighths: multiples of 1/8, exact sums; normal: N(0,1) (eighths)",
     TOOL_KEEP(run_options, inputs, TOOL_WORD), .words = inputs},
    {"in", "ROLE=FILE", "read an operand's values: raw, in logical order", .set = set_in},
    {"out", "ROLE=FILE", "write an output's values in the same format", .set = set_out},
    {"check", "BACKEND", "also run it on BACKEND and compare the outputs",
     TOOL_KEEP(run_options, check, TOOL_TEXT)},
    {"tolerance", "X", "largest relative L2 difference for --check (by type)",
     .set = set_tolerance},
    {"repeat", "N", "run N times (1; with --time 11) and check promised determinism",
     TOOL_KEEP(run_options, repeat, TOOL_INT), .low = 1, .high = 1000000},
    {"edge", "SIDE", "put operands in host memory next to a page that faults: start or end",
     TOOL_KEEP(run_options, edge, TOOL_WORD), .words = edges},
    {"time", NULL, "show the microseconds of the first and of later runs",
     TOOL_KEEP_FLAG(run_options, timed)},
    TOOL_OPTIONS_END,
};
