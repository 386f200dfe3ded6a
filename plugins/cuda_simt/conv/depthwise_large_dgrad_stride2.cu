/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes depthwise dgrad with a stride of 2 and large filters. As in depthwise_dgrad_stride2.cu,
 * padded positions begin at an even one, and a unit has pairs of them in both dims. A thread moves
 * down the dy under its unit with a window of rows in registers, and computes a pair of rows of dx
 * from it at each step. A result thus needs only those taps whose parity is its own.
 */
#include "depthwise_large_shapes.h"

/* The rows and columns of dy that precede those of the unit's pairs, and the dy that a unit
 * uses. */
template <class SHAPE> struct dy_shape : SHAPE {
    enum { BACK = (SHAPE::TAPS - 1) / 2, WINDOW = BACK + 1 };
    enum { DY_WIDTH = SHAPE::WIDE + BACK, DY_HEIGHT = SHAPE::HIGH + BACK };
    enum { DY_VECTORS = DY_WIDTH * DY_HEIGHT * VECTORS };
};

/* Computes row 2 j + ODD of dx from row j of dy and the rows before it; row i of dy is in place
 * i % WINDOW. */
template <class SHAPE>
__device__ static inline void
compute_row(float (&sum)[2 * SHAPE::WIDE][SHAPE::EACH],
            const float (&dy)[SHAPE::WINDOW][SHAPE::DY_WIDTH][SHAPE::EACH],
            const float (&w)[SHAPE::TAPS][SHAPE::TAPS][SHAPE::EACH], int row, int odd)
{
#pragma unroll
    for (int r = odd; r < SHAPE::TAPS; r += 2) {
#pragma unroll
        for (int s = 0; s < SHAPE::TAPS; s++) {
#pragma unroll
            for (int q = 0; q < SHAPE::WIDE; q++) {
#pragma unroll
                for (int v = 0; v < SHAPE::EACH; v++)
                    sum[2 * q + s % 2][v] =
                        fmaf(dy[(row - r / 2) % SHAPE::WINDOW][q + SHAPE::BACK - s / 2][v],
                             w[r][s][v], sum[2 * q + s % 2][v]);
            }
        }
    }
}

/* Computes a unit, whose first row of dx is `first`. `to` is the address of that row, which may be
 * outside the image. */
template <class T, class SHAPE>
__device__ static inline void compute_unit(const depthwise_job &job, const T *under, int32_t first,
                                           const float (&w)[SHAPE::TAPS][SHAPE::TAPS][SHAPE::EACH],
                                           T *to, unsigned columns)
{
    float dy[SHAPE::WINDOW][SHAPE::DY_WIDTH][SHAPE::EACH];

#pragma unroll
    for (int row = 0; row < SHAPE::DY_HEIGHT; row++) {
        read_pixels<T>(dy[row % SHAPE::WINDOW], under + row * SHAPE::DY_WIDTH * SLAB);
        if (row < SHAPE::BACK)
            continue;
#pragma unroll
        for (int odd = 0; odd < 2; odd++) {
            int at = 2 * (row - SHAPE::BACK) + odd;

            if ((uint32_t)(first + at) < (uint32_t)job.across.positions) {
                float sum[2 * SHAPE::WIDE][SHAPE::EACH] = {};

                compute_row<SHAPE>(sum, dy, w, row, odd);
                store_pixels<T>(to, job.out.along, sum, columns);
            }
            to += job.out.across;
        }
    }
}

/* The part of a thread in a group: its tile, the first row and column of dx, which may be outside
 * the image, and whether the tile exists. */
template <class T, class SHAPE> struct dgrad_work {
    large_tile at;
    int32_t first, column;
    bool there;

    __device__ dgrad_work(const depthwise_job &job, uint32_t group, int32_t own)
    {
        uint32_t tile = group * SHAPE::TILES + own;

        at = tile_of<SHAPE>(job, tile);
        at.y += job.across.origin / 2;
        at.x += job.along.origin / 2;
        first = 2 * at.y - job.across.origin;
        column = 2 * at.x - job.along.origin;
        there = tile < (uint32_t)job.tiles;
    }

    __device__ void copy(uint4 *dy, const depthwise_job &job, int32_t own, int32_t slab) const
    {
        if (there)
            copy_tile<T, SHAPE::DY_WIDTH, SHAPE::DY_HEIGHT, SHAPE::TEAM>(
                dy + own * SHAPE::DY_VECTORS, x_of<T>(job, at.image, slab), at.y - SHAPE::BACK,
                at.x - SHAPE::BACK);
    }

    __device__ T *result(const depthwise_job &job, int32_t channel) const
    {
        return (T *)job.output.data + at.image * job.out.image + channel +
               (int64_t)first * job.out.across + (int64_t)column * job.out.along;
    }
};

template <class T, class SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, LARGE_RESIDENT(SHAPE))
    depthwise_large_dgrad_stride2_kernel(const __grid_constant__ depthwise_job job)
{
    __shared__ uint4 dy[SHAPE::TILES * SHAPE::DY_VECTORS], filters[SHAPE::FILTER_VECTORS];
    large_unit<SHAPE> unit;
    uint32_t group = blockIdx.x;
    int32_t slab = depthwise_split(group, job.by_first, job.first) * SLAB;
    float w[SHAPE::TAPS][SHAPE::TAPS][SHAPE::EACH];
    dgrad_work<T, SHAPE> work(job, group, unit.own);

    work.copy(dy, job, unit.own, slab);
    copy_filters<T, SHAPE>(filters, job, slab);
    wait_all();
    __syncthreads();
    read_filters<T, SHAPE>(w, job, filters, unit.channel);
    for (;;) {
        if (work.there && slab + unit.channel < job.channels)
            compute_unit<T, SHAPE>(
                job, (const T *)(dy + unit.own * SHAPE::DY_VECTORS) + unit.channel, work.first, w,
                work.result(job, slab + unit.channel),
                depthwise_inside<2 * SHAPE::WIDE>(work.column, 1, job.along.positions));
        group += job.streams;
        if (group * SHAPE::TILES >= (uint32_t)job.tiles)
            return;
        __syncthreads();
        work = dgrad_work<T, SHAPE>(job, group, unit.own);
        work.copy(dy, job, unit.own, slab);
        wait_all();
        __syncthreads();
    }
}

/* ------------------------------------------------------------------ on the host */

template <class SHAPE>
static int32_t by_type(const depthwise_state *state, const cuda_call *call,
                       const depthwise_job &job)
{
    return large_launch<SHAPE>(
        state, call, job, depthwise_large_dgrad_stride2_kernel<cuda_half, dy_shape<SHAPE>>,
        depthwise_large_dgrad_stride2_kernel<cuda_bfloat16, dy_shape<SHAPE>>);
}

int32_t depthwise_large_dgrad_stride2(const depthwise_state *state, const cuda_call *call,
                                      const depthwise_job &job)
{
    static large_run *const by_shape5[] = {LARGE_DGRAD_5_STRIDE2(by_type)};
    static large_run *const by_shape7[] = {LARGE_DGRAD_7_STRIDE2(by_type)};

    return (state->taps == 5 ? by_shape5 : by_shape7)[state->shape](state, call, job);
}
