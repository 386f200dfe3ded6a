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

static const enum content contents[PARTS] = {RANDOM, ABSOLUTES, SQUARES};

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

/* Elements beyond the bound go to the sentence; the relative L2 error is returned. */
static double measure(struct exact *exact, const struct held *held, const struct adn_bound *bound,
                      const unsigned char *got, int64_t count)
{
    double errors = 0, wants = 0;
    int64_t wrong = 0, first = -1;
    size_t size = exact_type_size((anydnnDataType_t)bound->type);

    for (int64_t i = 0; i < count; i++) {
        double found = adn_element_load(bound->type, got + (size_t)i * size);
        double want = held->part[WANT][i];
        double square = held->part[SQUARE] ? held->part[SQUARE][i] : 0;

        errors += (found - want) * (found - want);
        wants += want * want;
        if (is_right(bound, found, want, held->part[SUM][i], square))
            continue;
        first = wrong++ == 0 ? i : first;
    }
    if (wrong > 0)
        snprintf(exact->sentence, sizeof(exact->sentence),
                 "%lld of %lld values are beyond the bound, the first one at %lld: %.9g, not %.9g",
                 (long long)wrong, (long long)count, (long long)first,
                 adn_element_load(bound->type, got + (size_t)first * size),
                 held->part[WANT][first]);
    return sqrt(errors / wants);
}

static enum verdict judge(struct exact *exact, const struct held *held,
                          const struct adn_bound *bound, const unsigned char *got, int64_t count,
                          const char *text)
{
    double limit = exact_transform_limit(held), error;

    exact->sentence[0] = '\0';
    error = measure(exact, held, bound, got, count);
    printf("%.3e %s\n", error, text);
    if (!exact_is_transform(exact))
        return exact->sentence[0] == '\0' ? GOOD : BAD;
    snprintf(exact->sentence, sizeof(exact->sentence),
             "the relative L2 error of this transform may be %.2e, and is %.2e", limit, error);
    return error <= limit ? GOOD : BAD;
}

/* ---- running */

static enum verdict know_parts(struct exact *exact, struct held *held, int parts)
{
    for (int part = 0; part < parts; part++) {
        enum verdict verdict = exact_reference(exact, held, contents[part], 1);
        int last = held->wide.count - 1;

        if (verdict != GOOD)
            return verdict;
        if (!held->part[part])
            held->part[part] = exact_fetch(exact, &exact->output[contents[part]][last],
                                           held->wide.operand[last].bytes);
        if (!held->part[part])
            return FAILED;
    }
    return GOOD;
}

/* The tested side first: what it declines need not be worked out. */
enum verdict exact_random(struct exact *exact, struct held *held, const struct work *choice,
                          const char *text, int *side)
{
    int last = choice->count - 1;
    const struct operand *output = &choice->operand[last];
    struct adn_bound bound = {
        .type = (int32_t)output->type, .compute = ANYDNN_DATA_FLOAT, .terms = held->work.terms};
    unsigned char *got;
    enum verdict verdict;

    *side = TESTED;
    if (choice->count != 3) {
        snprintf(exact->sentence, sizeof(exact->sentence), "it is no convolution of two operands");
        return FAILED;
    }
    verdict = exact_tested(exact, choice, RANDOM, 0xff);
    if (verdict != GOOD)
        return verdict;
    bound.rounding = rounding_of(exact->handle[TESTED]);
    got = exact_fetch(exact, &exact->output[NOTHING][last], output->bytes);
    *side = REFERENCE;
    verdict = got ? know_parts(exact, held, bound.rounding > 0 ? PARTS : SQUARE) : FAILED;
    if (verdict == GOOD) {
        *side = TESTED;
        verdict = judge(exact, held, &bound, got,
                        (int64_t)(output->bytes / exact_type_size(output->type)), text);
    }
    free(got);
    return verdict;
}
