/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A convolution of random numbers, held element by element to the same in double, by the bound of
 * anydnn verify and compare (core/numerics/bound.c): for it the reference runs also on absolute
 * values and, where operands are rounded, on squares.
 */
#include "exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/numerics.h"

/* Rooms of output beside the tested one, which is that of NOTHING. */
static const enum content contents[] = {RANDOM, ABSOLUTES, SQUARES};
enum { WANT, SUM, SQUARE, PARTS };

struct held {
    struct adn_bound bound;
    int64_t count;
    const unsigned char *got;
    const double *part[PARTS];
};

/* ---- the problem in double */

/* Copies the words of a problem; types of data and computation become double, the math mode
 * default. */
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

/* ---- the bound */

static double elements(const struct operand *operand)
{
    return (double)operand->bytes / (double)exact_type_size(operand->type);
}

/* Products behind one result, at most. */
static double terms_of(const char *text, const struct work *work)
{
    const char *groups = strstr(text, " groups=");

    if (strncmp(text, "convolution_forward ", 20) == 0)
        return elements(&work->operand[1]) / work->operand[1].dims[0];
    if (strncmp(text, "convolution_backward_data ", 26) == 0)
        return elements(&work->operand[0]) / work->operand[0].dims[1] /
               (groups ? atof(groups + 8) : 1);
    return elements(&work->operand[1]) / work->operand[1].dims[1];
}

/* Bits that operands were rounded to, as the last call's record says. */
static double rounding_of(anydnnHandle_t handle)
{
    int64_t math = 0;
    char notes[100] = "";

    anydnnGetDispatchInfo(handle, "notes", notes, sizeof(notes));
    anydnnGetDispatchInfoInt(handle, "math", &math);
    if (!strstr(notes, "reduced_precision"))
        return 0;
    return math == ANYDNN_TENSOR_OP_MATH_SPLIT ? 0x1p-22 : 0x1p-11;
}

/* The bound of a floating result is asked first, since it needs no rounding. */
static int is_right(const struct adn_bound *bound, double got, double want, double sum,
                    double square)
{
    return fabs(got - want) <= adn_bound_error(bound, want, sum, square) ||
           adn_bound_holds(bound, got, want, sum, square);
}

static enum verdict judge(struct exact *exact, const struct held *held, const char *text)
{
    double errors = 0, wants = 0;
    int64_t wrong = 0, first = -1;
    size_t size = exact_type_size((anydnnDataType_t)held->bound.type);

    for (int64_t i = 0; i < held->count; i++) {
        double got = adn_element_load(held->bound.type, held->got + (size_t)i * size);
        double want = held->part[WANT][i];
        double square = held->part[SQUARE] ? held->part[SQUARE][i] : 0;

        errors += (got - want) * (got - want);
        wants += want * want;
        if (is_right(&held->bound, got, want, held->part[SUM][i], square))
            continue;
        first = wrong++ == 0 ? i : first;
    }
    printf("%.3e %s\n", sqrt(errors / wants), text);
    if (wrong == 0)
        return GOOD;
    snprintf(exact->sentence, sizeof(exact->sentence),
             "%lld of %lld values are beyond the bound, the first one at %lld: %.9g, not %.9g",
             (long long)wrong, (long long)held->count, (long long)first,
             adn_element_load(held->bound.type, held->got + (size_t)first * size),
             held->part[WANT][first]);
    return BAD;
}

/* ---- running */

static void *fetch(struct exact *exact, const struct room *room, size_t bytes)
{
    void *host = malloc(bytes);

    if (host && anydnnMemCopy(exact->handle[TESTED], host, room->data, bytes,
                              ANYDNN_MEMCPY_DEVICE_TO_HOST) == SUCCESS)
        return host;
    free(host);
    return NULL;
}

/* The reference's results for one content of the inputs. */
static enum verdict run_wide(struct exact *exact, const struct work *wide, anydnnDataType_t rounded,
                             enum content content)
{
    for (int i = 0; i < wide->count; i++)
        if (wide->operand[i].direction == ANYDNN_DIRECTION_INPUT &&
            exact_fill(exact, &exact->input[1][i], i, &wide->operand[i], rounded, content) != 0)
            return FAILED;
    return exact_call(exact, wide, REFERENCE, exact->input[1], exact->output[content], 0xff);
}

static enum verdict run_parts(struct exact *exact, const struct work *wide, struct held *held,
                              anydnnDataType_t rounded)
{
    int last = wide->count - 1, parts = held->bound.rounding > 0 ? PARTS : SQUARE;

    for (int part = 0; part < parts; part++) {
        enum verdict verdict = run_wide(exact, wide, rounded, contents[part]);

        if (verdict != GOOD)
            return verdict;
        held->part[part] =
            fetch(exact, &exact->output[contents[part]][last], wide->operand[last].bytes);
        if (!held->part[part])
            return FAILED;
    }
    return GOOD;
}

/* The tested side first: what it declines need not be worked out. */
static enum verdict run(struct exact *exact, const char *text, const struct work *work,
                        struct held *held, int *side)
{
    int last = work->count - 1;
    anydnnDataType_t type = work->operand[0].type;
    const char *name = exact_type_name(type);
    char *wide_text = name ? in_double(text, name) : NULL;
    struct work wide = {.count = 0};
    enum verdict verdict = FAILED;

    for (int i = 0; wide_text && i < last; i++)
        if (exact_fill(exact, &exact->input[0][i], i, &work->operand[i], type, RANDOM) != 0)
            goto out;
    if (wide_text)
        verdict = exact_call(exact, work, TESTED, exact->input[0], exact->output[NOTHING], 0xff);
    if (verdict != GOOD)
        goto out;
    held->bound.rounding = rounding_of(exact->handle[TESTED]);
    held->got = fetch(exact, &exact->output[NOTHING][last], work->operand[last].bytes);
    *side = REFERENCE;
    verdict = held->got && exact_parse(wide_text, &wide) == 0 ? run_parts(exact, &wide, held, type)
                                                              : FAILED;
out:
    anydnnProblemDestroy(wide.problem);
    free(wide_text);
    return verdict;
}

enum verdict exact_random(struct exact *exact, const char *text, int *side)
{
    struct held held = {.count = 0};
    struct work work = {.count = 0};
    enum verdict verdict = FAILED;

    *side = TESTED;
    exact->sentence[0] = '\0';
    if (exact_parse(text, &work) == 0 && work.count == 3) {
        const struct operand *output = &work.operand[2];

        held.bound.type = (int32_t)output->type;
        held.bound.compute = ANYDNN_DATA_FLOAT;
        held.bound.terms = terms_of(text, &work);
        held.count = (int64_t)elements(output);
        verdict = run(exact, text, &work, &held, side);
    } else if (work.count > 0) {
        snprintf(exact->sentence, sizeof(exact->sentence), "it is no convolution of two operands");
    }
    if (verdict == GOOD) {
        *side = TESTED;
        verdict = judge(exact, &held, text);
    }
    if (verdict != GOOD && exact->sentence[0] == '\0')
        anydnnGetLastErrorString(exact->sentence, sizeof(exact->sentence));
    free((void *)held.got);
    for (int part = 0; part < PARTS; part++)
        free((void *)held.part[part]);
    anydnnProblemDestroy(work.problem);
    return verdict;
}
