/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling of packed tensors, in forms that access memory in rows of 16 bytes and count in 32 bits.
 * The host chooses a form and its tiles (choice.c, tiles*.c). The kernels are in nhwc_*.cu (NHWC),
 * nchw_*.cu (NCHW) and nchw_large_forward.cu (large windows of NCHW). Tensors have three spatial
 * dims here; the first is 1 if the problem has only two. */
#ifndef CUDA_SIMT_POOLING_PACKED_H
#define CUDA_SIMT_POOLING_PACKED_H

#include "../../cuda_common/divide.h"
#include "../../cuda_common/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The modes of struct anydnn_plugin_pooling. */
enum { POOLING_MAX, POOLING_AVERAGE_INCLUDE, POOLING_AVERAGE_EXCLUDE, POOLING_MAX_DETERMINISTIC };

static inline int pooling_is_max(int32_t mode)
{
    return mode == POOLING_MAX || mode == POOLING_MAX_DETERMINISTIC;
}

#define POOLING_DIMS 3

/* The maximum elements of a plane's tile: of a tensor's own type, and of sums in float. A plane of
 * 64 x 64 fits. */
#define POOLING_PLANE_ELEMENTS 4128
#define POOLING_SUMS           6144
/* The maximum slices of x in a tile, because positions are packed into 32 bits. */
#define POOLING_DEEP 62

/* The maximum number of 16-bit positions of first elements in a tile of NHWC. */
#define POOLING_FOUND 8192

/* The limit for the elements of a window in NHWC, where 16 bits number them. */
#define POOLING_WINDOW_MAX 0xffff

struct pooling_shape {
    int32_t window[POOLING_DIMS], pad[POOLING_DIMS], stride[POOLING_DIMS];
    int32_t x_dims[POOLING_DIMS], y_dims[POOLING_DIMS];
    int32_t x_end[POOLING_DIMS]; /* end of the input for windows; a negative pad reduces it */
    int32_t volume;              /* elements of a window */
    int32_t exclude, nan_propagate;
    float lowest;
    struct cuda_divisor by_stride[POOLING_DIMS];
};

/* The division of a box into tiles. */
struct pooling_tile {
    int32_t size[POOLING_DIMS], tiles[POOLING_DIMS];
    struct cuda_divisor by_size[POOLING_DIMS], by_tiles[POOLING_DIMS];
};

/* The layout of a tile's part of a tensor in shared memory: contiguous as in memory, or row by row.
 * In both cases, elements keep their offset within 16 bytes. */
struct pooling_store {
    int32_t one_run;
    int32_t rows; /* maximum rows of a slice */
    int32_t pitch;
    struct cuda_divisor by_rows, by_row_chunks;
};

/* The treatment of a window's elements in planes that are halved (halving.h). */
enum { HALVING_MAX, HALVING_MAX_OR_NAN, HALVING_AVERAGE };

struct pooling_halving {
    int32_t mode;                     /* forward only */
    int32_t row_threads, log_threads; /* NCHW: threads for a row of y; log2 of their group */
    int32_t columns;                  /* NHWC: pairs of columns of x */
    struct cuda_divisor by_vectors, by_columns;
    int32_t log_strips, rows; /* log2 of the strips; rows of y in a strip */
};

enum pooling_form {
    POOLING_GENERAL,     /* one thread per element, any strides (plain.cu) */
    POOLING_NHWC,        /* NHWC, 16 bytes of channels per thread */
    POOLING_NHWC_SINGLE, /* NHWC, one channel per thread, for odd counts or unaligned data */
    POOLING_NCHW,        /* NCHW, tiles of planes in shared memory */
    POOLING_NCHW_LARGE,  /* NCHW, many threads per window */
    POOLING_NCHW_HALVING,
    POOLING_NHWC_HALVING,
};

struct pooling_packed {
    struct pooling_shape shape;
    struct pooling_tile tile; /* tile of y forward, of dx backward */
    int64_t outer;            /* samples of NHWC, planes of NCHW */
    int64_t blocks;
    int32_t window_threads; /* threads that share a window */
    /* NHWC only */
    int32_t channels, vectors; /* a vector is the channels of a thread */
    int32_t lanes, chunks;     /* vectors of a block; blocks along the vectors */
    /* NCHW only */
    int32_t planes;              /* planes of a tile; more than 1 only if it has whole planes */
    int32_t whole[POOLING_DIMS]; /* 1 if the tile has all of this dim and of those after it */
    struct pooling_store x, dx;
    int32_t windows[POOLING_DIMS];  /* maximum windows over a tile of dx */
    int32_t classes[POOLING_DIMS];  /* windows this far apart do not overlap */
    int32_t of_class[POOLING_DIMS]; /* maximum windows of a class in a tile */
    struct cuda_divisor by_windows[POOLING_DIMS], by_class[POOLING_DIMS];
    int32_t row_vectors; /* vectors of a row of the tile; 0 if rows are not whole vectors */
    struct cuda_divisor by_row_vectors;
    struct pooling_halving halving;
};

/* Returns the form for a problem of float or a shorter type, and fills `packed`. `single` requests
 * a form that works with element alignment. */
enum pooling_form pooling_forward_form(const struct anydnn_plugin_plan *plan,
                                       struct pooling_packed *packed, int single);
enum pooling_form pooling_backward_form(const struct anydnn_plugin_plan *plan,
                                        struct pooling_packed *packed, int single);

/* The operands of either direction, NULL where absent; `out` is y or dx. */
struct pooling_operands {
    const void *x, *y, *dy;
    void *out;
};

/* The launches of the forms. */
typedef int32_t pooling_launch(const struct pooling_packed *packed, const struct cuda_call *call,
                               const struct pooling_operands *operands);

pooling_launch *pooling_nhwc_forward_launch(int32_t type, int32_t mode, int single);
pooling_launch *pooling_nhwc_backward_launch(int32_t type, int32_t mode, int single);
pooling_launch *pooling_nchw_forward_launch(int32_t type, int32_t mode);
pooling_launch *pooling_nchw_max_launch(int32_t type);
pooling_launch *pooling_nchw_average_launch(int32_t type);
pooling_launch *pooling_nchw_large_launch(int32_t type, int32_t mode);
/* `window` is 3 for windows of 3 x 3, or 2 for 2 x 2. */
pooling_launch *pooling_nchw_halving_launch(int32_t type, int32_t window);
pooling_launch *pooling_nhwc_halving_launch(int32_t type, int32_t window);
pooling_launch *pooling_nchw_halving_backward_launch(int32_t type, int32_t window, int max);
pooling_launch *pooling_nhwc_halving_backward_launch(int32_t type, int32_t window, int max);

#ifdef __cplusplus
}
#endif

#endif
