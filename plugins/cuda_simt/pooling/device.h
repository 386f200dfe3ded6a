/* SPDX-License-Identifier: Apache-2.0 */
/* Device functions that the kernels of packed pooling share: windows, tiles, and storing of
 * results. */
#ifndef CUDA_SIMT_POOLING_DEVICE_H
#define CUDA_SIMT_POOLING_DEVICE_H

#include "../shared/map.h"
#include "packed.h"

/* Elements of a window's row that are loaded together. */
#define POOLING_BATCH 3

struct pooling_job {
    pooling_packed packed;
    pooling_operands data;
    cuda_blend blend;
};

static inline pooling_job pooling_job_of(const pooling_packed *packed, const cuda_call *call,
                                         const pooling_operands *operands)
{
    return {*packed, *operands, {call->operands->scale[0], call->operands->scale[1]}};
}

/* A range along each spatial dim. */
struct pooling_box {
    int begin[POOLING_DIMS], end[POOLING_DIMS];
};

__device__ static inline int pooling_least(int a, int b)
{
    return a < b ? a : b;
}

__device__ static inline int pooling_most(int a, int b)
{
    return a > b ? a : b;
}

/* ------------------------------------------------------------------ windows */

/* Computes the range of the input that the window of output o covers along dim s. */
__device__ static inline void pooling_cover(const pooling_shape &shape, int s, int o,
                                            pooling_box *box)
{
    int begin = o * shape.stride[s] - shape.pad[s];

    box->begin[s] = pooling_most(begin, 0);
    box->end[s] =
        pooling_most(pooling_least(begin + shape.window[s], shape.x_end[s]), box->begin[s]);
}

/* Returns the factor of dim s in the divisor of output o's average (see plain.cu). */
__device__ static inline int pooling_counted(const pooling_shape &shape, int s, int o)
{
    int begin = o * shape.stride[s] - shape.pad[s];
    int end = pooling_least(begin + shape.window[s], shape.x_dims[s] + shape.pad[s]);

    return shape.exclude ? pooling_least(end, shape.x_dims[s]) - pooling_most(begin, 0)
                         : end - begin;
}

__device__ static inline float pooling_divisor(const pooling_shape &shape, const int o[])
{
    return (float)pooling_counted(shape, 0, o[0]) * (float)pooling_counted(shape, 1, o[1]) *
           (float)pooling_counted(shape, 2, o[2]);
}

/* Computes the outputs whose windows cover any of the elements first .. last along dim s. */
__device__ static inline void pooling_over(const pooling_shape &shape, int s, int first, int last,
                                           pooling_box *over)
{
    int from = first + shape.pad[s] - shape.window[s] + shape.stride[s];
    int to = pooling_least(last, shape.x_end[s] - 1) + shape.pad[s];

    over->begin[s] = from > 0 ? (int)cuda_divide((unsigned)from, shape.by_stride[s]) : 0;
    over->end[s] =
        to >= 0 && first < shape.x_end[s]
            ? pooling_least((int)cuda_divide((unsigned)to, shape.by_stride[s]) + 1, shape.y_dims[s])
            : 0;
    over->end[s] = pooling_most(over->end[s], over->begin[s]);
}

/* Computes the K columns of output o's window; a column outside the input becomes the nearest one
 * inside. Returns false if all are outside. */
template <int K>
__device__ static inline bool pooling_columns(const pooling_shape &shape, int o, int column[K])
{
    int begin = o * shape.stride[2] - shape.pad[2];
    int first = pooling_most(begin, 0);
    int last = pooling_least(begin + K, shape.x_end[2]) - 1;

#pragma unroll
    for (int j = 0; j < K; j++)
        column[j] = pooling_least(pooling_most(begin + j, first), last);
    return first <= last;
}

/* Adds the next element of a window to the result. A maximum skips NaN, or keeps it if NaN
 * propagates. */
template <bool MAX>
__device__ static inline void pooling_take(float &result, float value, int nan_propagate)
{
    if (!MAX)
        result += value;
    else if (!nan_propagate)
        result = fmaxf(result, value);
    else if (value > result || (nan_propagate && isnan(value)))
        result = value;
}

