/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, guard zones and execution for tests that state a problem as text. */
#include "tests/conformance/problem_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/problem/operands.h"

#define GUARD 256 /* elements on each side: at least 256 bytes, and a multiple of 256 */

void prun_set(struct prun_operand *operand, const double *value)
{
    struct walk walk;

    for (walk_begin(&walk, operand->shape); walk_goes_on(&walk); walk_next(&walk))
        number_put(operand->number, operand->data + walk.at, *value++);
}

void prun_get(const struct prun_operand *operand, double *value)
{
    struct walk walk;

    for (walk_begin(&walk, operand->shape); walk_goes_on(&walk); walk_next(&walk))
        *value++ = number_get(operand->number, operand->data + walk.at);
}

int prun_same_bytes(const struct prun_operand *a, const struct prun_operand *b)
{
    return a->stored == b->stored && memcmp(a->data, b->data, a->stored) == 0;
}

struct prun_operand *prun_find(struct prun *run, const char *role)
{
    for (int i = 0; i < run->count; i++)
        if (strcmp(run->operand[i].role, role) == 0)
            return &run->operand[i];
    return NULL;
}

static int api_failed(struct prun *run, const char *call, anydnnStatus_t status)
{
    char why[1024] = "";

    anydnnGetLastErrorString(why, sizeof(why));
    snprintf(run->error, sizeof(run->error), "%s: %s: %s", call, anydnnGetErrorString(status), why);
    return -1;
}

/* Describes the operands by the problem's text as the library prints it. */
static int describe(struct prun *run)
{
    struct tool tool = {.quiet = 1};
    size_t size = 0;
    char *text;
    int failed;

    if (anydnnProblemPrint(run->problem, NULL, 0, &size))
        return api_failed(run, "anydnnProblemPrint", ANYDNN_STATUS_INTERNAL_ERROR);
    text = tool_alloc(size);
    anydnnProblemPrint(run->problem, text, size, NULL);
    run->operands = tool_alloc(sizeof(*run->operands));
    failed = operands_describe(&tool, run->problem, text, run->operands) != TOOL_FINE;
    snprintf(run->error, sizeof(run->error), "%s", failed ? tool.sentence : "");
    run->count = failed ? 0 : run->operands->count;
    free(tool.sentence);
    free(text);
    for (int i = 0; i < run->count; i++) {
        const struct operand *shape = &run->operands->item[i];

        run->operand[i] = (struct prun_operand){.shape = shape,
                                                .role = shape->role,
                                                .direction = shape->direction,
                                                .number = number_type_named(shape->element->name),
                                                .count = (size_t)shape->count,
                                                .stored = shape->bytes,
                                                .alias = shape->alias};
        if (!run->operand[i].number) {
            snprintf(run->error, sizeof(run->error), "%s: no test uses type %s", shape->role,
                     shape->element->name);
            return -1;
        }
    }
    return failed ? -1 : 0;
}

static int allocate(struct prun *run, struct prun_operand *operand, int shift)
{
    size_t element = operand->number->bytes * (size_t)operand->number->lanes;
    size_t before = (GUARD + (size_t)shift) * element;
    void *block = NULL;

    operand->bytes = before + operand->stored + GUARD * element;
    operand->before = malloc(operand->bytes);
    if (!operand->before || posix_memalign(&block, 256, operand->bytes)) {
        snprintf(run->error, sizeof(run->error), "out of memory for operand %s", operand->role);
        return -1;
    }
    operand->block = block;
    operand->data = operand->block + before;
    for (size_t at = 0; at < operand->bytes; at += operand->number->bytes)
        number_poison(operand->number, operand->block + at, at / operand->number->bytes);
    return 0;
}

int prun_open(struct prun *run, anydnnHandle_t handle, const char *text, int shift)
{
    anydnnStatus_t status;

    memset(run, 0, sizeof(*run));
    run->handle = handle;
    status = anydnnProblemParse(text, &run->problem);
    if (status)
        return api_failed(run, "anydnnProblemParse", status);
    if (describe(run))
        return -1;
    for (int i = 0; i < run->count; i++)
        if (run->operand[i].alias < 0 && allocate(run, &run->operand[i], shift))
            return -1;
    for (int i = 0; i < run->count; i++) {
        struct prun_operand *operand = &run->operand[i];

        if (operand->alias >= 0)
            operand->data = run->operand[operand->alias].data;
        run->pointers[i] = operand->data;
    }
    return 0;
}

void prun_close(struct prun *run)
{
    for (int i = 0; i < run->count; i++) {
        free(run->operand[i].block);
        free(run->operand[i].before);
    }
    free(run->operands);
    if (run->problem)
        anydnnProblemDestroy(run->problem);
    memset(run, 0, sizeof(*run));
}

/* Copies from the block into `before` what the operation may write, then compares the rest. */
static int untouched(struct prun *run, struct prun_operand *operand)
{
    size_t size = operand->number->bytes;
    size_t first = (size_t)(operand->data - operand->block);
    struct walk walk;

    walk_begin(&walk, operand->shape);
    for (; operand->shape->written && walk_goes_on(&walk); walk_next(&walk))
        memcpy(operand->before + first + walk.at, operand->data + walk.at, size);
    for (size_t i = 0; i < operand->bytes; i++) {
        if (operand->before[i] == operand->block[i])
            continue;
        snprintf(run->error, sizeof(run->error),
                 "%s: a byte that must not be written has changed, %ld bytes from the first",
                 operand->role, (long)i - (long)(operand->data - operand->block));
        return -1;
    }
    return 0;
}

int prun_execute(struct prun *run, int with_workspace)
{
    size_t bytes = 0;
    void *workspace = NULL;
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;

    if (with_workspace)
        status = anydnnProblemGetWorkspaceSize(run->handle, run->problem, &bytes);
    if (status)
        return api_failed(run, "anydnnProblemGetWorkspaceSize", status);
    if (bytes && posix_memalign(&workspace, 256, bytes))
        return api_failed(run, "posix_memalign", ANYDNN_STATUS_ALLOC_FAILED);
    if (workspace)
        memset(workspace, 0xff, bytes);
    for (int i = 0; i < run->count; i++)
        if (run->operand[i].block)
            memcpy(run->operand[i].before, run->operand[i].block, run->operand[i].bytes);
    status = anydnnProblemExecute(run->handle, run->problem, run->pointers, workspace, bytes);
    if (!status)
        status = anydnnSynchronize(run->handle);
    free(workspace);
    if (status)
        return api_failed(run, "anydnnProblemExecute", status);
    for (int i = 0; i < run->count; i++)
        if (run->operand[i].block && untouched(run, &run->operand[i]))
            return -1;
    return 0;
}

anydnnHandle_t prun_handle(void)
{
    const char *folder = getenv("ANYDNN_TEST_PLUGINDIR");
    anydnnHandle_t handle = NULL;
    char why[1024] = "";

    if (folder)
        setenv("ANYDNN_PLUGIN_PATH", folder, 1);
    setenv("ANYDNN_ROUTE", "cpu_ref", 1);
    if (anydnnCreateOnDevice(&handle, "cpu")) {
        anydnnGetLastErrorString(why, sizeof(why));
        fprintf(stderr, "anydnnCreateOnDevice(\"cpu\"): %s\n", why);
        return NULL;
    }
    return handle;
}
