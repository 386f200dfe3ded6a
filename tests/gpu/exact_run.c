/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one problem on either of two backends of one device. */
#include "exact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/numerics.h"

/* Initial bytes of the reference's outputs. */
#define UNWRITTEN 0x7f

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

static double elements(const struct operand *operand)
{
    return (double)operand->bytes / (double)exact_type_size(operand->type);
}

static double terms_of(const char *text, const struct work *work)
{
    const char *groups = strstr(text, " groups=");

    if (strncmp(text, "convolution_forward ", 20) == 0 ||
        strncmp(text, "convolution_bias_activation_", 28) == 0)
        return elements(&work->operand[1]) / work->operand[1].dims[0];
    if (strncmp(text, "convolution_backward_data ", 26) == 0)
        return elements(&work->operand[0]) / work->operand[0].dims[1] /
               (groups ? atof(groups + 8) : 1);
    if (strncmp(text, "convolution_backward_filter ", 28) == 0)
        return elements(&work->operand[1]) / work->operand[1].dims[1];
    return 1;
}

int exact_parse(const char *text, struct work *work)
{
    if (anydnnProblemParse(text, &work->problem) != SUCCESS || describe(work) != 0)
        return -1;
    work->terms = terms_of(text, work);
    return 0;
}

/* Returns GOOD, or DECLINED or FAILED with the library's sentence. */
enum verdict exact_call(struct exact *exact, const struct work *work, int side,
                        const struct device_memory input[OPERANDS],
                        struct device_memory output[OPERANDS], int unwritten)
{
    anydnnHandle_t handle = exact->handle[side];
    void *pointer[OPERANDS];
    size_t bytes = 0;
    anydnnStatus_t status = anydnnProblemGetWorkspaceSize(handle, work->problem, &bytes);

    if (status == ANYDNN_STATUS_NOT_SUPPORTED)
        return DECLINED;
    if (status != SUCCESS || exact_reserve(exact, &exact->workspace, bytes) != 0)
        return FAILED;
    for (int i = 0; i < work->count; i++) {
        const struct operand *operand = &work->operand[i];

        pointer[i] = input[i].data;
        if (operand->direction == ANYDNN_DIRECTION_INPUT)
            continue;
        if (exact_reserve(exact, &output[i], operand->bytes) != 0 ||
            anydnnMemSet(handle, output[i].data, unwritten, operand->bytes) != SUCCESS)
            return FAILED;
        pointer[i] = output[i].data;
    }
    status = anydnnProblemExecute(handle, work->problem, pointer, exact->workspace.data, bytes);
    if (status == SUCCESS)
        status = anydnnSynchronize(handle);
    return status == SUCCESS ? GOOD : FAILED;
}

/* ---- the two sides */

/* Fills all inputs. Double operands hold numbers that are exact in the problem's own types. */
static int fill_all(struct exact *exact, struct device_memory input[OPERANDS],
                    const struct work *work, const struct work *own, enum content content)
{
    for (int i = 0; i < work->count; i++)
        if (work->operand[i].direction & ANYDNN_DIRECTION_INPUT &&
            exact_fill(exact, &input[i], work, i, own->operand[0].type, content) != 0)
            return -1;
    return 0;
}

static int is_new(struct exact *exact)
{
    int64_t engine = -1;

    anydnnGetDispatchInfoInt(exact->handle[TESTED], "engine", &engine);
    for (int i = 0; i < exact->engines; i++)
        if (exact->engine[i] == engine)
            return 0;
    return 1;
}

enum verdict exact_tested(struct exact *exact, const struct work *choice, enum content content,
                          int unwritten)
{
    enum verdict verdict;

    if (fill_all(exact, exact->input[0][content], choice, choice, content) != 0)
        return FAILED;
    verdict = exact_call(exact, choice, TESTED, exact->input[0][content], exact->output[NOTHING],
                         unwritten);
    return verdict == GOOD && !is_new(exact) ? SEEN : verdict;
}

/* Copies the words of a problem. The types of data and computation become double, and the math mode
 * becomes the default. */
