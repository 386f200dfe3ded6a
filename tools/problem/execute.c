/* SPDX-License-Identifier: Apache-2.0 */
/* Puts operands into the handle's memory between guard zones, runs the problem, and looks at what
 * was written where. */
#include "tools/problem/execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* On both sides of every operand; a multiple of the 256 bytes to which memory is aligned. */
#define GUARD 1024

#define SUCCESS ANYDNN_STATUS_SUCCESS

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

static unsigned char guard_byte(size_t at)
{
    return (unsigned char)(0xa5 ^ at * 29);
}

/* ---- memory */

/* An operand whose text says align=N lies N bytes past a multiple of 2 N, never below its element's
 * own alignment. */
static int allocate(struct run *run, size_t bytes, size_t align, struct place *place)
{
    size_t slack = 2 * align;
    void *memory = NULL;

    place->bytes = bytes;
    place->room = GUARD + slack + bytes + GUARD;
    if (anydnnMemAlloc(run->handle, place->room, &memory) != SUCCESS)
        return tool_fail_status(run->tool, TOOL_FAILED);
    place->memory = memory;
    place->lead = GUARD;
    while (align > 0 && ((uintptr_t)memory + place->lead) % slack != align)
        place->lead++;
    return TOOL_FINE;
}

/* Image (NULL: all ones) and guard zones go to the device. */
static int upload(struct run *run, const struct place *place, const unsigned char *image)
{
    unsigned char *bytes = tool_alloc(place->room);
    anydnnStatus_t status;

    for (size_t i = 0; i < place->room; i++)
        bytes[i] = guard_byte(i);
    if (image != NULL)
        memcpy(bytes + place->lead, image, place->bytes);
    else
        memset(bytes + place->lead, 0xff, place->bytes);
    status =
        anydnnMemCopy(run->handle, place->memory, bytes, place->room, ANYDNN_MEMCPY_HOST_TO_DEVICE);
    free(bytes);
    return status == SUCCESS ? TOOL_FINE : tool_fail_status(run->tool, TOOL_FAILED);
}

static size_t alignment_of(const struct operands *operands, const struct operand *operand)
{
    size_t element = operand->element->size * (size_t)operand->element->lanes;

    if (operands->align == 0)
        return 0;
    return (size_t)operands->align > element ? (size_t)operands->align : element;
}

static int place_operands(struct run *run)
{
    const struct operands *operands = run->operands;
    size_t workspace = 0;
    int code = TOOL_FINE;

    if (anydnnProblemGetWorkspaceSize(run->handle, run->problem, &workspace) != SUCCESS)
        return tool_fail_status(run->tool, TOOL_FAILED);
    for (int i = 0; i < operands->count && code == TOOL_FINE; i++)
        if (operands->item[i].host) {
            run->pointers[i] = operands->item[i].image;
        } else if (operands->item[i].alias < 0) {
            code = allocate(run, operands->item[i].bytes,
                            alignment_of(operands, &operands->item[i]), &run->place[i]);
            run->pointers[i] = run->place[i].memory + run->place[i].lead;
        }
    for (int i = 0; i < operands->count; i++)
        if (operands->item[i].alias >= 0)
            run->pointers[i] = run->pointers[operands->item[i].alias];
    if (code == TOOL_FINE && workspace > 0)
        code = allocate(run, workspace, 0, &run->workspace);
    if (code == TOOL_FINE && workspace > 0)
        code = upload(run, &run->workspace, NULL);
    return code;
}

static void free_operands(struct run *run)
{
    for (int i = 0; i < OPERANDS_MAX; i++)
        anydnnMemFree(run->handle, run->place[i].memory);
    anydnnMemFree(run->handle, run->workspace.memory);
}

/* `all`, or only what a run wrote. */
static int upload_operands(struct run *run, int all)
{
    int code = TOOL_FINE;

    for (int i = 0; i < run->operands->count && code == TOOL_FINE; i++) {
        const struct operand *operand = &run->operands->item[i];

        if (operand->alias < 0 && !operand->host && (all || operand->written))
            code = upload(run, &run->place[i], operand->image);
    }
    return code;
}

/* ---- what was written */

static int damage(struct run *run, const char *role, const char *what, size_t distance,
                  const char *where)
{
    return tool_fail(run->tool, TOOL_FAILED, "backend %s %s operand %s, %zu bytes %s",
                     tool_text_of(run->outcome->record, "backend"), what, role, distance, where);
}

