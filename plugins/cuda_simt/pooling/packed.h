/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling of packed tensors, in forms that take memory in rows of 16 bytes and count in 32 bits.
 * The choice of a form and of its tiles is made on the host (choice.c,
 * tiles*.c); the kernels are in nhwc_*.cu (channels side by side: NHWC),
 * nchw_*.cu (positions side by side: NCHW) and nchw_large_forward.cu (large windows of NCHW).
 * Tensors have three spatial dims here, the first of 1 where there are but two.
 */
#ifndef CUDA_SIMT_POOLING_PACKED_H
#define CUDA_SIMT_POOLING_PACKED_H

#include "../../cuda_common/divide.h"
#include "../../cuda_common/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Modes of struct anydnn_plugin_pooling. */
enum { POOLING_MAX, POOLING_AVERAGE_INCLUDE, POOLING_AVERAGE_EXCLUDE, POOLING_MAX_DETERMINISTIC };

static inline int pooling_is_max(int32_t mode)
{
    return mode == POOLING_MAX || mode == POOLING_MAX_DETERMINISTIC;
}

#define POOLING_DIMS 3

/* What a plane's tile takes at most, in elements: of a tensor as it is, and of sums in float. A
 * plane of 64 x 64 fits. */
#define POOLING_PLANE_ELEMENTS 4128
#define POOLING_SUMS           6144
/* Slices of x in a tile at most, where positions are packed into 32 bits. */
#define POOLING_DEEP 62

/* Numbers of first elements that are found, in a tile of NHWC: 16 bits each. */
#define POOLING_FOUND 8192

/* Elements of a window that a found one is counted by, in a tile of NHWC. */
#define POOLING_WINDOW_MAX 0xffff

struct pooling_shape {
    int32_t window[POOLING_DIMS], pad[POOLING_DIMS], stride[POOLING_DIMS];
    int32_t x_dims[POOLING_DIMS], y_dims[POOLING_DIMS];
    int32_t x_end[POOLING_DIMS]; /* where the input ends for windows: a negative pad cuts it */
    int32_t volume;              /* elements of a window */
    int32_t exclude, nan_propagate;
    float lowest;
    struct cuda_divisor by_stride[POOLING_DIMS];
};

/* A box that is worked on by tiles. */
struct pooling_tile {
    int32_t size[POOLING_DIMS], tiles[POOLING_DIMS];
    struct cuda_divisor by_size[POOLING_DIMS], by_tiles[POOLING_DIMS];
};

/* How a tile's part of a tensor of planes lies in shared memory: as one run, as in memory, or row
 * by row. Either way the elements have the offset within 16 bytes that they have in memory. */
struct pooling_store {
    int32_t one_run;
    int32_t rows; /* of a slice, at most */
    int32_t pitch;
    struct cuda_divisor by_rows, by_row_chunks;
};

/* Planes that are halved (halving.h), and what is done with the elements of a window. */
enum { HALVING_MAX, HALVING_MAX_OR_NAN, HALVING_AVERAGE };

struct pooling_halving {
    int32_t mode;                     /* forward */
    int32_t row_threads, log_threads; /* NCHW: of a row of y, and of the group that has them */
    int32_t columns;                  /* NHWC: pairs of x's */
    struct cuda_divisor by_vectors, by_columns;
    int32_t log_strips, rows; /* rows of y in a strip */
};

enum pooling_form {
    POOLING_GENERAL,     /* one thread an element, any strides: plain.cu */
    POOLING_NHWC,        /* NHWC, threads over 16 bytes of channels */
    POOLING_NHWC_SINGLE, /* NHWC, threads over channels: ragged or unaligned ones */
    POOLING_NCHW,        /* NCHW, tiles of planes in shared memory */
    POOLING_NCHW_LARGE,  /* NCHW, a window by many threads */
    POOLING_NCHW_HALVING,
    POOLING_NHWC_HALVING,
};

struct pooling_packed {
    struct pooling_shape shape;
    struct pooling_tile tile; /* of y forward, of dx backward */
    int64_t outer;            /* samples of NHWC, planes of NCHW */
    int64_t blocks;
    int32_t window_threads; /* that share a window */
    /* NHWC */
    int32_t channels, vectors; /* a vector is what a thread takes */
    int32_t lanes, chunks;     /* vectors of a block, and how often that is */
    /* NCHW */
    int32_t planes;              /* of a tile: more than 1 if whole */
    int32_t whole[POOLING_DIMS]; /* the tile has all along this dim and behind */
    struct pooling_store x, dx;
    int32_t windows[POOLING_DIMS];  /* over a tile of dx, at most */
    int32_t classes[POOLING_DIMS];  /* windows so far apart do not overlap */
    int32_t of_class[POOLING_DIMS]; /* windows of a class in a tile, at most */
    struct cuda_divisor by_windows[POOLING_DIMS], by_class[POOLING_DIMS];
    int32_t row_vectors; /* of a row of the tile; 0: rows are not made of vectors */
    struct cuda_divisor by_row_vectors;
    struct pooling_halving halving;
};

/* The form for a problem of float or less, and what it needs. `single` asks for what runs with
 * operands aligned to elements alone. */
enum pooling_form pooling_forward_form(const struct anydnn_plugin_plan *plan,
                                       struct pooling_packed *packed, int single);
enum pooling_form pooling_backward_form(const struct anydnn_plugin_plan *plan,
                                        struct pooling_packed *packed, int single);

/* Operands of either direction, those that it has; `out` is y or dx. */
struct pooling_operands {
    const void *x, *y, *dy;
    void *out;
};

/* Launches of the forms. */
typedef int32_t pooling_launch(const struct pooling_packed *packed, const struct cuda_call *call,
                               const struct pooling_operands *operands);

pooling_launch *pooling_nhwc_forward_launch(int32_t type, int32_t mode, int single);
pooling_launch *pooling_nhwc_backward_launch(int32_t type, int32_t mode, int single);
pooling_launch *pooling_nchw_forward_launch(int32_t type, int32_t mode);
pooling_launch *pooling_nchw_max_launch(int32_t type);
pooling_launch *pooling_nchw_average_launch(int32_t type);
pooling_launch *pooling_nchw_large_launch(int32_t type, int32_t mode);
/* Windows of 3 x 3, or of 2 x 2. */
pooling_launch *pooling_nchw_halving_launch(int32_t type, int32_t window);
pooling_launch *pooling_nhwc_halving_launch(int32_t type, int32_t window);
pooling_launch *pooling_nchw_halving_backward_launch(int32_t type, int32_t window, int max);
pooling_launch *pooling_nhwc_halving_backward_launch(int32_t type, int32_t window, int max);

#ifdef __cplusplus
}
#endif

#endif
