/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions of random shapes (2-D and 3-D, groups, dilation, strides, both modes, views with
 * gaps): on small integers float, double and the plain loops below agree to the last bit, and
 * <conv(x), dy> = <x, backward_data(dy)> = <w, backward_filter(x, dy)> holds exactly; on reals it
 * holds within rounding. TAP, one line a shape.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/draw.h"
#include "tests/conformance/problem_run.h"

#define SHAPES   120
#define TEXT_MAX 600

enum { X, W, Y };

/* The last two also reach what kernels cut into pieces: rows and channels of more than 512. */
enum kind { ORDINARY, DEPTHWISE, COVERING, LONG_ROWS, MANY_CHANNELS, WIDE_CHANNELS };

/* Two spatial dimensions are three with D = 1 first; `first` is the first that the text names. */
struct shape {
    int x[5], w[5], y[5];
    int pad[3], stride[3], dilation[3];
    int groups, flip, first;
    enum draw_layout layout[3];
};

struct data {
    size_t count[3];
    double *in[3];  /* x, w, dy */
    double *out[3]; /* dx, dw, y */
};

static size_t volume(const int *dims)
{
    size_t count = 1;

    for (int i = 0; i < 5; i++)
        count *= (size_t)dims[i];
    return count;
}

static void draw_axis(struct draw *draw, struct shape *s, int i, enum kind kind)
{
    do {
        s->x[2 + i] = draw_int(draw, 2, kind == WIDE_CHANNELS ? 3 : 8);
        s->w[2 + i] = draw_int(draw, 1, kind == MANY_CHANNELS ? 7 : 4);
        s->pad[i] = draw_int(draw, 0, 3);
        s->stride[i] = draw_int(draw, 1, 3);
        s->dilation[i] = draw_int(draw, 1, 3);
        if (kind == LONG_ROWS && i == 2)
            s->x[2 + i] = draw_int(draw, 500, 1100);
        if (kind == COVERING) {
            s->w[2 + i] = s->x[2 + i];
            s->pad[i] = draw_int(draw, 0, 2) == 0;
            s->stride[i] += 2 * s->pad[i];
            s->dilation[i] = 1;
        }
        s->y[2 + i] = s->x[2 + i] + 2 * s->pad[i] - ((s->w[2 + i] - 1) * s->dilation[i] + 1);
    } while (s->y[2 + i] < 0);
    s->y[2 + i] = 1 + s->y[2 + i] / s->stride[i];
}

static void draw_channels(struct draw *draw, struct shape *s, enum kind kind)
{
    s->groups = draw_int(draw, 1, kind == ORDINARY ? 4 : 2);
    s->w[1] = draw_int(draw, 1, 3);
    if (kind == DEPTHWISE)
        s->w[1] = 1;
    if (kind == MANY_CHANNELS)
        s->w[1] = draw_int(draw, 9, 40);
    if (kind == WIDE_CHANNELS)
        s->w[1] = draw_int(draw, 500, 600);
    s->w[0] = s->groups * draw_int(draw, 1, 3);
    s->x[0] = s->y[0] = draw_int(draw, 1, 3);
    s->x[1] = s->groups * s->w[1];
    s->y[1] = s->w[0];
}

static void draw_shape(struct draw *draw, struct shape *s, int number)
{
    static const enum kind kinds[] = {ORDINARY, MANY_CHANNELS, COVERING, ORDINARY, DEPTHWISE,
                                      ORDINARY, LONG_ROWS,     COVERING, ORDINARY, WIDE_CHANNELS};
    enum kind kind = kinds[number / 2 % 10];

    s->first = number % 2;
    s->flip = draw_int(draw, 0, 1);
    draw_channels(draw, s, kind);
    for (int i = 0; i < 3; i++) {
        s->x[2 + i] = s->w[2 + i] = s->y[2 + i] = 1;
        s->pad[i] = 0;
        s->stride[i] = s->dilation[i] = 1;
        if (i >= s->first)
            draw_axis(draw, s, i, kind);
    }
    s->layout[X] = (enum draw_layout)draw_int(draw, 0, DRAW_LAYOUTS - 1);
    s->layout[Y] = (enum draw_layout)draw_int(draw, 0, DRAW_LAYOUTS - 1);
    s->layout[W] = draw_int(draw, 0, 1) ? DRAW_NHWC : DRAW_PACKED; /* filters are packed */
    if (kind == COVERING)
        s->layout[X] = s->layout[W];
    if (kind >= MANY_CHANNELS && draw_int(draw, 0, 2))
        s->layout[X] = s->layout[Y] = s->layout[W] = DRAW_NHWC;
}

