/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines halo tiles of depthwise convolutions with filters of 5 x 5 and 7 x 7 taps, for 16-bit
 * types in NHWC: how blocks are cut, and how x and filters reach a thread.
 *
 * A block has a slab of SLAB channels. A thread computes a unit of results of one or two of these.
 * All loops over a unit are unrolled, so every offset in shared memory is a constant. Tiles may
 * reach beyond the image. Copies put zeros there, and results outside are not stored.
 */
#ifndef CUDA_SIMT_CONV_DEPTHWISE_LARGE_H
#define CUDA_SIMT_CONV_DEPTHWISE_LARGE_H

#include "../shared/copy_async.h"
#include "depthwise_device.h"

/* Channels of a block, and vectors of 16 bytes that hold them. */
enum { SLAB = 32, VECTORS = SLAB / 8 };

/* The shape of a block: TAPS x TAPS taps, a stride, the channels of a thread, X x Y units of a
 * tile, WIDE x HIGH results of a unit, the threads, and the blocks that should be resident on a
 * multiprocessor. A block has as many consecutive tiles as its threads can process. A unit uses
 * UNDER_Y rows of UNDER_X elements of x. RING rows of results use the same row of x. */
template <int TAPS_, int STRIDE_, int EACH_, int X_, int Y_, int WIDE_, int HIGH_, int THREADS_,
          int BLOCKS_>
struct large_shape {
    enum { TAPS = TAPS_, STRIDE = STRIDE_, EACH = EACH_, X = X_, Y = Y_ };
    enum { WIDE = WIDE_, HIGH = HIGH_, THREADS = THREADS_, BLOCKS = BLOCKS_ };
    enum { SQUARE = TAPS * TAPS, RING = (TAPS - 1) / STRIDE + 1 };
    enum { LANES = SLAB / EACH, UNITS = THREADS / LANES, TILES = UNITS / (X * Y) };
    enum { TEAM = THREADS / TILES }; /* threads of a tile */
    enum { UNDER_X = (WIDE - 1) * STRIDE + TAPS, UNDER_Y = (HIGH - 1) * STRIDE + TAPS };
    enum { WIDTH = (X * WIDE - 1) * STRIDE + TAPS, HEIGHT = (Y * HIGH - 1) * STRIDE + TAPS };
    enum { TILE_VECTORS = WIDTH * HEIGHT * VECTORS };
    enum { RESULT_VECTORS = X * WIDE * Y * HIGH * VECTORS };
    enum { FILTER_VECTORS = SQUARE * VECTORS };
};

/* The blocks for which the compiler saves registers. A multiprocessor of capability 7.5, 8.6 or 8.7
 * holds at most 16 blocks. */
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 800 || __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870)
#define LARGE_RESIDENT(SHAPE) (SHAPE::BLOCKS < 16 ? SHAPE::BLOCKS : 16)
#else
#define LARGE_RESIDENT(SHAPE) SHAPE::BLOCKS
#endif

/* ------------------------------------------------------------------ tiles */

/* The position of a tile's first result. */
struct large_tile {
    int32_t image, y, x;
};

template <class SHAPE>
__device__ static inline large_tile tile_of(const depthwise_job &job, uint32_t tile)
{
    large_tile at;

    at.x = depthwise_split(tile, job.by_along, job.along.pieces) * (SHAPE::X * SHAPE::WIDE);
    at.y = depthwise_split(tile, job.by_across, job.across.pieces) * (SHAPE::Y * SHAPE::HIGH);
    at.image = (int32_t)tile;
    return at;
}

/* The pixels that are copied for a tile: the first channel of the slab in the image, the extents of
 * the image, and the channels that exist. */
template <class T> struct large_source {
    const T *image;
    int32_t across, along, height, width, channels;
};

template <class T>
__device__ static inline large_source<T> x_of(const depthwise_job &job, int32_t image, int32_t slab)
{
    return {(const T *)job.a + image * job.x.image + slab,
            job.x.across,
            job.x.along,
            job.across.a_extent,
            job.along.a_extent,
            job.channels - slab};
}

