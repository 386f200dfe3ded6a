/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what the depthwise kernels share: a thread's strip, its columns and its results. */
#ifndef CUDA_SIMT_CONV_DEPTHWISE_DEVICE_H
#define CUDA_SIMT_CONV_DEPTHWISE_DEVICE_H

#include "../../cuda_common/index.h"
#include "depthwise.h"

/* The adjacent channels of one access. */
template <int BYTES> struct depthwise_whole;
template <> struct depthwise_whole<2> {
    typedef uint16_t type;
};
template <> struct depthwise_whole<4> {
    typedef uint32_t type;
};
template <> struct depthwise_whole<8> {
    typedef uint2 type;
};

template <class T, int V> union depthwise_lanes {
    typename depthwise_whole<sizeof(T) * V>::type whole;
    T lane[V];
};

/* The strip of a thread: a piece of a class in each dim. */
struct depthwise_strip {
    int32_t channel, image;
    int32_t across_class, across_first; /* first result of the tile, numbered within the class */
    int32_t along_class, along_first, count;
};

__device__ static inline int32_t depthwise_split(uint32_t &left, const cuda_divisor &by,
                                                 int32_t extent)
{
    uint32_t next = cuda_divide(left, by);
    int32_t index = (int32_t)(left - next * (uint32_t)extent);

    left = next;
    return index;
}

/* Fills in the class and the first results of a strip, and its count, for tiles of `tile` results
 * across. The pieces of a class are consecutive. */
__device__ static inline void depthwise_pieces(depthwise_strip &strip, const depthwise_job &job,
                                               int32_t across, int32_t along, int tile)
{
    uint32_t left = (uint32_t)across;
    int32_t results;

    strip.across_first = depthwise_split(left, job.by_across, job.across.pieces) * tile;
    strip.across_class = (int32_t)left;
    left = (uint32_t)along;
    strip.along_first = depthwise_split(left, job.by_along, job.along.pieces) * job.length;
    strip.along_class = (int32_t)left;
    results = (job.along.results - strip.along_class + job.along.classes - 1) / job.along.classes -
              strip.along_first;
    strip.count = results < job.length ? results : job.length;
}

__device__ static inline depthwise_strip depthwise_strip_of(const depthwise_job &job,
                                                            uint32_t thread, int tile, int lanes)
{
    depthwise_strip strip;
    uint32_t left = thread;
    int32_t first = depthwise_split(left, job.by_first, job.first);
    int32_t second = depthwise_split(left, job.by_second, job.second);
    int32_t third = depthwise_split(left, job.by_third, job.third);

    strip.channel = (job.channels_inside ? first : second) * lanes;
    strip.image = (int32_t)left;
    depthwise_pieces(strip, job, job.channels_inside ? second : first, third, tile);
    return strip;
}

/* Returns a bit for each of the COUNT elements from `at` on, `step` apart: 1 if the element
 * exists. */
template <int COUNT>
__device__ static inline unsigned depthwise_inside(int32_t at, int32_t step, int32_t extent)
{
    unsigned bits = 0;

#pragma unroll
    for (int i = 0; i < COUNT; i++)
        bits |= (unsigned)((uint32_t)(at + i * step) < (uint32_t)extent) << i;
    return bits;
}

/* Reads a column of COUNT elements, `apart` from one another. Elements without a bit in `inside`
 * become zeros. */
template <class T, int V, int COUNT>
__device__ static inline void depthwise_read(depthwise_lanes<T, V> (&to)[COUNT], const T *from,
                                             int32_t apart, unsigned inside)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        to[i].whole = {};
        if (inside >> i & 1)
            to[i].whole = *(const decltype(to[i].whole) *)(from + i * apart);
    }
}

template <class T, int V, int COUNT>
__device__ static inline void depthwise_numbers(float (&to)[COUNT][V],
                                                const depthwise_lanes<T, V> (&from)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
#pragma unroll
        for (int v = 0; v < V; v++)
            to[i][v] = cuda_load(from[i].lane[v]);
    }
}

/* ------------------------------------------------------------------ columns */

/* An iterator over columns of a tensor: the address of the next column, and bits of its rows that
 * exist. */
template <class T> struct depthwise_columns {
    const T *at;
    int32_t move, apart; /* strides to the next column, and to the next row */
    unsigned rows;

    /* Reads the next column, or zeros unless `there` is true. */
    template <int V, int COUNT> __device__ void next(depthwise_lanes<T, V> (&to)[COUNT], bool there)
    {
        depthwise_read(to, at, apart, there ? rows : 0);
        at += move;
    }
};

/* The columns of x that a strip of results uses. */
template <class T> struct depthwise_x_columns : depthwise_columns<T> {
    int32_t first; /* coordinate of the next column */
    int32_t step, extent, left;

    template <int V, int COUNT> __device__ void next(depthwise_lanes<T, V> (&to)[COUNT])
    {
        depthwise_columns<T>::next(to, left > 0 && (uint32_t)first < (uint32_t)extent);
        first += step;
        left--;
    }
};