/* The dims that the text states: without D where there are two spatial dimensions. */
static void add_operand(char *text, const struct shape *s, const char *role, const int *dims,
                        enum draw_layout layout)
{
    int shown[5] = {dims[0], dims[1]};

    for (int i = 2 + s->first; i < 5; i++)
        shown[i - s->first] = dims[i];
    draw_operand(text, TEXT_MAX, role, shown, 5 - s->first, layout);
}

/* `out` is what the problem computes: Y forward, X backward_data, W backward_filter. */
static void make_text(char *text, const struct shape *s, int out)
{
    const char *const names[] = {"convolution_backward_data", "convolution_backward_filter",
                                 "convolution_forward"};
    size_t used;

    snprintf(text, TEXT_MAX, "%s", names[out]);
    if (out != X)
        add_operand(text, s, "x", s->x, s->layout[X]);
    if (out != W)
        add_operand(text, s, "w", s->w, s->layout[W]);
    add_operand(text, s, out == Y ? "y" : "dy", s->y, s->layout[Y]);
    if (out == X)
        add_operand(text, s, "dx", s->x, s->layout[X]);
    if (out == W)
        add_operand(text, s, "dw", s->w, s->layout[W]);
    draw_list(text, TEXT_MAX, "pad", s->pad + s->first, 3 - s->first);
    draw_list(text, TEXT_MAX, "stride", s->stride + s->first, 3 - s->first);
    draw_list(text, TEXT_MAX, "dilation", s->dilation + s->first, 3 - s->first);
    draw_list(text, TEXT_MAX, "groups", &s->groups, 1);
    used = strlen(text);
    snprintf(text + used, TEXT_MAX - used, " mode=%s", s->flip ? "convolution" : "cross");
}

static size_t flat(const int *dims, const int *at)
{
    size_t index = 0;

    for (int i = 0; i < 5; i++)
        index = index * (size_t)dims[i] + (size_t)at[i];
    return index;
}

/* Steps `at` through `dims` in row-major order; 0 when it is through. */
static int step(const int *dims, int *at)
{
    for (int i = 4; i >= 0; i--) {
        if (++at[i] < dims[i])
            return 1;
        at[i] = 0;
    }
    return 0;
}

/* Where tap `w` of output `y` reads in x; 0 if it reads padding. */
static int source(const struct shape *s, const int *y, const int *w, int *x)
{
    x[0] = y[0];
    x[1] = y[1] / (s->w[0] / s->groups) * s->w[1] + w[1];
    for (int i = 2; i < 5; i++) {
        int tap = s->flip ? s->w[i] - 1 - w[i] : w[i];

        x[i] = y[i] * s->stride[i - 2] - s->pad[i - 2] + tap * s->dilation[i - 2];
        if (x[i] < 0 || x[i] >= s->x[i])
            return 0;
    }
    return 1;
}

/* The oracle: every product of a convolution, added where each direction wants it. */
static void plain_loops(const struct shape *s, const struct data *d, double *const out[3])
{
    const int each_w[5] = {1, s->w[1], s->w[2], s->w[3], s->w[4]};
    int y[5] = {0}, w[5], x[5];

    do {
        memset(w, 0, sizeof(w));
        do {
            size_t xi, wi, yi = flat(s->y, y);
            int tap[5] = {y[1], w[1], w[2], w[3], w[4]};

            if (!source(s, y, tap, x))
                continue;
            xi = flat(s->x, x);
            wi = flat(s->w, tap);
            out[Y][yi] += d->in[X][xi] * d->in[W][wi];
            out[X][xi] += d->in[Y][yi] * d->in[W][wi];
            out[W][wi] += d->in[Y][yi] * d->in[X][xi];
        } while (step(each_w, w));
    } while (step(s->y, y));
}

