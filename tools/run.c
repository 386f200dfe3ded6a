/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn run: runs a problem on given or random data, shows the outputs and the backend that
 * computed them, and compares with another backend. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "tools/problem/execute.h"
#include "tools/problem/report.h"

#define TIMED_RUNS 11

/* ---- files */

/* Returns the operand that ROLE=FILE names, or -1 with a message. */
static int operand_of(struct tool *tool, const char *option, const struct run_file *file,
                      const struct operands *operands, anydnnDirection_t needed)
{
    char role[64];
    char roles[256] = "";
    size_t length = 0;
    int index;

    snprintf(role, sizeof(role), "%.*s", (int)strcspn(file->role, "="), file->role);
    index = operands_index(operands, role);
    if (index >= 0 && (operands->item[index].direction & needed))
        return index;
    for (int i = 0; i < operands->count && length < sizeof(roles); i++)
        if (operands->item[i].direction & needed)
            length += (size_t)snprintf(roles + length, sizeof(roles) - length, " %s",
                                       operands->item[i].role);
    tool_fail(tool, TOOL_USAGE, "--%s %s: the problem does not have this operand; available:%s",
              option, file->role, roles);
    return -1;
}

/* Reads the given files. An output may be given its previous values, for a beta other than 0. */
static int read_files(struct tool *tool, const struct run_options *options,
                      struct operands *operands)
{
    anydnnDirection_t needed =
        operands->blends ? ANYDNN_DIRECTION_INPUT_OUTPUT : ANYDNN_DIRECTION_INPUT;
    int code = TOOL_FINE;

    for (int i = 0; i < options->in_count && code == TOOL_FINE; i++) {
        int index = operand_of(tool, "in", &options->in[i], operands, needed);

        if (index >= 0 && operands->item[index].alias >= 0)
            index = operands->item[index].alias;
        code = index < 0 ? TOOL_USAGE
                         : operand_read(tool, &operands->item[index], operands->item[index].image,
                                        options->in[i].path);
    }
    return code;
}

static int write_files(struct tool *tool, const struct run_options *options,
                       const struct operands *operands, const struct outcome *outcome)
{
    int code = TOOL_FINE;

    for (int i = 0; i < options->out_count && code == TOOL_FINE; i++) {
        int index = operand_of(tool, "out", &options->out[i], operands, ANYDNN_DIRECTION_OUTPUT);

        if (index < 0)
            return TOOL_USAGE;
        code = operand_write(tool, &operands->item[index], report_after(operands, outcome, index),
                             options->out[i].path);
    }
    return code;
}

/* ---- the other backend */

/* Selects the other backend. It gets its own device if it does not share the first one's memory. */
static int choose_check(struct tool *tool, const char *name, const char *device, char *other,
                        size_t size)
{
    char *reason = NULL;
    char *space = NULL;
    int index = tool_backend_index(name);
    int code = TOOL_FINE;

    if (index < 0)
        return tool_fail(
            tool, TOOL_FAILED,
            "--check %s: this backend is not installed; `anydnn info` lists the backends", name);
    reason = tool_ask(anydnnGetBackendInfo, index, "reason");
    space = tool_ask(anydnnGetBackendInfo, index, "space");
    if (reason != NULL && reason[0] != '\0')
        code = tool_fail(tool, TOOL_FAILED, "--check %s: %s", name, reason);
    else if (space == NULL || space[0] == '\0' ||
             (strncmp(device, space, strlen(space)) == 0 && device[strlen(space)] == ':'))
        snprintf(other, size, "%s", device);
    else
        snprintf(other, size, "%s", strcmp(space, "host") == 0 ? "cpu" : space);
    free(reason);
    free(space);
    return code;
}

static enum execution_edge edge_of(const struct run_options *options)
{
    return options->edge == NULL                 ? EDGE_ANY
           : strcmp(options->edge, "start") == 0 ? EDGE_START
                                                 : EDGE_END;
}

static int check(struct tool *tool, const struct run_options *options, anydnnProblem_t problem,
                 const char *text, const struct operands *operands, const struct outcome *first,
                 json_t *answer)
{
    char device[64];
    struct execution execution = {.device = device, .backend = options->check, .repeat = 1};
    struct outcome second;
    int code = choose_check(tool, options->check, first->device, device, sizeof(device));

    if (code != TOOL_FINE)
        return code;
    code = execute(tool, &execution, problem, text, operands, &second);
    if (code == TOOL_FINE)
        json_object_set_new(
            answer, "check",
            report_check(options->check, options->tolerance, operands, first, &second));
    outcome_free(&second);
    return code;
}

/* ---- the command */

static int run_described(struct tool *tool, const struct run_options *options,
                         anydnnProblem_t problem, const char *text, struct operands *operands,
                         json_t *answer)
{
    struct execution execution = {
        .repeat = options->repeat, .timed = options->timed, .edge = edge_of(options)};
    struct outcome outcome;
    int code;

    if (options->repeat == 0)
        execution.repeat = options->timed ? TIMED_RUNS : 1;
    operands_fill(operands, options->seed, strcmp(options->inputs, "normal") == 0);
    code = read_files(tool, options, operands);
    if (code != TOOL_FINE)
        return code;
    code = execute(tool, &execution, problem, text, operands, &outcome);
    if (code == TOOL_FINE) {
        json_object_set_new(answer, "device", json_string(outcome.device));
        json_object_set_new(answer, "seed", json_integer((json_int_t)options->seed));
        json_object_set_new(answer, "inputs", json_string(options->inputs));
        json_object_set(answer, "record", outcome.record);
        json_object_set_new(answer, "outputs", report_outputs(operands, &outcome));
        if (execution.timed)
            json_object_set_new(answer, "time",
                                report_time(outcome.microseconds, execution.repeat));
        code = write_files(tool, options, operands, &outcome);
    }
    if (code == TOOL_FINE && options->check != NULL)
        code = check(tool, options, problem, text, operands, &outcome, answer);
    outcome_free(&outcome);
    return code;
}

static int run_problem(struct tool *tool, void *own, const char *given, json_t *answer)
{
    const struct run_options *options = own;
    anydnnProblem_t problem = NULL;
    struct operands operands = {.count = 0};
    char *text = NULL;
    int code = tool_parse(tool, given, &problem, &text);

    if (code == TOOL_FINE) {
        json_object_set_new(answer, "problem", tool_json_text(text));
        code = operands_describe(tool, problem, text, &operands);
    }
    if (code == TOOL_FINE)
        code = run_described(tool, options, problem, text, &operands, answer);
    if (!tool->json && json_object_get(answer, "outputs") != NULL) {
        tool_begin_text(tool);
        report_print(answer);
    }
    if (code == TOOL_FINE)
        code = report_verdict(tool, answer);
    operands_free(&operands);
    anydnnProblemDestroy(problem);
    free(text);
    return code;
}

static int run(struct tool *tool, int argc, char **argv)
{
    struct run_options options = {.seed = 1, .inputs = "eighths", .tolerance = -1};
    int first;
    int code = tool_options(tool, &tool_run, &options, argc, argv, &first);

    if (code != TOOL_GO_ON)
        return code;
    if (argc - first == 1 && strcmp(argv[first], "-") == 0 &&
        options.in_count + options.out_count > 0)
        return tool_fail(tool, TOOL_USAGE, "--in and --out require a single problem, not `-`");
    return tool_each_problem(tool, argc - first, argv + first, run_problem, &options);
}

const struct tool_command tool_run = {
    "run", "PROBLEM | -", "Runs a problem once on given or random data and shows the results.",
    tool_run_options, run};