static char *in_double(const char *text, const char *type)
{
    size_t size = 2 * strlen(text) + 1, length = 0;
    char *wide = malloc(size), from[16];
    const char *colon;

    if (!wide)
        return NULL;
    snprintf(from, sizeof(from), "=%s:", type);
    wide[0] = '\0';
    for (const char *word = text, *end; *word; word = *end ? end + 1 : end) {
        end = word + strcspn(word, " ");
        colon = strstr(word, from);
        if (strncmp(word, "math=", 5) == 0 || strncmp(word, "compute=", 8) == 0)
            continue;
        if (colon && colon < end)
            length += (size_t)snprintf(
                wide + length, size - length, "%.*s=f64:%.*s ", (int)(colon - word), word,
                (int)(end - colon - (long)strlen(from)), colon + strlen(from));
        else
            length +=
                (size_t)snprintf(wide + length, size - length, "%.*s ", (int)(end - word), word);
    }
    if (length > 0)
        wide[length - 1] = '\0';
    return wide;
}

static int make_wide(struct exact *exact, struct held *held)
{
    const char *name = exact_type_name(held->work.operand[0].type);
    char *text = held->wide.problem || !name ? NULL : in_double(held->text, name);
    int failed = text && exact_parse(text, &held->wide) != 0;

    free(text);
    if (!name)
        snprintf(exact->sentence, sizeof(exact->sentence), "its types have no form in double");
    return failed || !held->wide.problem ? -1 : 0;
}

int exact_is_wide(const struct exact *exact, const struct held *held)
{
    return exact->wide && exact_type_name(held->work.operand[0].type) != NULL;
}

enum verdict exact_reference(struct exact *exact, struct held *held, enum content content, int wide)
{
    const struct work *work = wide ? &held->wide : &held->work;
    enum verdict verdict;

    if (held->known[content])
        return GOOD;
    if ((wide && make_wide(exact, held) != 0) ||
        fill_all(exact, exact->input[wide][content], work, &held->work, content) != 0)
        return FAILED;
    verdict = exact_call(exact, work, REFERENCE, exact->input[wide][content],
                         exact->output[content], UNWRITTEN);
    held->known[content] = verdict == GOOD;
    return verdict;
}

const void *exact_fetch(struct exact *exact, int buffer, const struct device_memory *memory,
                        size_t bytes)
{
    struct buffer *to = &exact->buffer[buffer];

    if (to->bytes < bytes) {
        free(to->data);
        *to = (struct buffer){.data = malloc(bytes)};
        if (!to->data)
            return NULL;
        to->bytes = bytes;
    }
    return anydnnMemCopy(exact->handle[TESTED], to->data, memory->data, bytes,
                         ANYDNN_MEMCPY_DEVICE_TO_HOST) == SUCCESS
               ? to->data
               : NULL;
}

int exact_is_transform(struct exact *exact)
{
    char notes[100] = "";

    anydnnGetDispatchInfo(exact->handle[TESTED], "notes", notes, sizeof(notes));
    return strstr(notes, "transform") != NULL;
}

double exact_transform_limit(const struct held *held)
{
    const struct operand *output = &held->work.operand[held->work.count - 1];
    int filter = strncmp(held->text, "convolution_backward_filter ", 28) == 0;

    return adn_bound_transform((int32_t)output->type, filter ? held->work.terms : 0);
}

void exact_drop(struct held *held)
{
    anydnnProblemDestroy(held->work.problem);
    anydnnProblemDestroy(held->wide.problem);
}

static void trim_memory(struct exact *exact, struct device_memory *memory, size_t most)
{
    if (memory->bytes <= most)
        return;
    anydnnMemFree(exact->handle[TESTED], memory->data);
    *memory = (struct device_memory){.data = NULL};
}

void exact_trim(struct exact *exact, size_t most)
{
    trim_memory(exact, &exact->workspace, most);
    for (int i = 0; i < OPERANDS; i++)
        for (int content = 0; content < CONTENTS; content++) {
            for (int wide = 0; wide < 2; wide++)
                trim_memory(exact, &exact->input[wide][content][i], most);
            trim_memory(exact, &exact->output[content][i], most);
        }
    for (int i = 0; i < BUFFERS; i++)
        if (exact->buffer[i].bytes > most) {
            free(exact->buffer[i].data);
            exact->buffer[i] = (struct buffer){.data = NULL};
        }
}

void exact_free(struct exact *exact)
{
    exact_trim(exact, 0);
    exact_forget(exact);
}
