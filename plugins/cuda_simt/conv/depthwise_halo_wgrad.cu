/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes depthwise wgrad of 3 x 3 taps with a stride of 1, for 16-bit types in NHWC by halo
 * tiles. A block processes groups of tiles of its slab. A thread keeps the sums of all taps of its
 * two channels. x passes through shared memory. Each thread reads its dy only once, into registers,
 * one row ahead. A block's sums are added in the order of its units, and the sums of blocks as in
 * depthwise_wgrad.cu.
 */
#include "depthwise_halo_wgrad.h"

template <class T, class SHAPE>
__device__ static inline void add_unit(float (&sum)[3][3][2], const uint32_t *under, const T *dy,
                                       depthwise_lanes<T, 2> (&next)[UNIT],
                                       const depthwise_job &job)
{
    float ring[3][UNIT][2];

#pragma unroll
    for (int row = 0; row < SHAPE::UNDER; row++) {
        float x[SHAPE::UNDER][2];

        if (row < UNIT)
            depthwise_numbers(ring[row % 3], next);
        if (row + 1 < UNIT) {
            dy += job.out.across;
            read_dy(next, dy, job.out.along);
        }
        read_row<T, SHAPE>(x, under, row);
#pragma unroll
        for (int r = 0; r < 3; r++) {
            if (row >= r && row - r < UNIT)
                add_products<SHAPE>(sum[r], x, ring[(row - r + 3) % 3]);
        }
    }
}

template <class T, class SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, SHAPE::WGRAD_BLOCKS)
    depthwise_halo_wgrad_kernel(const __grid_constant__ depthwise_job job)
{
    __shared__ uint4 halo[SHAPE::TILES * SHAPE::TILE_VECTORS];
    halo_unit<SHAPE> unit;
    uint32_t stream = blockIdx.x;
    int32_t slab = depthwise_split(stream, job.by_first, job.first) * (2 * SHAPE::LANES);
    float sum[3][3][2] = {};

    for (uint32_t group = stream; group * SHAPE::TILES < (uint32_t)job.tiles;
         group += job.streams) {
        bool there = group * SHAPE::TILES + unit.own < (uint32_t)job.tiles;
        depthwise_lanes<T, 2> next[UNIT];
        const T *dy = (const T *)job.b;

        load_group<T, SHAPE>(halo, job, group, slab);
        if (there) {
            dy += unit.at(job, tile_of<SHAPE>(job, group * SHAPE::TILES + unit.own),
                          slab + 2 * unit.lane);
            read_dy(next, dy, job.out.along);
        }
        wait_all();
        __syncthreads();
        if (there)
            add_unit<T, SHAPE>(sum, unit.under(halo), dy, next, job);
        __syncthreads();
    }
    give_part<SHAPE>(job, sum, (float *)halo, slab, stream);
}

/* ------------------------------------------------------------------ on the host */

template <class SHAPE>
static int32_t by_type(const depthwise_state *state, const cuda_call *call,
                       const depthwise_job &job)
{
    return halo_launch<SHAPE>(state, call, job, depthwise_halo_wgrad_kernel<cuda_half, SHAPE>,
                              depthwise_halo_wgrad_kernel<cuda_bfloat16, SHAPE>);
}

int32_t depthwise_halo_wgrad(const depthwise_state *state, const cuda_call *call,
                             const depthwise_job &job)
{
    static int32_t (*const by_shape[])(const depthwise_state *, const cuda_call *,
                                       const depthwise_job &) = {HALO_SHAPES(by_type)};
    int32_t status = state->stride == 2 ? depthwise_halo_wgrad_stride2(state, call, job)
                                        : by_shape[state->shape](state, call, job);

    return status ? status : depthwise_wgrad_join(state, call, job);
}
