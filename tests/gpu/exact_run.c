/* SPDX-License-Identifier: Apache-2.0 */
/* One problem on two backends of one device: whole numbers in, runs, and a comparison there. */
#include "exact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What outputs hold before: unlike each other, and that of the tested no number in floating types.
 */
#define UNWRITTEN_TESTED    0xff
#define UNWRITTEN_REFERENCE 0x7f

/* ---- running */

static int describe(struct work *work)
{
    anydnnTensorDescriptor_t desc = NULL;
    int strides[ANYDNN_DIM_MAX], ndims;
    int failed = anydnnCreateTensorDescriptor(&desc) != SUCCESS ||
                 anydnnProblemGetOperandCount(work->problem, &work->count) != SUCCESS ||
                 work->count > OPERANDS;

    for (int i = 0; i < work->count && !failed; i++) {
        struct operand *operand = &work->operand[i];

        failed =
            anydnnProblemGetOperand(work->problem, i, NULL, desc, &operand->direction) != SUCCESS ||
            anydnnGetTensorSizeInBytes(desc, &operand->bytes) != SUCCESS ||
            anydnnGetTensorNdDescriptor(desc, ANYDNN_DIM_MAX, &operand->type, &ndims, operand->dims,
                                        strides) != SUCCESS;
    }
    anydnnDestroyTensorDescriptor(desc);
    return failed ? -1 : 0;
}

int exact_parse(const char *text, struct work *work)
{
    return anydnnProblemParse(text, &work->problem) == SUCCESS && describe(work) == 0 ? 0 : -1;
}

/* DECLINED or FAILED with the library's sentence. */
enum verdict exact_call(struct exact *exact, const struct work *work, int side,
                        const struct room input[OPERANDS], struct room output[OPERANDS],
                        int unwritten)
{
    anydnnHandle_t handle = exact->handle[side];
    void *pointer[OPERANDS];
    size_t bytes = 0;
    anydnnStatus_t status = anydnnProblemGetWorkspaceSize(handle, work->problem, &bytes);

    if (status == ANYDNN_STATUS_NOT_SUPPORTED)
        return DECLINED;
    if (status != SUCCESS || exact_room(exact, &exact->workspace, bytes) != 0)
        return FAILED;
    for (int i = 0; i < work->count; i++) {
        const struct operand *operand = &work->operand[i];

        pointer[i] = input[i].data;
        if (operand->direction == ANYDNN_DIRECTION_INPUT)
            continue;
        if (exact_room(exact, &output[i], operand->bytes) != 0 ||
            anydnnMemSet(handle, output[i].data, unwritten, operand->bytes) != SUCCESS)
            return FAILED;
        pointer[i] = output[i].data;
    }
    status = anydnnProblemExecute(handle, work->problem, pointer, exact->workspace.data, bytes);
    if (status == SUCCESS)
        status = anydnnSynchronize(handle);
    return status == SUCCESS ? GOOD : FAILED;
}

/* ---- comparing */

static int run_text(struct exact *exact, const char *text, void *const pointer[])
{
    anydnnProblem_t problem = NULL;
    size_t bytes = 0;
    int failed =
        anydnnProblemParse(text, &problem) != SUCCESS ||
        anydnnProblemGetWorkspaceSize(exact->handle[REFERENCE], problem, &bytes) != SUCCESS ||
        exact_room(exact, &exact->workspace, bytes) != 0 ||
        anydnnProblemExecute(exact->handle[REFERENCE], problem, pointer, exact->workspace.data,
                             bytes) != SUCCESS;

    anydnnProblemDestroy(problem);
    return failed ? -1 : 0;
}

/* The largest difference is 0; a difference from NaN is NaN, and is kept. Both operations are the
 * reference's. */
