/* SPDX-License-Identifier: Apache-2.0 */
/* Divisive normalization of rows of channels (divisive_channels.cu): the position of a thread,
 * reading and writing of rows, and sums over the windows of a row. */
#ifndef CUDA_SIMT_NORMALIZATION_DIVISIVE_CHANNELS_H
#define CUDA_SIMT_NORMALIZATION_DIVISIVE_CHANNELS_H

#include "divisive_rows.h"
#include "divisive_tile.h"

#define THREADS   128
#define CHANNELS  4                    /* channels of a thread */
#define POSITIONS (LRN_RUN / CHANNELS) /* positions of a thread */
/* The pairs of positions that a block has in a row, as exponents; and the quads that its threads
 * exchange, with a pair of zeros before and after. */
#define LEAST_PAIRS 2
#define MOST_PAIRS  5
#define ROW_QUADS   (THREADS + 2 * (THREADS >> LEAST_PAIRS))
struct divisive_channels {
    const void *x, *dy;
    void *out;
    cuda_blend blend;
    lrn_factors f;
    float through;
    int32_t high, wide, channels;
    int64_t row; /* elements of a row */
    int32_t log_pairs;
    int32_t halo; /* pairs on each side that only serve other pairs' windows */
    int32_t rows; /* rows of dx or y of a block */
    /* The blocks along the channels, w and h. */
    uint32_t blocks_c, blocks_w, blocks_h;
};

/* The column of an image that a thread computes. */
struct divisive_column {
    int64_t image;
    int begin, end; /* rows */
    int slot, groups;
    int64_t offset;         /* offset of row 0 */
    bool inside[POSITIONS]; /* 1 if the position is in the image */
    bool stores[POSITIONS]; /* 1 if this thread stores the result */
};

/* The values that two threads exchange. Positions of even and odd index are apart, so that those of
 * a warp are contiguous. */
typedef float4 shared_row[POSITIONS][ROW_QUADS];

template <int SIZE> struct quad_words;
template <> struct quad_words<2> {
    typedef uint2 type;
};
template <> struct quad_words<4> {
    typedef uint4 type;
};

template <class T> union quad {
    typename quad_words<sizeof(T)>::type whole;
    T lane[CHANNELS];
};

template <class T> struct pair {
    quad<T> at[POSITIONS];
};

/* A row in flight: each thread reads what it copied itself. */
template <class T> using coming_row = quad<T>[POSITIONS][THREADS];

__device__ static inline divisive_column column_of(const divisive_channels &p)
{
    int log_groups = 7 - p.log_pairs, pair = (int)threadIdx.x >> log_groups;
    int group = (int)threadIdx.x & ((1 << log_groups) - 1), pairs = 1 << p.log_pairs;
    uint32_t left = blockIdx.x / p.blocks_c, block_w = left % p.blocks_w;
    int channel = (int)((blockIdx.x % p.blocks_c << log_groups) + (uint32_t)group) * CHANNELS;
    int w = ((int)block_w * (pairs - 2 * p.halo) + pair - p.halo) * POSITIONS;
    divisive_column at;

    left /= p.blocks_w;
    at.image = left / p.blocks_h;
    at.begin = (int)(left % p.blocks_h) * p.rows;
    at.end = at.begin + p.rows < p.high ? at.begin + p.rows : p.high;
    at.groups = 1 << log_groups;
    at.slot = (int)threadIdx.x + at.groups;
    at.offset = (at.image * p.high * p.wide + w) * p.channels + channel;
#pragma unroll
    for (int i = 0; i < POSITIONS; i++) {
        at.inside[i] = w + i >= 0 && w + i < p.wide && channel < p.channels;
        at.stores[i] = at.inside[i] && pair >= p.halo && pair < pairs - p.halo;
    }
    return at;
}

