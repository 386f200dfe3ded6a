/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines depthwise fprop, and dgrad with a stride of 1, with large filters. A block copies the x
 * under its tiles, and its filters, to shared memory by cp.async. A thread then moves down its unit
 * with a ring of rows of sums. Rows of x outside the image are skipped by a branch that all threads
 * of a unit take together.
 */
#ifndef CUDA_SIMT_CONV_DEPTHWISE_LARGE_FPROP_H
#define CUDA_SIMT_CONV_DEPTHWISE_LARGE_FPROP_H

#include "depthwise_large_shapes.h"

/* Adds the products of a row of x and a row of taps to a row of sums. */
template <class SHAPE>
__device__ static inline void add_row(float (&sum)[SHAPE::WIDE][SHAPE::EACH],
                                      const float (&x)[SHAPE::UNDER_X][SHAPE::EACH],
                                      const float (&w)[SHAPE::TAPS][SHAPE::EACH])
{
#pragma unroll
    for (int s = 0; s < SHAPE::TAPS; s++) {
#pragma unroll
        for (int q = 0; q < SHAPE::WIDE; q++) {
#pragma unroll
            for (int v = 0; v < SHAPE::EACH; v++)
                sum[q][v] = fmaf(x[q * SHAPE::STRIDE + s][v], w[s][v], sum[q][v]);
        }
    }
}

/* The results of a unit: the address of the next row, the rows and bits of the columns that
 * exist. */
template <class T> struct large_results {
    T *at;
    int32_t rows;
    unsigned columns;
};

/* Computes a unit. `under` is the address of its first element of x, in row `first` of the
 * image. */
template <class T, class SHAPE>
__device__ static inline void compute_unit(const depthwise_job &job, const T *under, int32_t first,
                                           const float (&w)[SHAPE::TAPS][SHAPE::TAPS][SHAPE::EACH],
                                           large_results<T> &to)
{
    float sum[SHAPE::RING][SHAPE::WIDE][SHAPE::EACH] = {};

#pragma unroll
    for (int row = 0; row < SHAPE::UNDER_Y; row++) {
        int last = row - (SHAPE::TAPS - 1);

        if ((uint32_t)(first + row) < (uint32_t)job.across.a_extent) {
            float x[SHAPE::UNDER_X][SHAPE::EACH];

            read_pixels<T>(x, under + row * SHAPE::WIDTH * SLAB);
#pragma unroll
            for (int r = 0; r < SHAPE::TAPS; r++) {
                int p = (row - r) / SHAPE::STRIDE;

                if (row >= r && (row - r) % SHAPE::STRIDE == 0 && p < SHAPE::HIGH)
                    add_row<SHAPE>(sum[p % SHAPE::RING], x, w[r]);
            }
        }
        if (last >= 0 && last % SHAPE::STRIDE == 0) {
            int p = last / SHAPE::STRIDE;

            store_pixels<T>(to.at, job.out.along, sum[p % SHAPE::RING],
                            p < to.rows ? to.columns : 0);
            to.at += job.out.across;
        }
    }
}

template <class T, class SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, SHAPE::BLOCKS)
    depthwise_large_kernel(const __grid_constant__ depthwise_job job)
{
    __shared__ uint4 x[SHAPE::TILES * SHAPE::TILE_VECTORS], filters[SHAPE::FILTER_VECTORS];
    large_unit<SHAPE> unit;
    uint32_t group = blockIdx.x;
    int32_t slab = depthwise_split(group, job.by_first, job.first) * SLAB;
    uint32_t tile = group * SHAPE::TILES + unit.own;
    large_tile at = tile_of<SHAPE>(job, tile);
    bool there = tile < (uint32_t)job.tiles;
    float w[SHAPE::TAPS][SHAPE::TAPS][SHAPE::EACH];

    if (there)
        copy_tile<T, SHAPE::WIDTH, SHAPE::HEIGHT, SHAPE::TEAM>(
            x + unit.own * SHAPE::TILE_VECTORS, x_of<T>(job, at.image, slab),
            at.y * SHAPE::STRIDE + job.across.origin, at.x * SHAPE::STRIDE + job.along.origin);
    copy_filters<T, SHAPE>(filters, job, slab);
    wait_all();
    __syncthreads();
    if (!there || slab + unit.channel >= job.channels)
        return;
    read_filters<T, SHAPE>(w, job, filters, unit.channel);

    int32_t row = at.y + unit.y, column = at.x + unit.x;
    large_results<T> results;

    results.at = (T *)job.output.data + at.image * job.out.image + slab + unit.channel +
                 (int64_t)row * job.out.across + (int64_t)column * job.out.along;
    results.rows = job.across.positions - row;
    results.columns = depthwise_inside<SHAPE::WIDE>(column, 1, job.along.positions);
    compute_unit<T, SHAPE>(job, unit.template under<T>(x), row * SHAPE::STRIDE + job.across.origin,
                           w, results);
}

template <class SHAPE>
static int32_t large_fprop_of(const depthwise_state *state, const cuda_call *call,
                              const depthwise_job &job)
{
    return large_launch<SHAPE>(state, call, job, depthwise_large_kernel<cuda_half, SHAPE>,
                               depthwise_large_kernel<cuda_bfloat16, SHAPE>);
}

#endif