/* The whole place comes back; the guard zones must be as they were. */
static int download(struct run *run, const struct place *place, const char *role,
                    unsigned char **bytes)
{
    size_t end = place->lead + place->bytes;

    *bytes = tool_alloc(place->room);
    if (anydnnMemCopy(run->handle, *bytes, place->memory, place->room,
                      ANYDNN_MEMCPY_DEVICE_TO_HOST) != SUCCESS)
        return tool_fail_status(run->tool, TOOL_FAILED);
    for (size_t i = place->lead; i-- > 0;)
        if ((*bytes)[i] != guard_byte(i))
            return damage(run, role, "wrote outside", place->lead - i, "before its first");
    for (size_t i = end; i < place->room; i++)
        if ((*bytes)[i] != guard_byte(i))
            return damage(run, role, "wrote outside", i - end + 1, "after its last");
    return TOOL_FINE;
}

/* All that lies between the elements must be as before. */
static int check_gaps(struct run *run, const struct operand *operand, const unsigned char *after)
{
    unsigned char *expected = tool_alloc(operand->bytes);
    int code = TOOL_FINE;
    struct walk walk;

    memcpy(expected, operand->image, operand->bytes);
    if (operand->written)
        for (walk_begin(&walk, operand); walk_goes_on(&walk); walk_next(&walk))
            memcpy(expected + walk.at, after + walk.at, operand->element->size);
    for (size_t i = 0; i < operand->bytes && code == TOOL_FINE; i++)
        if (expected[i] != after[i])
            code = damage(run, operand->role, operand->written ? "wrote into a gap of" : "changed",
                          i, "after its first");
    free(expected);
    return code;
}

static int look_at(struct run *run, int index, unsigned char **after)
{
    const struct operand *operand = &run->operands->item[index];
    unsigned char *bytes = NULL;
    int code = download(run, &run->place[index], operand->role, &bytes);

    *after = NULL;
    if (code == TOOL_FINE)
        code = check_gaps(run, operand, bytes + run->place[index].lead);
    if (code == TOOL_FINE && operand->written) {
        *after = tool_alloc(operand->bytes);
        memcpy(*after, bytes + run->place[index].lead, operand->bytes);
    }
    free(bytes);
    return code;
}

/* The first run is kept; later ones must give the same bits where the record promises it. */
static int keep_or_compare(struct run *run, int index, unsigned char *after)
{
    unsigned char **kept = &run->outcome->after[index];
    size_t bytes = run->operands->item[index].bytes;
    int same;

    if (*kept == NULL) {
        *kept = after;
        return TOOL_FINE;
    }
    same = after == NULL || memcmp(*kept, after, bytes) == 0;
    free(after);
    if (same || json_integer_value(json_object_get(run->outcome->record, "deterministic")) == 0)
        return TOOL_FINE;
    return tool_fail(run->tool, TOOL_FAILED,
                     "backend %s calls itself deterministic, and two runs gave operand %s "
                     "different bits",
                     tool_text_of(run->outcome->record, "backend"),
                     run->operands->item[index].role);
}

static int look_at_all(struct run *run)
{
    unsigned char *after = NULL;
    unsigned char *bytes = NULL;
    int code = TOOL_FINE;

    for (int i = 0; i < run->operands->count && code == TOOL_FINE; i++) {
        if (run->operands->item[i].alias >= 0 || run->operands->item[i].host)
            continue;
        code = look_at(run, i, &after);
        if (code == TOOL_FINE)
            code = keep_or_compare(run, i, after);
    }
    if (code == TOOL_FINE && run->workspace.memory != NULL)
        code = download(run, &run->workspace, "workspace", &bytes);
    free(bytes);
    return code;
}

/* ---- running */

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
        code = upload_operands(run, i == 0);
        if (code == TOOL_FINE)
            code =
                run->execution->timed ? call_timed(run, &run->outcome->microseconds[i]) : call(run);
        if (code == TOOL_FINE && i == 0)
            run->outcome->record = record_of(run->handle);
        if (code == TOOL_FINE && anydnnSynchronize(run->handle) != SUCCESS)
            code = tool_fail_status(run->tool, TOOL_FAILED);
        if (code == TOOL_FINE && (i == 0 || i == repeat - 1))
            code = look_at_all(run);
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
        code = place_operands(&run);
    if (code == TOOL_FINE)
        code = run_all(&run);
    free_operands(&run);
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