/* Clears the pairs before a row's first pair and after its last. */
__device__ static inline void clear_ends(const divisive_column &at, shared_row &row)
{
    if ((int)threadIdx.x < at.groups) {
#pragma unroll
        for (int i = 0; i < POSITIONS; i++) {
            row[i][threadIdx.x] = {0, 0, 0, 0};
            row[i][THREADS + at.groups + (int)threadIdx.x] = {0, 0, 0, 0};
        }
    }
}

__device__ static inline float4 add_quads(const float4 &a, const float4 &b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

/* Sums over the windows along a row. Before a block writes this buffer again, it passes the barrier
 * of another row. */
__device__ static inline void sum_row(const divisive_column &at, shared_row &row,
                                      const float value[LRN_RUN], float sum[LRN_RUN])
{
    float4 even = {value[0], value[1], value[2], value[3]}, both,
           odd = {value[4], value[5], value[6], value[7]};
    int before = at.slot - at.groups, behind = at.slot + at.groups;

    row[0][at.slot] = even;
    row[1][at.slot] = odd;
    __syncthreads();
    both = add_quads(add_quads(row[1][before], even), add_quads(odd, row[0][behind]));
    spread(add_quads(row[0][before], both), sum);
    spread(add_quads(both, row[1][behind]), sum + CHANNELS);
}

/* Starts copying a thread's elements of row h, or zeros if the row is before row 0 or not before
 * `end`. */
template <class T>
__device__ static inline void send_for(const divisive_channels &p, const divisive_column &at,
                                       const void *data, int h, int end, coming_row<T> &to)
{
    const T *from = (const T *)data + at.offset + h * p.row;

#pragma unroll
    for (int i = 0; i < POSITIONS; i++)
        copy_async<sizeof(quad<T>)>(&to[i][threadIdx.x], from + (int64_t)i * p.channels,
                                    at.inside[i] && (uint32_t)h < (uint32_t)end);
}

/* Returns the end of the rows that are needed: `behind` rows after the block's own, but at most the
 * image's end. */
__device__ static inline int end_of(const divisive_channels &p, const divisive_column &at,
                                    int behind)
{
    return at.end + behind < p.high ? at.end + behind : p.high;
}

template <class T> __device__ static inline void take(const coming_row<T> &from, pair<T> *to)
{
#pragma unroll
    for (int i = 0; i < POSITIONS; i++)
        to->at[i].whole = from[i][threadIdx.x].whole;
}

template <class T>
__device__ static inline void write_pair(const divisive_channels &p, const divisive_column &at,
                                         int h, const float value[LRN_RUN])
{
    T *to = (T *)p.out + at.offset + h * p.row;
    bool plain = lrn_is_plain(p.blend);

#pragma unroll
    for (int i = 0; i < POSITIONS; i++) {
        auto *whole = (typename quad_words<sizeof(T)>::type *)(to + (int64_t)i * p.channels);
        quad<T> made;

        if (!at.stores[i])
            continue;
        if (!plain && p.blend.beta != 0)
            made.whole = *whole;
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            if (plain)
                cuda_store(&made.lane[c], value[i * CHANNELS + c]);
            else
                cuda_blend_store(&made.lane[c], value[i * CHANNELS + c], p.blend);
        }
        *whole = made.whole;
    }
}

template <class T> __device__ static inline float element_of(const pair<T> &of, int i)
{
    return cuda_load(of.at[i / CHANNELS].lane[i % CHANNELS]);
}

/* Sums the squares of a row, which may be outside the image, over its windows. */
template <class T>
__device__ static inline void take_row(const divisive_channels &p, const divisive_column &at,
                                       shared_row &row, const pair<T> &x, float sum[LRN_RUN])
{
    float square[LRN_RUN];

#pragma unroll
    for (int i = 0; i < LRN_RUN; i++) {
        float value = lrn_take(p.f, x.at[i / CHANNELS].lane[i % CHANNELS]);
        square[i] = value * value;
    }
    sum_row(at, row, square, sum);
}

#endif