/* Returns true if an element can be the one that y was taken from, judged by its value. */
__device__ static inline bool pooling_same(float x, float y, bool y_is_nan)
{
    return x == y || (y_is_nan && isnan(x));
}

/* ------------------------------------------------------------------ tiles */

/* Computes the first position of a block's tile. Returns the block's index along the outer dims. */
__device__ static inline unsigned pooling_first(const pooling_tile &tile, unsigned block,
                                                int first[])
{
#pragma unroll
    for (int s = POOLING_DIMS - 1; s >= 0; s--) {
        unsigned next = cuda_divide(block, tile.by_tiles[s]);

        first[s] = (int)(block - next * (unsigned)tile.tiles[s]) * tile.size[s];
        block = next;
    }
    return block;
}

/* Computes the position of item i in boxes of this size. Returns the number of boxes before it. */
__device__ static inline int pooling_position(const int32_t size[], const cuda_divisor by_size[],
                                              int i, int position[])
{
    unsigned left = (unsigned)i;

#pragma unroll
    for (int s = POOLING_DIMS - 1; s >= 0; s--) {
        unsigned next = cuda_divide(left, by_size[s]);

        position[s] = (int)(left - next * (unsigned)size[s]);
        left = next;
    }
    return (int)left;
}

/* Distributes the columns of rows over some threads. It calls take(w, row, step) for column w of
 * rows row, row + step, ..., so that values that depend only on the column are computed once. */
template <class Take>
__device__ static inline void pooling_each_column(int thread, int threads, int wide,
                                                  const cuda_divisor &by_wide, Take take)
{
    int step = (int)cuda_divide((unsigned)threads, by_wide);
    int row = (int)cuda_divide((unsigned)thread, by_wide);

    if (step == 0) {
        for (int w = thread; w < wide; w += threads)
            take(w, 0, 1);
    } else if (row < step) {
        take(thread - row * wide, row, step);
    }
}

__device__ static inline int pooling_volume(const int32_t size[])
{
    return size[0] * size[1] * size[2];
}

/* A tile of dx and the windows that cover it. */
struct pooling_gradient {
    pooling_box box;     /* range of dx */
    pooling_box windows; /* range of y */
};

__device__ static inline pooling_gradient pooling_gradient_of(const pooling_packed &p,
                                                              const int first[])
{
    pooling_gradient made;

#pragma unroll
    for (int s = 0; s < POOLING_DIMS; s++) {
        made.box.begin[s] = first[s];
        made.box.end[s] = pooling_least(first[s] + p.tile.size[s], p.shape.x_dims[s]);
        pooling_over(p.shape, s, first[s], made.box.end[s] - 1, &made.windows);
    }
    return made;
}

/* Returns the offset of position (d, h, w) in a plane of these dims. */
__device__ static inline int pooling_offset(const int32_t dims[], int d, int h, int w)
{
    return (d * dims[1] + h) * dims[2] + w;
}

/* ------------------------------------------------------------------ results, kernels */

/* Blends sums into neighbouring elements. `out` must hold the prior elements if beta is not 0. */
template <class T, int LANES>
__device__ static inline void pooling_blend_lanes(T out[LANES], const float sum[LANES],
                                                  const cuda_blend &blend)
{
    /* One branch covers all lanes. */
    if (blend.alpha == 1 && blend.beta == 0) {
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            cuda_store(&out[lane], sum[lane]);
    } else {
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            cuda_blend_store(&out[lane], sum[lane], blend);
    }
}

/* Returns the size of square windows of planes for which kernels are compiled, or 0. */
static inline int pooling_square(const pooling_shape &shape)
{
    int flat = shape.x_dims[0] == 1 && shape.y_dims[0] == 1 && shape.window[0] == 1 &&
               shape.pad[0] == 0 && shape.window[1] == shape.window[2];

    return flat && (shape.window[1] == 2 || shape.window[1] == 3) ? shape.window[1] : 0;
}

/* Cases of a switch over the types of the packed forms; each calls CASE(T). */
#define POOLING_CASES(CASE)                                                                        \
    case ANYDNN_PLUGIN_FLOAT:                                                                      \
        CASE(float);                                                                               \
    case ANYDNN_PLUGIN_HALF:                                                                       \
        CASE(cuda_half);                                                                           \
    default:                                                                                       \
        CASE(cuda_bfloat16)

#endif
