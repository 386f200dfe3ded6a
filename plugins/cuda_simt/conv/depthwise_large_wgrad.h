/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines depthwise wgrad with large filters. A block processes groups of tiles of its slab, whose
 * x and dy pass through shared memory. A thread keeps the sums of all taps of its channels, and
 * moves down its unit with a ring of rows of dy. A block's sums are added in the order of its
 * units, and the sums of blocks as in depthwise_wgrad.cu.
 */
#ifndef CUDA_SIMT_CONV_DEPTHWISE_LARGE_WGRAD_H
#define CUDA_SIMT_CONV_DEPTHWISE_LARGE_WGRAD_H

#include "depthwise_large_shapes.h"

/* Starts to copy the x and dy of a thread's tile. dy outside becomes zeros, which add nothing. */
template <class T, class SHAPE>
__device__ static inline void copy_both(uint4 *x, uint4 *dy, const depthwise_job &job,
                                        const large_tile &at, int32_t own, int32_t slab)
{
    large_source<T> dy_source = {(const T *)job.b + at.image * job.out.image + slab,
                                 job.out.across,
                                 job.out.along,
                                 job.across.positions,
                                 job.along.positions,
                                 job.channels - slab};

    copy_tile<T, SHAPE::WIDTH, SHAPE::HEIGHT, SHAPE::TEAM>(
        x + own * SHAPE::TILE_VECTORS, x_of<T>(job, at.image, slab),
        at.y * SHAPE::STRIDE + job.across.origin, at.x * SHAPE::STRIDE + job.along.origin);
    copy_tile<T, SHAPE::X * SHAPE::WIDE, SHAPE::Y * SHAPE::HIGH, SHAPE::TEAM>(
        dy + own * SHAPE::RESULT_VECTORS, dy_source, at.y, at.x);
}

/* Adds the products of a row of x and a row of dy to the sums of a row of taps. */
template <class SHAPE>
__device__ static inline void add_products(float (&sum)[SHAPE::TAPS][SHAPE::EACH],
                                           const float (&x)[SHAPE::UNDER_X][SHAPE::EACH],
                                           const float (&dy)[SHAPE::WIDE][SHAPE::EACH])
{
#pragma unroll
    for (int q = 0; q < SHAPE::WIDE; q++) {
#pragma unroll
        for (int s = 0; s < SHAPE::TAPS; s++) {
#pragma unroll
            for (int v = 0; v < SHAPE::EACH; v++)
                sum[s][v] = fmaf(x[q * SHAPE::STRIDE + s][v], dy[q][v], sum[s][v]);
        }
    }
}

/* Adds the products of a unit. `under` and `dy` are the addresses of its first elements; `first` is
 * the row of x. */
template <class T, class SHAPE>
__device__ static inline void add_unit(float (&sum)[SHAPE::TAPS][SHAPE::TAPS][SHAPE::EACH],
                                       const depthwise_job &job, const T *under, const T *dy,
                                       int32_t first)
{
    float ring[SHAPE::RING][SHAPE::WIDE][SHAPE::EACH];

#pragma unroll
    for (int row = 0; row < SHAPE::UNDER_Y; row++) {
        int begun = row / SHAPE::STRIDE;

        if (row % SHAPE::STRIDE == 0 && begun < SHAPE::HIGH)
            read_pixels<T>(ring[begun % SHAPE::RING], dy + begun * (SHAPE::X * SHAPE::WIDE) * SLAB);
        if ((uint32_t)(first + row) < (uint32_t)job.across.a_extent) {
            float x[SHAPE::UNDER_X][SHAPE::EACH];

            read_pixels<T>(x, under + row * SHAPE::WIDTH * SLAB);
#pragma unroll
            for (int r = 0; r < SHAPE::TAPS; r++) {
                int p = (row - r) / SHAPE::STRIDE;

                if (row >= r && (row - r) % SHAPE::STRIDE == 0 && p < SHAPE::HIGH)
                    add_products<SHAPE>(sum[r], x, ring[p % SHAPE::RING]);
            }
        }
    }
}

/* Adds up a block's sums and stores them as its partial sums. Overwrites `share`, whose contents
 * are no longer needed. */
template <class SHAPE>
__device__ static inline void give_part(const depthwise_job &job,
                                        const float (&sum)[SHAPE::TAPS][SHAPE::TAPS][SHAPE::EACH],
                                        float *share, int32_t slab, uint32_t stream)
{
#pragma unroll
    for (int t = 0; t < SHAPE::SQUARE; t++) {
#pragma unroll
        for (int v = 0; v < SHAPE::EACH; v++)
            share[(t * SHAPE::EACH + v) * SHAPE::THREADS + threadIdx.x] =
                sum[t / SHAPE::TAPS][t % SHAPE::TAPS][v];
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < SHAPE::SQUARE * SLAB; i += SHAPE::THREADS) {
        int lane = i % SHAPE::LANES, which = i / SHAPE::LANES;
        int channel = slab + lane * SHAPE::EACH + which % SHAPE::EACH;
        float joined = 0;

#pragma unroll
        for (int u = 0; u < SHAPE::UNITS; u++)
            joined += share[which * SHAPE::THREADS + u * SHAPE::LANES + lane];
        if (channel < job.channels)
            job.partials[((int64_t)stream * SHAPE::SQUARE + which / SHAPE::EACH) * job.channels +
                         channel] = joined;
    }
}

template <class T, class SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, LARGE_RESIDENT(SHAPE))
    depthwise_large_wgrad_kernel(const __grid_constant__ depthwise_job job)
{
    __shared__ uint4 x[SHAPE::TILES * SHAPE::TILE_VECTORS],
        dy[SHAPE::TILES * SHAPE::RESULT_VECTORS];
    large_unit<SHAPE> unit;
    uint32_t stream = blockIdx.x;
    int32_t slab = depthwise_split(stream, job.by_first, job.first) * SLAB;
    float sum[SHAPE::TAPS][SHAPE::TAPS][SHAPE::EACH] = {};

    static_assert(sizeof x >= SHAPE::SQUARE * SHAPE::EACH * SHAPE::THREADS * sizeof(float),
                  "x makes room for the sums");
    for (uint32_t group = stream; group * SHAPE::TILES < (uint32_t)job.tiles;
         group += job.streams) {
        uint32_t tile = group * SHAPE::TILES + unit.own;
        large_tile at = tile_of<SHAPE>(job, tile);
        bool there = tile < (uint32_t)job.tiles;

        if (there)
            copy_both<T, SHAPE>(x, dy, job, at, unit.own, slab);
        wait_all();
        __syncthreads();
        if (there) {
            const T *dy_under = (const T *)(dy + unit.own * SHAPE::RESULT_VECTORS) +
                                (unit.y * SHAPE::X * SHAPE::WIDE + unit.x) * SLAB + unit.channel;

            add_unit<T, SHAPE>(sum, job, unit.template under<T>(x), dy_under,
                               (at.y + unit.y) * SHAPE::STRIDE + job.across.origin);
        }
        __syncthreads();
    }
    give_part<SHAPE>(job, sum, (float *)x, slab, stream);
}

template <class SHAPE>
static int32_t large_wgrad_of(const depthwise_state *state, const cuda_call *call,
                              const depthwise_job &job)
{
    return large_launch<SHAPE>(state, call, job, depthwise_large_wgrad_kernel<cuda_half, SHAPE>,
                               depthwise_large_wgrad_kernel<cuda_bfloat16, SHAPE>);
}

#endif
