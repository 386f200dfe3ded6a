/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of depthwise convolutions share: a thread's strip, columns, results. */
#ifndef CUDA_NAIVE_CONV_DEPTHWISE_DEVICE_H
#define CUDA_NAIVE_CONV_DEPTHWISE_DEVICE_H

#include "../../cuda_common/index.h"
#include "depthwise.h"

/* Channels side by side, in one access. */
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

/* A thread's strip: which piece of which class, in each dim. */
struct depthwise_strip {
    int32_t channel, image;
    int32_t across_class, across_first; /* first result of its tile, in its class */
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

/* Of `tile` results across. Pieces of a class follow one another. */
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

/* Which of the COUNT elements from `at` on, `step` apart, there are, as bits. */
template <int COUNT>
__device__ static inline unsigned depthwise_inside(int32_t at, int32_t step, int32_t extent)
{
    unsigned bits = 0;

#pragma unroll
    for (int i = 0; i < COUNT; i++)
        bits |= (unsigned)((uint32_t)(at + i * step) < (uint32_t)extent) << i;
    return bits;
}

/* Reads a column: those of COUNT elements, `apart` from one another, that `inside` has. */
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

/* The filters of V channels at `from`. */
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
                to[r][s][v] =
                    cuda_load(((const T *)job.other)[from + v * job.tap_channel +
                                                     r * job.tap_across + s * job.tap_along]);
        }
    }
}

/* With factors, bias or activation, out of the way of those without. */
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

/* Stores V sums at `at`; `z` is the place of the fused operation's z. A call to another function
 * costs registers, so that threads with several channels only store plain sums. */
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

#endif
