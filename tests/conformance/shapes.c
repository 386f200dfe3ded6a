/* SPDX-License-Identifier: Apache-2.0 */
/* Random convolutions and their oracle. */
#include "tests/conformance/shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kinds of shapes. The last two exceed the blocks of kernels: rows and channels of more than
 * 512. */
enum kind { ORDINARY, DEPTHWISE, COVERING, LONG_ROWS, MANY_CHANNELS, WIDE_CHANNELS };

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

void shape_draw(struct draw *draw, struct shape *s, int number)
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

/* Draws a shape whose filters are packed. */
static void draw_packed_vectors(struct draw *draw, struct shape *s)
{
    static const enum draw_layout layouts[] = {DRAW_PACKED, DRAW_VIEW, DRAW_PERMUTED};

    s->layout[X] = layouts[draw_int(draw, 0, 2)];
    s->layout[Y] = layouts[draw_int(draw, 0, 2)];
    s->layout[W] = DRAW_PACKED;
}

void shape_draw_vectors(struct draw *draw, struct shape *s, int lanes)
{
    shape_draw(draw, s, lanes == 32 ? 19 : draw_int(draw, 18, 19)); /* small images; 2-D if wide */
    s->groups = draw_int(draw, 1, 2);
    s->w[1] = lanes * draw_int(draw, 1, 2);
    s->w[0] = s->groups * lanes * draw_int(draw, 1, 2);
    s->x[0] = s->y[0] = 1;
    s->x[1] = s->groups * s->w[1];
    s->y[1] = s->w[0];
    draw_packed_vectors(draw, s);
}

/* Appends an operand with the dims of the text: no D if there are two spatial dimensions. */
static void add_operand(char *text, const struct shape *s, const char *role, const int *dims,
                        enum draw_layout layout)
{
    int shown[5] = {dims[0], dims[1]};

    for (int i = 2 + s->first; i < 5; i++)
        shown[i - s->first] = dims[i];
    draw_operand(text, SHAPE_TEXT, role, shown, 5 - s->first, layout);
}

/* Writes the text; `out` is what the problem computes: Y forward, X backward_data, W
 * backward_filter. */
void shape_text(char *text, const struct shape *s, int out)
{
    const char *const names[] = {"convolution_backward_data", "convolution_backward_filter",
                                 "convolution_forward"};
    size_t used;

    snprintf(text, SHAPE_TEXT, "%s", names[out]);
    if (out != X)
        add_operand(text, s, "x", s->x, s->layout[X]);
    if (out != W)
        add_operand(text, s, "w", s->w, s->layout[W]);
    add_operand(text, s, out == Y ? "y" : "dy", s->y, s->layout[Y]);
    if (out == X)
        add_operand(text, s, "dx", s->x, s->layout[X]);
    if (out == W)
        add_operand(text, s, "dw", s->w, s->layout[W]);
    draw_list(text, SHAPE_TEXT, "pad", s->pad + s->first, 3 - s->first);
    draw_list(text, SHAPE_TEXT, "stride", s->stride + s->first, 3 - s->first);
    draw_list(text, SHAPE_TEXT, "dilation", s->dilation + s->first, 3 - s->first);
    draw_list(text, SHAPE_TEXT, "groups", &s->groups, 1);
    used = strlen(text);
    snprintf(text + used, SHAPE_TEXT - used, " mode=%s", s->flip ? "convolution" : "cross");
}

static size_t flat(const int *dims, const int *at)
{
    size_t index = 0;

    for (int i = 0; i < 5; i++)
        index = index * (size_t)dims[i] + (size_t)at[i];
    return index;
}

/* Advances `at` through `dims` in row-major order; returns 0 at the end. */
static int step(const int *dims, int *at)
{
    for (int i = 4; i >= 0; i--) {
        if (++at[i] < dims[i])
            return 1;
        at[i] = 0;
    }
    return 0;
}

/* Finds the position in x that tap `w` of output `y` reads; returns 0 if it is padding. */
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

void shape_loops(const struct shape *s, struct data *d)
{
    const int each_w[5] = {1, s->w[1], s->w[2], s->w[3], s->w[4]};
    int y[5] = {0}, w[5], x[5];

    for (int i = 0; i < 3; i++)
        memset(d->oracle[i], 0, d->count[i] * sizeof(double));
    do {
        memset(w, 0, sizeof(w));
        do {
            size_t xi, wi, yi = flat(s->y, y);
            int tap[5] = {y[1], w[1], w[2], w[3], w[4]};

            if (!source(s, y, tap, x))
                continue;
            xi = flat(s->x, x);
            wi = flat(s->w, tap);
            d->oracle[Y][yi] += d->in[X][xi] * d->in[W][wi];
            d->oracle[X][xi] += d->in[Y][yi] * d->in[W][wi];
            d->oracle[W][wi] += d->in[Y][yi] * d->in[X][xi];
        } while (step(each_w, w));
    } while (step(s->y, y));
}

int shape_run(anydnnHandle_t handle, const char *text, struct data *d, int out, char *why,
              size_t why_size)
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
        prun_get(prun_find(&run, out_role[out]), d->out[out]);
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

int shape_adjoint(const struct shape *s, const struct data *d, double slack, char *why,
                  size_t why_size)
{
    double forward = dot(d->out[Y], d->in[Y], d->count[Y]);
    double data = dot(d->in[X], d->out[X], d->count[X]);
    double filter = dot(d->in[W], d->out[W], d->count[W]);
    char text[SHAPE_TEXT];

    if (fabs(forward - data) <= slack && fabs(forward - filter) <= slack)
        return 0;
    shape_text(text, s, Y);
    snprintf(why, why_size, "%s\n# <conv(x),dy> = %.17g, <x,dx> = %.17g, <w,dw> = %.17g", text,
             forward, data, filter);
    return 1;
}

void shape_data_open(struct data *d, const struct shape *s)
{
    for (int i = 0; i < 3; i++) {
        d->count[i] = volume(i == X ? s->x : i == W ? s->w : s->y);
        d->in[i] = malloc(d->count[i] * sizeof(double));
        d->out[i] = malloc(d->count[i] * sizeof(double));
        d->oracle[i] = malloc(d->count[i] * sizeof(double));
    }
}

void shape_data_close(struct data *d)
{
    for (int i = 0; i < 3; i++) {
        free(d->in[i]);
        free(d->out[i]);
        free(d->oracle[i]);
    }
}