static enum verdict compare_there(struct exact *exact, const char *type, size_t size, size_t bytes,
                                  void *tested, void *reference)
{
    void *const difference[] = {reference, tested, reference};
    void *const largest[] = {reference, tested};
    size_t count = bytes / size;
    char text[400];
    double found = 0;

    snprintf(text, sizeof(text),
             "op_tensor a=%s:1,1,1,%zu b=%s:1,1,1,%zu c=%s:1,1,1,%zu op=add alpha2=-1 alias=c:a",
             type, count, type, count, type, count);
    if (run_text(exact, text, difference) != 0)
        return FAILED;
    snprintf(text, sizeof(text),
             "reduce_tensor a=%s:1,1,1,%zu c=%s:1,1,1,1 op=amax nan=propagate without=indices",
             type, count, type);
    if (run_text(exact, text, largest) != 0)
        return FAILED;
    if (anydnnMemCopy(exact->handle[REFERENCE], &found, tested, size,
                      ANYDNN_MEMCPY_DEVICE_TO_HOST) != SUCCESS)
        return FAILED;
    if (memcmp(&found, &(double){0}, sizeof(found)) == 0)
        return GOOD;
    snprintf(exact->sentence, sizeof(exact->sentence), "results differ");
    return BAD;
}

static enum verdict compare_here(struct exact *exact, size_t bytes, const void *tested,
                                 const void *reference)
{
    unsigned char *both = malloc(2 * bytes);
    enum verdict verdict = FAILED;

    snprintf(exact->sentence, sizeof(exact->sentence), "no memory for a result");
    if (both &&
        anydnnMemCopy(exact->handle[TESTED], both, tested, bytes, ANYDNN_MEMCPY_DEVICE_TO_HOST) ==
            SUCCESS &&
        anydnnMemCopy(exact->handle[TESTED], both + bytes, reference, bytes,
                      ANYDNN_MEMCPY_DEVICE_TO_HOST) == SUCCESS)
        verdict = memcmp(both, both + bytes, bytes) == 0 ? GOOD : BAD;
    if (verdict == BAD)
        snprintf(exact->sentence, sizeof(exact->sentence), "results differ");
    free(both);
    return verdict;
}

static enum verdict compare(struct exact *exact, const struct work *work)
{
    enum verdict verdict = GOOD;

    for (int i = 0; i < work->count && verdict == GOOD; i++) {
        const struct operand *operand = &work->operand[i];
        const char *type = exact_type_name(operand->type);
        void *tested = exact->output[TESTED][i].data;
        void *reference = exact->output[REFERENCE][i].data;

        if (operand->direction == ANYDNN_DIRECTION_INPUT)
            continue;
        if (type)
            verdict = compare_there(exact, type, exact_type_size(operand->type), operand->bytes,
                                    tested, reference);
        else
            verdict = compare_here(exact, operand->bytes, tested, reference);
    }
    return verdict;
}

/* ---- both */

static enum verdict run_both(struct exact *exact, const struct work *work, int *side)
{
    static const int unwritten[SIDES] = {UNWRITTEN_TESTED, UNWRITTEN_REFERENCE};
    enum verdict verdict = GOOD;

    for (int i = 0; i < work->count; i++)
        if (work->operand[i].direction & ANYDNN_DIRECTION_INPUT &&
            exact_fill(exact, &exact->input[0][i], i, &work->operand[i], work->operand[i].type,
                       INTEGERS) != 0)
            return FAILED;
    for (int i = 0; i < SIDES && verdict == GOOD; i++) {
        *side = i;
        verdict = exact_call(exact, work, i, exact->input[0], exact->output[i], unwritten[i]);
    }
    if (verdict != GOOD)
        return verdict;
    *side = TESTED;
    return compare(exact, work);
}

enum verdict exact_run(struct exact *exact, const char *text, int *side)
{
    struct work work = {.count = 0};
    enum verdict verdict = FAILED;

    *side = TESTED;
    exact->sentence[0] = '\0';
    if (exact_parse(text, &work) == 0)
        verdict = run_both(exact, &work, side);
    if (verdict != GOOD && exact->sentence[0] == '\0')
        anydnnGetLastErrorString(exact->sentence, sizeof(exact->sentence));
    anydnnProblemDestroy(work.problem);
    return verdict;
}

void exact_free(struct exact *exact)
{
    anydnnHandle_t handle = exact->handle[TESTED];

    anydnnMemFree(handle, exact->workspace.data);
    for (int i = 0; i < OPERANDS; i++) {
        for (int wide = 0; wide < 2; wide++)
            anydnnMemFree(handle, exact->input[wide][i].data);
        for (int content = 0; content < CONTENTS; content++)
            anydnnMemFree(handle, exact->output[content][i].data);
    }
}