static int run_direction(anydnnHandle_t handle, const char *text, const struct data *d, int out,
                         double *result, char *why, size_t why_size)
{
    static const char *const in_role[] = {"x", "w", "dy"};
    static const char *const out_role[] = {"dx", "dw", "y"};
    struct prun run;
    int bad = prun_open(&run, handle, text, 0);

    for (int i = 0; i < 3 && !bad; i++)
        if (i != out)
            prun_set(prun_find(&run, in_role[i]), d->in[i]);
    bad = bad || prun_execute(&run, 1);
    if (bad)
        snprintf(why, why_size, "%s\n# %s", text, run.error);
    else
        prun_get(prun_find(&run, out_role[out]), result);
    prun_close(&run);
    return bad;
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Double and float against the loops, element by element with ==. */
static int check_integers(anydnnHandle_t handle, const struct shape *s, struct data *d, char *why,
                          size_t why_size)
{
    double *oracle[3];
    int bad = 0;

    for (int i = 0; i < 3; i++)
        oracle[i] = calloc(d->count[i], sizeof(double));
    plain_loops(s, d, oracle);
    for (int out = 0; out < 3 && !bad; out++) {
        char text[TEXT_MAX];
        char *narrow;

        make_text(text, s, out);
        narrow = prun_as_float(text);
        for (int is_float = 1; is_float >= 0 && !bad; is_float--) {
            const char *shown = is_float ? narrow : text;

            bad = run_direction(handle, shown, d, out, d->out[out], why, why_size);
            for (size_t i = 0; i < d->count[out] && !bad; i++) {
                bad = !(d->out[out][i] == oracle[out][i]);
                if (bad)
                    snprintf(why, why_size, "%s\n# element %zu is %.17g, the loops give %.17g",
                             shown, i, d->out[out][i], oracle[out][i]);
            }
        }
        free(narrow);
    }
    for (int i = 0; i < 3; i++)
        free(oracle[i]);
    return bad;
}

/* The three inner products; `exactly`, or within the rounding of sums of that length. */
static int check_adjoint(const struct shape *s, const struct data *d, int exactly, char *why,
                         size_t why_size)
{
    double forward = dot(d->out[Y], d->in[Y], d->count[Y]);
    double data = dot(d->in[X], d->out[X], d->count[X]);
    double filter = dot(d->in[W], d->out[W], d->count[W]);
    double slack = 0;
    char text[TEXT_MAX];

    /* |terms| <= 1 each: the number of products bounds the sum of their magnitudes. */
    if (!exactly)
        slack = 1e-15 * (double)(d->count[Y] * (d->count[W] / (size_t)s->w[0])) * 8;
    if (fabs(forward - data) <= slack && fabs(forward - filter) <= slack)
        return 0;
    make_text(text, s, Y);
    snprintf(why, why_size, "%s\n# <conv(x),dy> = %.17g, <x,dx> = %.17g, <w,dw> = %.17g", text,
             forward, data, filter);
    return 1;
}

static int check_reals(anydnnHandle_t handle, struct draw *draw, const struct shape *s,
                       struct data *d, char *why, size_t why_size)
{
    for (int i = 0; i < 3; i++)
        draw_reals(draw, d->in[i], d->count[i]);
    for (int out = 0; out < 3; out++) {
        char text[TEXT_MAX];

        make_text(text, s, out);
        if (run_direction(handle, text, d, out, d->out[out], why, why_size))
            return 1;
    }
    return check_adjoint(s, d, 0, why, why_size);
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
        char why[4 * TEXT_MAX] = "";
        int bad;

        draw_shape(&draw, &s, number);
        for (int i = 0; i < 3; i++) {
            d.count[i] = volume(i == X ? s.x : i == W ? s.w : s.y);
            d.in[i] = malloc(d.count[i] * sizeof(double));
            d.out[i] = malloc(d.count[i] * sizeof(double));
            draw_ints(&draw, d.in[i], d.count[i], 4);
        }
        bad = check_integers(handle, &s, &d, why, sizeof(why)) ||
              check_adjoint(&s, &d, 1, why, sizeof(why)) ||
              check_reals(handle, &draw, &s, &d, why, sizeof(why));
        printf("%sok %d - convolution shape %d\n", bad ? "not " : "", number + 1, number);
        if (bad)
            printf("# %s\n", why);
        failed += bad;
        for (int i = 0; i < 3; i++) {
            free(d.in[i]);
            free(d.out[i]);
        }
    }
    printf("1..%d\n", SHAPES);
    anydnnDestroy(handle);
    return failed ? 1 : 0;
}
