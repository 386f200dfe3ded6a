/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of random shapes, their problem texts, and an oracle of plain loops over every
 * product. */
#ifndef TESTS_CONFORMANCE_SHAPES_H
#define TESTS_CONFORMANCE_SHAPES_H

#include <stddef.h>

#include "tests/conformance/draw.h"
#include "tests/conformance/problem_run.h"

#define SHAPE_TEXT 600

enum { X, W, Y };

/* A convolution. Two spatial dimensions are stored as three with D = 1; `first` is the first
 * dimension in the text. */
struct shape {
    int x[5], w[5], y[5];
    int pad[3], stride[3], dilation[3];
    int groups, flip, first;
    enum draw_layout layout[3];
};

struct data {
    size_t count[3];
    double *in[3];     /* x, w, dy */
    double *out[3];    /* dx, dw, y */
    double *oracle[3]; /* results of the plain loops */
};

/* Draws the shape with that number in a series of 20 kinds: with groups, depthwise, covering
 * their input, long. */
void shape_draw(struct draw *draw, struct shape *s, int number);
/* Draws a shape whose channels fill whole vectors of that many lanes. */
void shape_draw_vectors(struct draw *draw, struct shape *s, int lanes);
/* Writes the problem as f64; `out` is what it computes: Y forward, X backward_data, W
 * backward_filter. */
void shape_text(char *text, const struct shape *s, int out);

/* Allocates buffers for the shape's numbers. */
void shape_data_open(struct data *d, const struct shape *s);
void shape_data_close(struct data *d);
/* Computes `oracle`: every product of the convolution, added to the result of each direction. */
void shape_loops(const struct shape *s, struct data *d);
/* Runs the text on `in` and stores the result in out[out]; returns 0, or 1 with the reason. */
int shape_run(anydnnHandle_t handle, const char *text, struct data *d, int out, char *why,
              size_t why_size);
/* Checks that <out[Y], dy>, <x, out[X]> and <w, out[W]> differ by at most `slack`; returns 0, or
 * 1 with the reason. */
int shape_adjoint(const struct shape *s, const struct data *d, double slack, char *why,
                  size_t why_size);

#endif