/* Returns the address that is `count` times `apart` elements behind `base`, in one instruction for
 * a constant count. */
template <class T> __device__ static inline T *address_after(T *base, int32_t count, int32_t apart)
{
#ifdef __CUDA_ARCH__
    T *to;

    asm("mad.wide.s32 %0, %1, %2, %3;"
        : "=l"(to)
        : "r"(apart * (int32_t)sizeof(T)), "r"(count), "l"(base));
    __builtin_assume(__isGlobal(to));
    return to;
#else
    return base + (int64_t)count * apart;
#endif
}

/* Starts to copy WIDTH x HEIGHT pixels of a slab, from row y and column x on. The TEAM threads of
 * the tile do this together: each of their warps copies every WARPS-th row. */
template <class T, int WIDTH, int HEIGHT, int TEAM>
__device__ static inline void copy_tile(uint4 *to, const large_source<T> &source, int32_t y,
                                        int32_t x)
{
    enum { LANES = TEAM < 32 ? TEAM : 32, WARPS = TEAM / LANES, APART = LANES / VECTORS };
    enum { ROW = WIDTH * VECTORS, STEPS = (ROW + LANES - 1) / LANES };
    int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x % TEAM / LANES;
    int32_t column = x + lane / VECTORS, channel = lane % VECTORS * 8;
    const T *from = source.image + channel + (int64_t)(y + warp) * source.across +
                    (int64_t)column * source.along;
    unsigned columns =
        channel < source.channels ? depthwise_inside<STEPS>(column, APART, source.width) : 0;

#pragma unroll
    for (int row = 0; row < HEIGHT; row += WARPS) {
        bool there = (uint32_t)(y + warp + row) < (uint32_t)source.height;

#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            if (((i + 1) * LANES <= ROW || lane < ROW - i * LANES) &&
                (row + WARPS <= HEIGHT || warp < HEIGHT - row))
                copy_async<16>(to + (row + warp) * ROW + i * LANES + lane,
                               address_after(from, i * APART, source.along),
                               there && columns >> i & 1);
        }
        from += WARPS * source.across;
    }
}

/* The part of a thread in each group: a unit of a tile, and its first channel of the slab. */
template <class SHAPE> struct large_unit {
    int32_t channel, own; /* `own` is the tile's number in the group */
    int32_t y, x;         /* of the unit in its tile */

    __device__ large_unit()
    {
        int32_t unit = (int32_t)threadIdx.x / SHAPE::LANES;

        channel = (int32_t)threadIdx.x % SHAPE::LANES * SHAPE::EACH;
        own = unit / (SHAPE::X * SHAPE::Y);
        y = unit / SHAPE::X % SHAPE::Y * SHAPE::HIGH;
        x = unit % SHAPE::X * SHAPE::WIDE;
    }

    /* Returns the address of the thread's first element of x. */
    template <class T> __device__ const T *under(const uint4 *tiles) const
    {
        return (const T *)(tiles + own * SHAPE::TILE_VECTORS) +
               (y * SHAPE::WIDTH + x) * SHAPE::STRIDE * SLAB + channel;
    }
};

template <class T, int V>
__device__ static inline void numbers_of(float (&to)[V], const depthwise_lanes<T, V> &from)
{
#pragma unroll
    for (int v = 0; v < V; v++)
        to[v] = cuda_load(from.lane[v]);
}

/* bfloat16 is the upper half of a float, so one instruction each separates two of them. */
__device__ static inline void numbers_of(float (&to)[2],
                                         const depthwise_lanes<cuda_bfloat16, 2> &from)
{
    to[0] = cuda_float_of(from.whole << 16);
    to[1] = cuda_float_of(from.whole & 0xffff0000u);
}

