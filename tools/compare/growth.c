/* SPDX-License-Identifier: Apache-2.0 */
/* Computes how the error grows with the number of terms behind an element over a suite, beside the
 * expectation for N(0,1) data. */
#include "tools/compare/compare.h"

#include <math.h>
#include <stdlib.h>

/* The number of steps. Each length is 4 times the one before. */
#define STEPS 32
/* The least span of lengths for which a slope is meaningful. */
#define LEAST_SPAN 4.0

struct step {
    int count;
    double errors, expected; /* sums of logarithms */
};

struct growth {
    struct step step[STEPS][COMPARE_SIDES];
    double n[COMPARE_SIDES], x[COMPARE_SIDES],
        y[COMPARE_SIDES]; /* sums for the least-squares line through the logarithms */
    double xx[COMPARE_SIDES], xy[COMPARE_SIDES];
    double shortest[COMPARE_SIDES], longest[COMPARE_SIDES];
};

int compare_has_length(const json_t *errors)
{
    double error = compare_real(errors, "relative_l2");

    return error > 0 && isfinite(error) && compare_real(errors, "terms") >= 1;
}

static void gather(void *cookie, const json_t *answer, const json_t *output, const json_t *errors)
{
    struct growth *growth = cookie;
    long long side = compare_count(errors, "side");
    double expected = compare_real(errors, "expected");
    double terms = compare_real(errors, "terms");
    double error = compare_real(errors, "relative_l2");
    struct step *step;

    (void)answer;
    (void)output;
    if (!compare_has_length(errors) || !(expected > 0))
        return;
    step = &growth->step[(int)fmin(log2(terms) / 2, STEPS - 1)][side];
    step->count++;
    step->errors += log(error);
    step->expected += log(expected);
    growth->n[side]++;
    growth->x[side] += log(terms);
    growth->y[side] += log(error);
    growth->xx[side] += log(terms) * log(terms);
    growth->xy[side] += log(terms) * log(error);
    if (growth->shortest[side] == 0 || terms < growth->shortest[side])
        growth->shortest[side] = terms;
    growth->longest[side] = fmax(growth->longest[side], terms);
}

/* Computes the exponent with which a side's error grows with the length, by least squares. */
static json_t *describe_power(const struct growth *growth, int side)
{
    double n = growth->n[side];
    double spread = n * growth->xx[side] - growth->x[side] * growth->x[side];

    if (growth->longest[side] < LEAST_SPAN * growth->shortest[side])
        return json_null();
    return json_real((n * growth->xy[side] - growth->x[side] * growth->y[side]) / spread);
}

static json_t *describe_step(const struct step *step)
{
    json_t *object = json_object();

    json_object_set_new(object, "outputs", json_integer(step->count));
    if (step->count > 0) {
        json_object_set_new(object, "relative_l2", json_real(exp(step->errors / step->count)));
        json_object_set_new(object, "expected", json_real(exp(step->expected / step->count)));
    }
    return object;
}

json_t *compare_growth(const json_t *answers)
{
    struct growth *growth = tool_alloc(sizeof(*growth));
    json_t *whole = json_object();
    json_t *steps = json_array();
    json_t *powers = json_array();

    *growth = (struct growth){.n = {0}};
    compare_each_of(answers, gather, growth);
    for (int i = 0; i < STEPS; i++) {
        json_t *sides = json_array();
        int count = 0;

        for (int side = 0; side < COMPARE_SIDES; side++) {
            count += growth->step[i][side].count;
            json_array_append_new(sides, describe_step(&growth->step[i][side]));
        }
        if (count > 0)
            json_array_append_new(steps, json_pack("{sfsfso}", "from", ldexp(1, 2 * i), "below",
                                                   ldexp(4, 2 * i), "pairs", json_incref(sides)));
        json_decref(sides);
    }
    for (int side = 0; side < COMPARE_SIDES; side++)
        json_array_append_new(powers, describe_power(growth, side));
    json_object_set_new(whole, "steps", steps);
    json_object_set_new(whole, "powers", powers);
    free(growth);
    return whole;
}

/* ---- as text */

static void print_step(const json_t *step)
{
    const json_t *sides = json_object_get(step, "pairs");

    printf("  %8.0f to %8.0f", compare_real(step, "from"), compare_real(step, "below") - 1);
    for (size_t i = 0; i < json_array_size(sides); i++) {
        const json_t *side = json_array_get(sides, i);

        if (compare_count(side, "outputs") == 0)
            printf("   %7s %10s %10s", "-", "-", "-");
        else
            printf("   %7lld %10.2e %10.2e", compare_count(side, "outputs"),
                   compare_real(side, "relative_l2"), compare_real(side, "expected"));
    }
    putchar('\n');
}

void compare_growth_print(const json_t *growth)
{
    const json_t *steps = json_object_get(growth, "steps");
    const json_t *powers = json_object_get(growth, "powers");

    if (json_array_size(steps) < 2)
        return;
    printf("Growth of rel. L2 with the terms of a sum, and its expectation for N(0,1):\n  %20s",
           "terms");
    for (int side = 0; side < COMPARE_SIDES; side++)
        printf("   %7s %10c %10s", "outputs", "AB"[side], "expected");
    putchar('\n');
    for (size_t i = 0; i < json_array_size(steps); i++)
        print_step(json_array_get(steps, i));
    for (size_t i = 0; i < json_array_size(powers); i++)
        if (json_is_number(json_array_get(powers, i)))
            printf("  %c grows as terms^%.2f; a random walk has 0.5\n", "AB"[i],
                   json_number_value(json_array_get(powers, i)));
}
