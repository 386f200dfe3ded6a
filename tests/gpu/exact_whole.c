/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the results of two backends for whole numbers: on the device, and on the host if they
 * differ. */
#include "exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/numerics.h"

/* Initial bytes of the tested side's outputs. In floating types they are NaN. */
#define UNWRITTEN 0xff

static const char *const content_name[CONTENTS] = {
    [INTEGERS] = "whole numbers around 0", [PILED] = "whole numbers that pile up"};

/* ---- on the device */

static int run_text(struct exact *exact, const char *text, void *const pointer[])
{
    anydnnProblem_t problem = NULL;
    size_t bytes = 0;
    int failed =
        anydnnProblemParse(text, &problem) != SUCCESS ||
        anydnnProblemGetWorkspaceSize(exact->handle[REFERENCE], problem, &bytes) != SUCCESS ||
        exact_reserve(exact, &exact->workspace, bytes) != 0 ||
        anydnnProblemExecute(exact->handle[REFERENCE], problem, pointer, exact->workspace.data,
                             bytes) != SUCCESS;

    anydnnProblemDestroy(problem);
    return failed ? -1 : 0;
}

/* Compares results on the device: the largest difference must be 0. A difference from NaN is NaN,
 * which the reduction propagates. The reference runs both operations. The differences go to
 * `scratch`. */
static enum verdict compare_there(struct exact *exact, const char *type, size_t size, size_t bytes,
                                  void *tested, void *reference, struct device_memory *scratch)
{
    void *difference[] = {reference, tested, NULL};
    void *largest[] = {NULL, NULL};
    size_t count = bytes / size;
    char text[400];
    double found = 0;

    if (exact_reserve(exact, scratch, bytes + sizeof(found)) != 0)
        return FAILED;
    scratch->content = NOTHING;
    difference[2] = largest[0] = (char *)scratch->data + sizeof(found);
    largest[1] = scratch->data;
    snprintf(text, sizeof(text),
             "op_tensor a=%s:1,1,1,%zu b=%s:1,1,1,%zu c=%s:1,1,1,%zu op=add alpha2=-1", type, count,
             type, count, type, count);
    if (run_text(exact, text, difference) != 0)
        return FAILED;
    snprintf(text, sizeof(text),
             "reduce_tensor a=%s:1,1,1,%zu c=%s:1,1,1,1 op=amax nan=propagate without=indices",
             type, count, type);
    if (run_text(exact, text, largest) != 0)
        return FAILED;
    if (anydnnMemCopy(exact->handle[REFERENCE], &found, scratch->data, size,
                      ANYDNN_MEMCPY_DEVICE_TO_HOST) != SUCCESS)
        return FAILED;
    return memcmp(&found, &(double){0}, sizeof(found)) == 0 ? GOOD : BAD;
}

/* ---- on the host */

struct difference {
    size_t count, different, first;
    double got, want; /* of the first difference */
    double relative;  /* L2 error */
};

/* Measures the differences. `want` has the type of the results, or is double and rounded here. */
static void measure(struct difference *found, const unsigned char *got, const unsigned char *want,
                    anydnnDataType_t type, int wide)
{
    size_t size = exact_type_size(type);
    double errors = 0, wants = 0;

    for (size_t i = 0; i < found->count; i++) {
        double a = adn_element_load((int32_t)type, got + i * size);
        double b = wide ? adn_type_round((int32_t)type, ((const double *)(const void *)want)[i])
                        : adn_element_load((int32_t)type, want + i * size);

        if (!(a == b) && found->different++ == 0) {
            found->first = i;
            found->got = a;
            found->want = b;
        }
        errors += (a - b) * (a - b);
        wants += b * b;
    }
    found->relative = errors > 0 && wants > 0 ? sqrt(errors / wants) : errors;
}

static enum verdict compare_here(struct exact *exact, struct held *held, int at,
                                 enum content content)
{
    const struct operand *operand = &held->work.operand[at];
    size_t size = exact_type_size(operand->type);
    struct difference found = {.count = operand->bytes / size};
    const void *got = exact_fetch(exact, GOT, &exact->output[NOTHING][at], operand->bytes);
    int wide = exact_is_wide(exact, held);
    const void *want = exact_fetch(exact, WANT, &exact->output[content][at],
                                   wide ? found.count * 8 : operand->bytes);
    int transform = exact_is_transform(exact), right = 0;

    if (got && want) {
        measure(&found, got, want, operand->type, wide);
        right = transform ? found.relative <= exact_transform_limit(held) : !found.different;
        snprintf(exact->sentence, sizeof(exact->sentence),
                 "%s%zu of %zu results differ on %s, the first one at %zu: %.9g, not %.9g; "
                 "relative L2 error %.2e",
                 transform ? "a transform: " : "", found.different, found.count,
                 content_name[content], found.first, found.got, found.want, found.relative);
    }
    return !got || !want ? FAILED : right ? GOOD : BAD;
}

/* ---- both */

static enum verdict compare(struct exact *exact, struct held *held, enum content content)
{
    enum verdict verdict = GOOD;

    for (int i = 0; i < held->work.count && verdict == GOOD; i++) {
        const struct operand *operand = &held->work.operand[i];
        const char *type = exact_type_name(operand->type);
        int same = type && !exact_is_wide(exact, held) && !exact_is_transform(exact);

        if (operand->direction == ANYDNN_DIRECTION_INPUT)
            continue;
        verdict = same ? compare_there(exact, type, exact_type_size(operand->type), operand->bytes,
                                       exact->output[NOTHING][i].data,
                                       exact->output[content][i].data, &exact->output[RANDOM][i])
                       : BAD;
        if (verdict == BAD)
            verdict = compare_here(exact, held, i, content);
    }
    return verdict;
}

/* Skips the piled numbers for integer types, which hold few such sums. */
enum verdict exact_whole(struct exact *exact, struct held *held, const struct work *choice,
                         int *side)
{
    int last = exact_type_name(held->work.operand[0].type) ? PILED : INTEGERS;
    enum verdict verdict = GOOD;

    for (int content = INTEGERS; content <= last && verdict == GOOD; content++) {
        *side = TESTED;
        verdict = exact_tested(exact, choice, content, UNWRITTEN);
        if (verdict == GOOD) {
            *side = REFERENCE;
            verdict = exact_reference(exact, held, content, exact_is_wide(exact, held));
        }
        if (verdict == GOOD) {
            *side = TESTED;
            verdict = compare(exact, held, content);
        }
    }
    return verdict;
}
