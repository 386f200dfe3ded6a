/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, guard zones and execution for tests that state a problem as text. */
#include "tests/conformance/problem_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 256 /* elements on each side: at least 256 bytes, and a multiple of 256 */

/* Advances a logical index in row-major order and returns its offset in bytes, or -1 at the end.
 * Start with index[0] = -1. In a vector type strides count vectors, and channel c is lane c %
 * lanes of vector c / lanes. */
static ptrdiff_t next_offset(const struct prun_operand *operand, int *index)
{
    const struct number_type *type = operand->number;
    ptrdiff_t offset = 0;
    int lane = 0;

    if (index[0] < 0) {
        memset(index, 0, (size_t)operand->ndims * sizeof(*index));
    } else {
        int d = operand->ndims - 1;

        while (d >= 0 && ++index[d] == operand->dims[d])
            index[d--] = 0;
        if (d < 0)
            return -1;
    }
    for (int d = 0; d < operand->ndims; d++) {
        int lanes = d == 1 ? type->lanes : 1;

        offset += (ptrdiff_t)(index[d] / lanes) * operand->strides[d];
        lane += index[d] % lanes;
    }
    return (offset * type->lanes + lane) * (ptrdiff_t)type->bytes;
}

void prun_set(struct prun_operand *operand, const double *value)
{
    int index[ANYDNN_DIM_MAX] = {-1};
    ptrdiff_t at;

    while ((at = next_offset(operand, index)) >= 0)
        number_put(operand->number, operand->data + at, *value++);
}

void prun_get(const struct prun_operand *operand, double *value)
{
    int index[ANYDNN_DIM_MAX] = {-1};
    ptrdiff_t at;

    while ((at = next_offset(operand, index)) >= 0)
        *value++ = number_get(operand->number, operand->data + at);
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

/* Parses `alias=out:in,...`: records which operand shares whose memory. */
static void find_aliases(struct prun *run, const char *text)
{
    const char *at = strstr(text, " alias=");
    char pairs[128] = "";
    char *save = NULL;

    if (at)
        sscanf(at, " alias=%127s", pairs);
    for (char *pair = strtok_r(pairs, ",", &save); pair; pair = strtok_r(NULL, ",", &save)) {
        char *colon = strchr(pair, ':');
        struct prun_operand *out, *in;

        if (!colon)
            continue;
        *colon = '\0';
        out = prun_find(run, pair);
        in = prun_find(run, colon + 1);
        if (out && in) {
            if (out->alias >= 0) /* a further input shares the memory of the first */
                in->alias = out->alias;
            else
                out->alias = (int)(in - run->operand);
            in->shared = 1;
        }
    }
}

static int describe(struct prun *run, int i)
{
    struct prun_operand *operand = &run->operand[i];
    anydnnTensorDescriptor_t desc = NULL;
    anydnnStatus_t status = anydnnCreateTensorDescriptor(&desc);

    if (!status)
        status =
            anydnnProblemGetOperand(run->problem, i, &operand->role, desc, &operand->direction);
    if (!status)
        status = anydnnGetTensorNdDescriptor(desc, ANYDNN_DIM_MAX, &operand->type, &operand->ndims,
                                             operand->dims, operand->strides);
    anydnnDestroyTensorDescriptor(desc);
    if (status)
        return api_failed(run, "anydnnProblemGetOperand", status);
    operand->number = number_type_of((int)operand->type);
    if (!operand->number) {
        snprintf(run->error, sizeof(run->error), "%s: no test uses type %d", operand->role,
                 (int)operand->type);
        return -1;
    }
    operand->element = operand->number->bytes * (size_t)operand->number->lanes;
    operand->alias = -1;
    operand->count = operand->stored = 1;
    for (int d = 0; d < operand->ndims; d++) {
        int extent = operand->dims[d] / (d == 1 ? operand->number->lanes : 1);

        operand->count *= (size_t)operand->dims[d];
        operand->stored += (size_t)(extent - 1) * (size_t)operand->strides[d];
    }
    operand->stored *= operand->element;
    return 0;
}

static int allocate(struct prun *run, struct prun_operand *operand, int shift)
{
    size_t before = (GUARD + (size_t)shift) * operand->element;
    void *block = NULL;

    operand->bytes = before + operand->stored + GUARD * operand->element;
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
    status = anydnnProblemGetOperandCount(run->problem, &run->count);
    if (run->count > PRUN_OPERANDS) {
        run->count = 0;
        status = ANYDNN_STATUS_INTERNAL_ERROR;
    }
    if (status)
        return api_failed(run, "anydnnProblemGetOperandCount", status);
    for (int i = 0; i < run->count; i++)
        if (describe(run, i))
            return -1;
    find_aliases(run, text);
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
    if (run->problem)
        anydnnProblemDestroy(run->problem);
    memset(run, 0, sizeof(*run));
}

/* Copies from the block into `before` what the operation may write, then compares the rest. */
static int untouched(struct prun *run, struct prun_operand *operand)
{
    size_t size = operand->number->bytes;
    int index[ANYDNN_DIM_MAX] = {-1};
    ptrdiff_t at;

    if (operand->direction != ANYDNN_DIRECTION_INPUT || operand->shared) {
        size_t first = (size_t)(operand->data - operand->block);

        while ((at = next_offset(operand, index)) >= 0)
            memcpy(operand->before + first + (size_t)at, operand->data + at, size);
    }
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
