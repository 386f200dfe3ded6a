/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a problem on operands that guarded.c has placed, and keeps the library's record of the
 * call. */
#include "tools/problem/guarded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUCCESS ANYDNN_STATUS_SUCCESS

static json_t *record_of(anydnnHandle_t handle)
{
    static const char *const texts[] = {
        "backend", "math", "math_requested", "algorithm",   "algorithm_requested",
        "notes",   "plan", "rule",           "rule_origin", "staged_on"};
    static const char *const numbers[] = {"engine",       "workspace",       "deterministic",
                                          "unaligned",    "workspace_short", "staged",
                                          "staged_bytes", "fallback",        "config_dropped"};
    json_t *record = json_object();
    char *passed_over = tool_ask_handle(handle, "passed_over");

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        json_object_set_new(record, texts[i], tool_json_take(tool_ask_handle(handle, texts[i])));
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        int64_t number;

        if (anydnnGetDispatchInfoInt(handle, numbers[i], &number) == SUCCESS)
            json_object_set_new(record, numbers[i], json_integer(number));
    }
    json_object_set_new(record, "passed_over",
                        tool_json_lines(passed_over != NULL ? passed_over : ""));
    free(passed_over);
    return record;
}

static int call(struct run *run)
{
    void *workspace =
        run->workspace.memory != NULL ? run->workspace.memory + run->workspace.lead : NULL;

    if (anydnnProblemExecute(run->handle, run->problem, run->pointers, workspace,
                             run->workspace.bytes) == SUCCESS)
        return TOOL_FINE;
    return tool_fail_status(run->tool, TOOL_FAILED);
}

static int call_timed(struct run *run, double *microseconds)
{
    anydnnMark_t from = NULL;
    anydnnMark_t to = NULL;
    int code = TOOL_FINE;

    if (anydnnMark(run->handle, &from) != SUCCESS)
        return tool_fail_status(run->tool, TOOL_FAILED);
    code = call(run);
    if (code == TOOL_FINE && (anydnnMark(run->handle, &to) != SUCCESS ||
                              anydnnMarkElapsed(run->handle, from, to, microseconds) != SUCCESS))
        code = tool_fail_status(run->tool, TOOL_FAILED);
    anydnnMarkDestroy(run->handle, from);
    anydnnMarkDestroy(run->handle, to);
    return code;
}

static int run_all(struct run *run)
{
    int repeat = run->execution->repeat;
    int code = TOOL_FINE;

    run->outcome->microseconds = tool_alloc((size_t)repeat * sizeof(double));
    for (int i = 0; i < repeat && code == TOOL_FINE; i++) {
        code = guarded_upload(run, i == 0);
        if (code == TOOL_FINE)
            code =
                run->execution->timed ? call_timed(run, &run->outcome->microseconds[i]) : call(run);
        if (code == TOOL_FINE && i == 0)
            run->outcome->record = record_of(run->handle);
        if (code == TOOL_FINE && anydnnSynchronize(run->handle) != SUCCESS)
            code = tool_fail_status(run->tool, TOOL_FAILED);
        if (code == TOOL_FINE && (i == 0 || i == repeat - 1))
            code = guarded_look(run);
    }
    return code;
}

static int set_route(struct run *run, const char *text)
{
    char operation[64];
    char list[256];

    if (run->execution->backend == NULL)
        return TOOL_FINE;
    snprintf(operation, sizeof(operation), "%.*s", (int)strcspn(text, " "), text);
    snprintf(list, sizeof(list), "%s, fallback:off", run->execution->backend);
    if (anydnnSetRoute(run->handle, operation, NULL, list) == SUCCESS)
        return TOOL_FINE;
    return tool_fail_status(run->tool, TOOL_FAILED);
}

static int make_handle(struct run *run)
{
    run->handle = run->execution->handle;
    if (run->handle != NULL)
        return TOOL_FINE;
    if (run->execution->device == NULL)
        return tool_handle(run->tool, &run->handle);
    if (anydnnCreateOnDevice(&run->handle, run->execution->device) == SUCCESS)
        return TOOL_FINE;
    return tool_fail_status(run->tool, TOOL_FAILED);
}

int execute(struct tool *tool, const struct execution *execution, anydnnProblem_t problem,
            const char *text, const struct operands *operands, struct outcome *outcome)
{
    struct run run = {.tool = tool,
                      .execution = execution,
                      .operands = operands,
                      .outcome = outcome,
                      .problem = problem};
    int code;

    memset(outcome, 0, sizeof(*outcome));
    code = make_handle(&run);
    if (code != TOOL_FINE)
        return code;
    anydnnGetDevice(run.handle, outcome->device, sizeof(outcome->device));
    code = set_route(&run, text);
    if (code == TOOL_FINE)
        code = guarded_place(&run);
    if (code == TOOL_FINE)
        code = run_all(&run);
    guarded_free(&run);
    if (execution->handle == NULL)
        anydnnDestroy(run.handle);
    return code;
}

void outcome_free(struct outcome *outcome)
{
    for (int i = 0; i < OPERANDS_MAX; i++)
        free(outcome->after[i]);
    free(outcome->microseconds);
    json_decref(outcome->record);
}
