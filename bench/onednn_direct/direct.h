/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the parts of onednn_direct share: layers, the arrays of one measurement, the
 * ways to run it. */
#ifndef ONEDNN_DIRECT_H
#define ONEDNN_DIRECT_H

#include <stddef.h>

enum direction { FORWARD, BACKWARD_DATA, BACKWARD_FILTER, DIRECTION_END };
enum layout { NCHW, NHWC, LAYOUT_END };

/* The operands. In backward directions dx, dw, dy take the places of x, w, y. */
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

/* One problem: a layer, a direction, a layout, and enough sets of arrays to exceed the caches.
 * Calls use the sets in turn. */
struct measurement {
    const struct layer *layer;
    enum direction direction;
    enum layout layout;
    size_t elements[OPERAND_END];
    int sets;
    float **data[OPERAND_END]; /* [operand][set] */
};

/* A way to run the problem on one set of arrays. A failure ends the program with a message. */
struct way {
    void (*run)(void *state, int set);
    void (*close)(void *state);
    void *state; /* NULL: the way does not exist for the problem */
};

/* Prints the program's name and a message, and exits with 1. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Returns zeroed memory, never NULL. */
void *take(size_t bytes);

static inline int out_height(const struct layer *l)
{
    return (l->h + 2 * l->pad[0] - l->dilation[0] * (l->r - 1) - 1) / l->stride[0] + 1;
}

static inline int out_width(const struct layer *l)
{
    return (l->w + 2 * l->pad[1] - l->dilation[1] * (l->s - 1) - 1) / l->stride[1] + 1;
}

/* Returns the operand that a direction writes. */
static inline enum operand output_of(enum direction direction)
{
    static const enum operand outputs[] = {Y, X, W};
    return outputs[direction];
}

/* Implemented in suite.c. Reads the distinct 2-D convolutions of a suite, with `batch` images, or
 * the suite's own number for 0. */
int suite_read(const char *path, int batch, struct layer *layers, int capacity);

/* Implemented in through_anydnn.c. Opens the public API on the backend onednn with `threads`
 * threads. */
void anydnn_begin(int threads);
void anydnn_end(void);
struct way anydnn_way(const struct measurement *m);

/* Implemented in through_onednn.c. Uses oneDNN's own API. Operands in `own` (bits) may have any
 * layout that oneDNN prefers. They are reordered once outside of the timing if `outside` is 1, else
 * at each call. */
void onednn_begin(void);
void onednn_end(void);
struct way onednn_way(const struct measurement *m, unsigned own, int outside);
/* Copies the result of a way that reorders outside, in the plain layout, to the set's output. */
void onednn_fetch(const struct way *way, int set);

#endif
