/* SPDX-License-Identifier: Apache-2.0 */
/* What anydnn run is asked for. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

static int set_seed(struct tool *tool, void *own, const char *value)
{
    return tool_number(tool, "seed", value, 0, INT64_MAX, &((struct run_options *)own)->seed);
}

static int set_inputs(struct tool *tool, void *own, const char *value)
{
    struct run_options *options = own;

    options->normal = strcmp(value, "normal") == 0;
    if (!options->normal && strcmp(value, "eighths") != 0)
        return tool_fail(tool, TOOL_USAGE, "--inputs=%s: takes eighths or normal", value);
    return TOOL_FINE;
}

static int set_check(struct tool *tool, void *own, const char *value)
{
    (void)tool;
    ((struct run_options *)own)->check = value;
    return TOOL_FINE;
}

static int set_tolerance(struct tool *tool, void *own, const char *value)
{
    double *tolerance = &((struct run_options *)own)->tolerance;
    char *end;

    *tolerance = strtod(value, &end);
    if (end == value || *end != '\0' || !(*tolerance >= 0))
        return tool_fail(tool, TOOL_USAGE, "--tolerance=%s: takes a number from 0", value);
    return TOOL_FINE;
}

static int set_repeat(struct tool *tool, void *own, const char *value)
{
    unsigned long long number;
    int code = tool_number(tool, "repeat", value, 1, 1000000, &number);

    if (code == TOOL_FINE)
        ((struct run_options *)own)->repeat = (int)number;
    return code;
}

static int set_time(struct tool *tool, void *own, const char *value)
{
    (void)tool;
    (void)value;
    ((struct run_options *)own)->timed = 1;
    return TOOL_FINE;
}

static int add_file(struct tool *tool, const char *option, const char *value,
                    struct run_file *files, int *count)
{
    const char *equals = strchr(value, '=');

    if (equals == NULL || equals == value || equals[1] == '\0')
        return tool_fail(tool, TOOL_USAGE, "--%s %s: takes ROLE=FILE, such as x=x.bin", option,
                         value);
    if (*count == OPERANDS_MAX)
        return tool_fail(tool, TOOL_USAGE, "--%s %s: is one too many; %d are taken", option, value,
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
    {"seed", "N", "of the random inputs (1)", set_seed},
    {"inputs", "KIND", "eighths: multiples of 1/8, exact sums; normal: N(0,1) (eighths)",
     set_inputs},
    {"in", "ROLE=FILE", "values of an operand, raw, in logical order", set_in},
    {"out", "ROLE=FILE", "write an output's values likewise", set_out},
    {"check", "BACKEND", "run it there too and compare the outputs", set_check},
    {"tolerance", "X", "largest relative L2 difference for --check (by type)", set_tolerance},
    {"repeat", "N", "run N times (1; with --time 11); equal bits where promised", set_repeat},
    {"time", NULL, "microseconds of the first run, and of the others", set_time},
    {NULL, NULL, NULL, NULL},
};