template <class T, int S, int U, int TILE>
__device__ static inline depthwise_x_columns<T>
depthwise_x_columns_of(const depthwise_job &job, const depthwise_strip &strip, int32_t channel)
{
    enum { ROWS = (TILE - 1) * U + S };
    const depthwise_line &across = job.across, &along = job.along;
    int32_t row =
        across.origin + strip.across_class * across.stride + strip.across_first * U * across.step;
    depthwise_x_columns<T> columns;

    columns.first =
        along.origin + strip.along_class * along.stride + strip.along_first * U * along.step;
    columns.at = (const T *)job.a + strip.image * job.x.image + channel * job.x.channel +
                 (int64_t)row * job.x.across + (int64_t)columns.first * job.x.along;
    columns.move = along.step * job.x.along;
    columns.apart = across.step * job.x.across;
    columns.step = along.step;
    columns.extent = along.a_extent;
    columns.left = (strip.count - 1) * U + S;
    columns.rows = depthwise_inside<ROWS>(row, across.step, across.a_extent);
    return columns;
}

/* Iterates along a strip of `count` results with a ring of RING columns of sums, or of dy, in
 * registers. The statement after it runs for each step m + k with column k of the ring; unrolling
 * makes k a constant. A step belongs to result m + k, which does not exist below 0 and from `count`
 * on. This is a macro, because a function with the step as an argument compiles to code that needs
 * more registers. */
#define DEPTHWISE_RING(m, k, count)                                                                \
    for (int m = 1 - RING; m < (count); m += RING)                                                 \
    _Pragma("unroll") for (int k = 0; k < RING; k++)

/* ------------------------------------------------------------------ filters */

/* Loads the filters of V channels that begin at `from`. */
template <class T, int V, int S>
__device__ static inline void depthwise_filters(float (&to)[S][S][V], const depthwise_job &job,
                                                int64_t from)
{
#pragma unroll
    for (int r = 0; r < S; r++) {
#pragma unroll
        for (int s = 0; s < S; s++) {
#pragma unroll
            for (int v = 0; v < V; v++)
                to[r][s][v] = cuda_load(((const T *)job.b)[from + v * job.tap_channel +
                                                           r * job.tap_across + s * job.tap_along]);
        }
    }
}

/* ------------------------------------------------------------------ results */

/* Stores a sum with factors, bias or activation. The function is not inlined, so that plain stores
 * stay short. */
template <class T>
__device__ __noinline__ void depthwise_store_fused(const conv_output &output, int64_t at, int64_t z,
                                                   int64_t channel, float sum)
{
    conv_store<T>(output, at, z, channel, sum);
}

CUDA_BOTH bool depthwise_is_plain(const conv_output &output)
{
    return !output.bias && output.blend.alpha == 1 && output.blend.beta == 0;
}

/* Stores V sums at `at`; `z` is the offset in the fused operation's z. A function call costs
 * registers, so threads with several channels store only plain sums. */
template <class T, int V>
__device__ static inline void depthwise_store(const depthwise_job &job, int64_t at, int64_t z,
                                              int32_t channel, const float (&sum)[V])
{
    if (V == 1 && !depthwise_is_plain(job.output)) {
        depthwise_store_fused<T>(job.output, at, z, channel, sum[0]);
    } else {
        depthwise_lanes<T, V> out;

#pragma unroll
        for (int v = 0; v < V; v++)
            cuda_store(&out.lane[v], sum[v]);
        *(decltype(out.whole) *)((T *)job.output.data + at) = out.whole;
    }
}

/* ------------------------------------------------------------------ on the host */

/* A type and a filter size, SIZE x SIZE, for which kernels are instantiated. */
template <class E, int SIZE> struct depthwise_made_for {
    typedef E T;
    enum { S = SIZE };
};

template <class T, class Launch>
static int32_t depthwise_by_size(const depthwise_state *state, const Launch &launch)
{
    return state->taps == 3   ? launch(depthwise_made_for<T, 3>{})
           : state->taps == 5 ? launch(depthwise_made_for<T, 5>{})
                              : launch(depthwise_made_for<T, 7>{});
}

/* Calls `launch` with the depthwise_made_for of a problem's type and filter. Returns its status. */
template <class Launch>
static int32_t depthwise_launch(const depthwise_state *state, const Launch &launch)
{
    return state->type == ANYDNN_PLUGIN_FLOAT  ? depthwise_by_size<float>(state, launch)
           : state->type == ANYDNN_PLUGIN_HALF ? depthwise_by_size<cuda_half>(state, launch)
                                               : depthwise_by_size<cuda_bfloat16>(state, launch);
}

#endif
