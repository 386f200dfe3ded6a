/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of onednn_direct share: layers, the arrays of one measurement, the ways to run it.
 */
#ifndef ONEDNN_DIRECT_H
#define ONEDNN_DIRECT_H

#include <stddef.h>

enum direction { FORWARD, BACKWARD_DATA, BACKWARD_FILTER, DIRECTION_END };
enum layout { NCHW, NHWC, LAYOUT_END };

/* Operands: of backward directions dx, dw, dy in the places of x, w, y. */
enum operand { X, W, Y, OPERAND_END };

#define LAYERS_MAX 512
#define NAME_MAX_  64

struct layer {
    char name[NAME_MAX_];
    int n, c, h, w;
    int k, r, s;
    int pad[2], stride[2], dilation[2];
    int groups;
};

/* One problem: a layer, a direction, a layout, and as many sets of arrays as it takes to go beyond
 * the caches; calls walk round them. */
struct measurement {
    const struct layer *layer;
    enum direction direction;
    enum layout layout;
    size_t elements[OPERAND_END];
    int sets;
    float **data[OPERAND_END]; /* [operand][set] */
};

/* A way to run the problem on one set of arrays. Failures end the program with a sentence. */
struct way {
    void (*run)(void *state, int set);
    void (*close)(void *state);
    void *state; /* NULL: this way does not exist for the problem */
};

/* Prints "onednn_direct: ..." and exits with 1. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Zeroed memory; never NULL. */
void *take(size_t bytes);

static inline int out_height(const struct layer *l)
{
    return (l->h + 2 * l->pad[0] - l->dilation[0] * (l->r - 1) - 1) / l->stride[0] + 1;
}

static inline int out_width(const struct layer *l)
{
    return (l->w + 2 * l->pad[1] - l->dilation[1] * (l->s - 1) - 1) / l->stride[1] + 1;
}

/* The operand that a direction writes. */
static inline enum operand output_of(enum direction direction)
{
    static const enum operand outputs[] = {Y, X, W};
    return outputs[direction];
}

/* suite.c: the distinct 2-D convolutions of a suite, with `batch` images, or the suite's own number
 * for 0. */
int suite_read(const char *path, int batch, struct layer *layers, int room);

/* through_anydnn.c: the public API on the backend onednn, which gets `threads` threads. */
void anydnn_begin(int threads);
void anydnn_end(void);
struct way anydnn_way(const struct measurement *m);

/* through_onednn.c: oneDNN's own API. Operands of `own` (bits) may have whatever layout oneDNN
 * likes; with `outside` they are reordered once, outside of the timing, else at each call. */
void onednn_begin(void);
void onednn_end(void);
struct way onednn_way(const struct measurement *m, unsigned own, int outside);
/* What a way that reorders outside has computed, in the plain layout, into the set's output. */
void onednn_fetch(const struct way *way, int set);

#endif
