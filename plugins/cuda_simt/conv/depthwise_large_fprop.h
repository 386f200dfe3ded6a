/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines depthwise fprop, and dgrad with a stride of 1, with large filters. A block copies its
 * filters, and the x under its tiles, to shared memory by cp.async. It processes several groups of
 * tiles if that leaves enough blocks, so that filters are read once for them. A thread moves down
 * its unit with a ring of rows of sums. Rows of x outside the image are skipped by a branch that
 * all threads of a unit take together.
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

/* The part of a thread in a group: its tile, and whether that exists. */
template <class SHAPE> struct large_work {
    large_tile at;
    bool there;

    __device__ large_work(const depthwise_job &job, uint32_t group, int32_t own)
    {
        uint32_t tile = group * SHAPE::TILES + own;

        at = tile_of<SHAPE>(job, tile);
        there = tile < (uint32_t)job.tiles;
    }

    template <class T>
    __device__ void copy(uint4 *x, const depthwise_job &job, int32_t own, int32_t slab) const
    {
        if (there)
            copy_tile<T, SHAPE::WIDTH, SHAPE::HEIGHT, SHAPE::TEAM>(
                x + own * SHAPE::TILE_VECTORS, x_of<T>(job, at.image, slab),
                at.y * SHAPE::STRIDE + job.across.origin, at.x * SHAPE::STRIDE + job.along.origin);
    }
};

template <class T, class SHAPE>
__device__ static inline large_results<T> results_of(const depthwise_job &job, const large_tile &at,
                                                     int32_t y, int32_t x, int32_t channel)
{
    large_results<T> to;

    to.at = (T *)job.output.data + at.image * job.out.image + channel +
            (int64_t)(at.y + y) * job.out.across + (int64_t)(at.x + x) * job.out.along;
    to.rows = job.across.positions - (at.y + y);
    to.columns = depthwise_inside<SHAPE::WIDE>(at.x + x, 1, job.along.positions);
    return to;
}

template <class T, class SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, LARGE_RESIDENT(SHAPE))
    depthwise_large_kernel(const __grid_constant__ depthwise_job job)
{
    __shared__ uint4 x[SHAPE::TILES * SHAPE::TILE_VECTORS], filters[SHAPE::FILTER_VECTORS];
    large_unit<SHAPE> unit;
    uint32_t group = blockIdx.x;
    int32_t slab = depthwise_split(group, job.by_first, job.first) * SLAB;
    float w[SHAPE::TAPS][SHAPE::TAPS][SHAPE::EACH];
    large_work<SHAPE> work(job, group, unit.own);

    work.template copy<T>(x, job, unit.own, slab);
    copy_filters<T, SHAPE>(filters, job, slab);
    wait_all();
    __syncthreads();
    read_filters<T, SHAPE>(w, job, filters, unit.channel);
    for (;;) {
        if (work.there && slab + unit.channel < job.channels) {
            large_results<T> results =
                results_of<T, SHAPE>(job, work.at, unit.y, unit.x, slab + unit.channel);

            compute_unit<T, SHAPE>(job, unit.template under<T>(x),
                                   (work.at.y + unit.y) * SHAPE::STRIDE + job.across.origin, w,
                                   results);
        }
        group += job.streams;
        if (group * SHAPE::TILES >= (uint32_t)job.tiles)
            return;
        __syncthreads();
        work = large_work<SHAPE>(job, group, unit.own);
        work.template copy<T>(x, job, unit.own, slab);
        wait_all();
        __syncthreads();
    }
}

template <class SHAPE>
static int32_t large_fprop_of(const depthwise_state *state, const cuda_call *call,
                              const depthwise_job &job)
{
    return large_launch<SHAPE>(state, call, job, depthwise_large_kernel<cuda_half, SHAPE>,
                               depthwise_large_kernel<cuda_bfloat16, SHAPE>);
}

#endif
