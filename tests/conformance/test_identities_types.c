/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests convolutions of random shapes on small integers in the short types. In half and bfloat16
 * each result is the exact one rounded once. If the type represents all results, the identity
 * <conv(x), dy> = <x, backward_data(dy)> = <w, backward_filter(x, dy)> holds exactly. Integer
 * types give float's results on the same numbers, saturated. Prints a TAP line per shape and set
 * of types.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/shapes.h"
#include "tools/verify/cases/vec_types.h"

#define SHAPES  60
#define VECTORS 12
#define WHY     (4 * SHAPE_TEXT)

struct suite {
    anydnnHandle_t handle;
    struct draw draw;
    int cases;
    int failed;
    int exact; /* 16-bit shapes whose identity was compared */
    char why[WHY];
};

static void report(struct suite *suite, int bad, const char *types, int number)
{
    printf("%sok %d - shape %d %s\n", bad ? "not " : "", ++suite->cases, number, types);
    if (bad)
        printf("# %s\n", suite->why);
    suite->failed += bad;
}

/* Checks that direction `out` in these types is the oracle rounded to `type`, element by
 * element. */
static int check_direction(struct suite *suite, const struct shape *s, struct data *d, int out,
                           const char *types, const char *type)
{
    const struct number_type *number = number_type_named(type);
    char text[SHAPE_TEXT];
    char *typed;
    int bad;

    shape_text(text, s, out);
    typed = vec_as_type(text, types, NULL);
    bad = shape_run(suite->handle, typed, d, out, suite->why, WHY);
    for (size_t i = 0; i < d->count[out] && !bad; i++) {
        bad = !(d->out[out][i] == number_round(number, d->oracle[out][i]));
        if (bad)
            snprintf(suite->why, WHY, "%s\n# element %zu is %.17g, the loops give %.17g", typed, i,
                     d->out[out][i], d->oracle[out][i]);
    }
    free(typed);
    return bad;
}

static int representable(const struct data *d, const char *type)
{
    const struct number_type *number = number_type_named(type);

    for (int i = 0; i < 3; i++)
        for (size_t j = 0; j < d->count[i]; j++)
            if (number_round(number, d->oracle[i][j]) != d->oracle[i][j])
                return 0;
    return 1;
}

static void check_short(struct suite *suite, const struct shape *s, struct data *d, int number,
                        const char *type, int reach)
{
    int bad = 0;

    for (int i = 0; i < 3; i++)
        draw_ints(&suite->draw, d->in[i], d->count[i], reach);
    shape_loops(s, d);
    for (int out = 0; out < 3 && !bad; out++)
        bad = check_direction(suite, s, d, out, type, type);
    if (!bad && representable(d, type)) {
        bad = shape_adjoint(s, d, 0, suite->why, WHY);
        suite->exact++;
    }
    report(suite, bad, type, number);
}

/* Checks x from `low` to 127 and w from -8 to 8, or 0 to 8 if unsigned; float represents the
 * sums. */
static void check_integers(struct suite *suite, const struct shape *s, struct data *d, int number,
                           const char *const (*types)[2])
{
    int bad = 0;

    for (; (*types)[0]; types++) {
        const char *name = (*types)[0];

        for (size_t i = 0; i < d->count[X]; i++)
            d->in[X][i] = draw_int(&suite->draw, strstr(name, "x=u") ? 0 : -128, 127);
        for (size_t i = 0; i < d->count[W]; i++)
            d->in[W][i] = draw_int(&suite->draw, strstr(name, "w=u") ? 0 : -8, 8);
        draw_ints(&suite->draw, d->in[Y], d->count[Y], 1);
        shape_loops(s, d);
        bad = check_direction(suite, s, d, Y, "f32", "f32") ||
              check_direction(suite, s, d, Y, name, (*types)[1]);
        report(suite, bad, name, number);
    }
}

/* The types of the operands, and y's alone. */
static const char *const plain[][2] = {{"x=s8,w=s8,y=f32", "f32"},
                                       {"x=s8,w=s8,y=s8", "s8"},
                                       {"x=u8,w=s8,y=f32", "f32"},
                                       {"x=u8,w=s8,y=s8", "s8"},
                                       {NULL, NULL}};
static const char *const fours[][2] = {
    {"x=s8x4,w=s8x4,y=f32", "f32"},   {"x=s8x4,w=s8x4,y=s8x4", "s8x4"},
    {"x=u8x4,w=s8x4,y=f32", "f32"},   {"x=u8x4,w=s8x4,y=s8x4", "s8x4"},
    {"x=u8x4,w=s8x4,y=u8x4", "u8x4"}, {"x=u8x4,w=u8x4,y=f32", "f32"},
    {"x=u8x4,w=u8x4,y=u8x4", "u8x4"}, {NULL, NULL}};
static const char *const thirty_twos[][2] = {{"x=s8x32,w=s8x32,y=s8x32", "s8x32"}, {NULL, NULL}};

int main(void)
{
    struct suite suite = {.handle = prun_handle(), .draw = {20261122}};
    struct shape s;
    struct data d;

    if (!suite.handle)
        return 1;
    for (int number = 0; number < SHAPES; number++) {
        shape_draw(&suite.draw, &s, number);
        shape_data_open(&d, &s);
        check_short(&suite, &s, &d, number, "f16", 3);
        check_short(&suite, &s, &d, number, "bf16", 1);
        check_integers(&suite, &s, &d, number, plain);
        shape_data_close(&d);
    }
    report(&suite, suite.exact < SHAPES, "half of the 16-bit identities at least", SHAPES);
    for (int number = 0; number < VECTORS; number++) {
        int lanes = number % 3 ? 4 : 32;

        shape_draw_vectors(&suite.draw, &s, lanes);
        shape_data_open(&d, &s);
        check_integers(&suite, &s, &d, number, lanes == 4 ? fours : thirty_twos);
        shape_data_close(&d);
    }
    printf("1..%d\n", suite.cases);
    anydnnDestroy(suite.handle);
    return suite.failed ? 1 : 0;
}
