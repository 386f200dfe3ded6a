/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests convolutions of random shapes (2-D and 3-D, groups, dilation, strides, both modes, views
 * with gaps). On small integers float, double and plain loops agree to the last bit. The
 * identity <conv(x), dy> = <x, backward_data(dy)> = <w, backward_filter(x, dy)> holds exactly
 * there, and within rounding on reals. Prints a TAP line per shape.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/conformance/shapes.h"
#include "tools/verify/cases/vec_types.h"

#define SHAPES 120

/* Compares double and float with the loops, element by element with ==. */
static int check_integers(anydnnHandle_t handle, const struct shape *s, struct data *d, char *why,
                          size_t why_size)
{
    int bad = 0;

    shape_loops(s, d);
    for (int out = 0; out < 3 && !bad; out++) {
        char text[SHAPE_TEXT];
        char *narrow;

        shape_text(text, s, out);
        narrow = vec_as_type(text, "f32", NULL);
        for (int is_float = 1; is_float >= 0 && !bad; is_float--) {
            const char *shown = is_float ? narrow : text;

            bad = shape_run(handle, shown, d, out, why, why_size);
            for (size_t i = 0; i < d->count[out] && !bad; i++) {
                bad = !(d->out[out][i] == d->oracle[out][i]);
                if (bad)
                    snprintf(why, why_size, "%s\n# element %zu is %.17g, the loops give %.17g",
                             shown, i, d->out[out][i], d->oracle[out][i]);
            }
        }
        free(narrow);
    }
    return bad;
}

static int check_reals(anydnnHandle_t handle, struct draw *draw, const struct shape *s,
                       struct data *d, char *why, size_t why_size)
{
    /* Each |term| <= 1, so the number of products bounds the sum of their magnitudes. */
    double slack = 1e-15 * (double)(d->count[Y] * (d->count[W] / (size_t)s->w[0])) * 8;

    for (int i = 0; i < 3; i++)
        draw_reals(draw, d->in[i], d->count[i]);
    for (int out = 0; out < 3; out++) {
        char text[SHAPE_TEXT];

        shape_text(text, s, out);
        if (shape_run(handle, text, d, out, why, why_size))
            return 1;
    }
    return shape_adjoint(s, d, slack, why, why_size);
}

int main(void)
{
    anydnnHandle_t handle = prun_handle();
    struct draw draw = {20261121};
    int failed = 0;

    if (!handle)
        return 1;
    for (int number = 0; number < SHAPES; number++) {
        struct shape s;
        struct data d;
        char why[4 * SHAPE_TEXT] = "";
        int bad;

        shape_draw(&draw, &s, number);
        shape_data_open(&d, &s);
        for (int i = 0; i < 3; i++)
            draw_ints(&draw, d.in[i], d.count[i], 4);
        bad = check_integers(handle, &s, &d, why, sizeof(why)) ||
              shape_adjoint(&s, &d, 0, why, sizeof(why)) ||
              check_reals(handle, &draw, &s, &d, why, sizeof(why));
        printf("%sok %d - convolution shape %d\n", bad ? "not " : "", number + 1, number);
        if (bad)
            printf("# %s\n", why);
        failed += bad;
        shape_data_close(&d);
    }
    printf("1..%d\n", SHAPES);
    anydnnDestroy(handle);
    return failed ? 1 : 0;
}
