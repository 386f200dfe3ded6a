/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares a convolution of random numbers with the same one in double, element by element. The
 * bound is that of anydnn verify and compare (core/numerics/bound.c). It requires that the
 * reference also runs on absolute values and, if operands are rounded, on squares.
 */
#include "exact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/numerics.h"

static const enum content contents[PARTS] = {RANDOM, ABSOLUTES, SQUARES};

/* Returns the relative rounding of operands, as the record of the last call reports it. */
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

/* Returns 1 if a result is within its bound. The bound of floating results is tried first, since it
 * needs no rounding. */
static int is_right(const struct adn_bound *bound, double got, double want, double sum,
                    double square)
{
    return fabs(got - want) <= adn_bound_error(bound, want, sum, square) ||
           adn_bound_holds(bound, got, want, sum, square);
}

/* ---- many elements at once, since a list has billions of them */

#define CHUNK 4096

/* Returns the values of all bit patterns of a 16-bit type. All of them are exact in float. */
static const float *numbers_of(int32_t type)
{
    static float numbers[1 << 16];
    static int32_t of_type = -1;

    for (uint32_t bits = 0; of_type != type && bits < 1 << 16; bits++)
        numbers[bits] = (float)adn_element_load(type, &(uint16_t){(uint16_t)bits});
    of_type = type;
    return numbers;
}

static void load(double to[CHUNK], int32_t type, const unsigned char *from, int64_t count)
{
    size_t size = exact_type_size((anydnnDataType_t)type);
    const float *numbers = size == 2 ? numbers_of(type) : NULL;

    for (int64_t i = 0; i < count; i++) {
        uint16_t bits;

        if (numbers) {
            memcpy(&bits, from + 2 * i, sizeof(bits));
            to[i] = (double)numbers[bits];
        } else {
            to[i] = adn_element_load(type, from + (size_t)i * size);
        }
    }
}

/* A lower estimate of the bound: slightly less than what the wanted value, the sum and the root of
 * the squares permit. Elements within it are right, and all others are checked one by one. */
struct slopes {
    double want, sum, root;
};

static struct slopes slopes_of(const struct adn_bound *bound)
{
    const double less = 1 - 0x1p-20, least = adn_bound_error(bound, 0, 0, 0);

    return (struct slopes){less * (adn_bound_error(bound, 1, 0, 0) - least),
                           less * (adn_bound_error(bound, 0, 1, 0) - least),
                           less * (adn_bound_error(bound, 0, 0, 1) - least)};
}

/* The elements of a chunk. */
struct chunk {
    double got[CHUNK];
    const double *want, *sum, *square; /* square: NULL if nothing was rounded */
    int64_t count;
};

static int is_within(const struct slopes *slopes, const struct chunk *chunk)
{
    int64_t beyond = 0;

    for (int64_t i = 0; i < chunk->count; i++) {
        double limit = slopes->want * fabs(chunk->want[i]) + slopes->sum * chunk->sum[i];

        if (chunk->square)
            limit += slopes->root * sqrt(chunk->square[i]);
        /* Nothing is within the bound of NaN, and NaN is within no bound. */
        beyond += !(fabs(chunk->got[i] - chunk->want[i]) <= limit);
    }
    return beyond == 0;
}

static void add_squares(const struct chunk *chunk, double *errors, double *wants)
{
    for (int64_t i = 0; i < chunk->count; i++) {
        double error = chunk->got[i] - chunk->want[i];

        *errors += error * error;
        *wants += chunk->want[i] * chunk->want[i];
    }
}

/* Returns the number of elements beyond the bound, and sets `first` to the first of them. */
static int64_t count_wrong(const struct adn_bound *bound, const struct chunk *chunk, int64_t *first)
{
    int64_t wrong = 0;

    for (int64_t i = 0; i < chunk->count; i++)
        if (!is_right(bound, chunk->got[i], chunk->want[i], chunk->sum[i],
                      chunk->square ? chunk->square[i] : 0))
            *first = wrong++ == 0 ? i : *first;
    return wrong;
}

/* Returns the relative L2 error. Writes the sentence if elements are beyond the bound. */
static double measure(struct exact *exact, const struct held *held, const struct adn_bound *bound,
                      const unsigned char *got, int64_t count)
{
    static struct chunk chunk;
    struct slopes slopes = slopes_of(bound);
    double errors = 0, wants = 0;
    int64_t wrong = 0, first = -1;
    size_t size = exact_type_size((anydnnDataType_t)bound->type);

    for (int64_t at = 0; at < count; at += CHUNK) {
        int64_t found = 0, of_chunk = 0;

        chunk.want = held->part[WANT] + at;
        chunk.sum = held->part[SUM] + at;
        chunk.square = held->part[SQUARE] ? held->part[SQUARE] + at : NULL;
        chunk.count = count - at < CHUNK ? count - at : CHUNK;
        load(chunk.got, bound->type, got + (size_t)at * size, chunk.count);
        add_squares(&chunk, &errors, &wants);
        if (!is_within(&slopes, &chunk))
            found = count_wrong(bound, &chunk, &of_chunk);
        first = wrong == 0 && found > 0 ? at + of_chunk : first;
        wrong += found;
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
            held->part[part] = exact_fetch(exact, part, &exact->output[contents[part]][last],
                                           held->wide.operand[last].bytes);
        if (!held->part[part])
            return FAILED;
    }
    return GOOD;
}

/* Runs the tested side first, because the reference need not run what that side declines. */
enum verdict exact_random(struct exact *exact, struct held *held, const struct work *choice,
                          const char *text, int *side)
{
    int last = choice->count - 1;
    const struct operand *output = &choice->operand[last];
    struct adn_bound bound = {
        .type = (int32_t)output->type, .compute = ANYDNN_DATA_FLOAT, .terms = held->work.terms};
    const unsigned char *got;
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
    got = exact_fetch(exact, GOT, &exact->output[NOTHING][last], output->bytes);
    *side = REFERENCE;
    verdict = got ? know_parts(exact, held, bound.rounding > 0 ? PARTS : SQUARE) : FAILED;
    if (verdict == GOOD) {
        *side = TESTED;
        verdict = judge(exact, held, &bound, got,
                        (int64_t)(output->bytes / exact_type_size(output->type)), text);
    }
    return verdict;
}