/* Reads COUNT adjacent pixels of a row in shared memory. */
template <class T, int V, int COUNT>
__device__ static inline void read_pixels(float (&to)[COUNT][V], const T *from)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        depthwise_lanes<T, V> read;

        read.whole = *(const decltype(read.whole) *)(from + i * SLAB);
        numbers_of(to[i], read);
    }
}

/* ------------------------------------------------------------------ filters */

/* Starts to copy the filters of a slab, which are contiguous in memory. */
template <class T, class SHAPE>
__device__ static inline void copy_filters(uint4 *to, const depthwise_job &job, int32_t slab)
{
    const uint4 *from = (const uint4 *)((const T *)job.b + (int64_t)slab * SHAPE::SQUARE);
    int32_t channels = job.channels - slab < SLAB ? job.channels - slab : SLAB;
    int32_t count = channels * SHAPE::SQUARE / 8;

#pragma unroll
    for (int first = 0; first < SHAPE::FILTER_VECTORS; first += SHAPE::THREADS) {
        int i = first + (int)threadIdx.x;

        if (i < SHAPE::FILTER_VECTORS)
            copy_async<16>(to + i, from + (i < count ? i : 0), i < count);
    }
}

/* Reads the filters of a thread, from the last tap to the first if REVERSED is true. */
template <class T, class SHAPE, bool REVERSED>
__device__ static inline void
read_filters_in_order(float (&to)[SHAPE::TAPS][SHAPE::TAPS][SHAPE::EACH], const T *from)
{
#pragma unroll
    for (int t = 0; t < SHAPE::SQUARE; t++) {
        int tap = REVERSED ? SHAPE::SQUARE - 1 - t : t;

#pragma unroll
        for (int v = 0; v < SHAPE::EACH; v++)
            to[t / SHAPE::TAPS][t % SHAPE::TAPS][v] = cuda_load(from[v * SHAPE::SQUARE + tap]);
    }
}

template <class T, class SHAPE>
__device__ static inline void read_filters(float (&to)[SHAPE::TAPS][SHAPE::TAPS][SHAPE::EACH],
                                           const depthwise_job &job, const uint4 *filters,
                                           int32_t channel)
{
    const T *from = (const T *)filters + channel * SHAPE::SQUARE;

    if (job.tap_along < 0)
        read_filters_in_order<T, SHAPE, true>(to, from);
    else
        read_filters_in_order<T, SHAPE, false>(to, from);
}

/* ------------------------------------------------------------------ results */

/* Rounds as cuda_store does, without a branch where bfloat16 has an instruction for it. */
__device__ static inline void round_to(cuda_half *to, float value)
{
    cuda_store(to, value);
}

__device__ static inline void round_to(cuda_bfloat16 *to, float value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to->bits) : "f"(value));
#else
    cuda_store(to, value);
#endif
}

/* Stores the sums of a row whose bits in `there` are set, and sets all of them to zero. */
template <class T, int V, int COUNT>
__device__ static inline void store_pixels(T *to, int32_t along, float (&sum)[COUNT][V],
                                           unsigned there)
{
#pragma unroll
    for (int q = 0; q < COUNT; q++) {
        depthwise_lanes<T, V> out;

#pragma unroll
        for (int v = 0; v < V; v++) {
            round_to(&out.lane[v], sum[q][v]);
            sum[q][v] = 0;
        }
        if (there >> q & 1)
            *(decltype(out.whole) *)address_after(to, q, along) = out.whole;
    }
}

/* ------------------------------------------------------------------ on the host */

typedef void large_kernel(depthwise_job job);

template <class SHAPE>
static int32_t large_launch(const depthwise_state *state, const cuda_call *call,
                            const depthwise_job &job, large_kernel *half, large_kernel *bfloat16)
{
    return cuda_launch_threads(call, state->type == ANYDNN_PLUGIN_HALF ? half : bfloat16,
                               job.threads / SHAPE::THREADS, 1, SHAPE::THREADS, job);
}

#endif
