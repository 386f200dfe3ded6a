/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise wgrad of 3 x 3 taps with a stride of 2, 16 bits, NHWC, by halo tiles of 15 x 15
 * elements of x under 7 x 7 of dy. A block is a warp, so that several of the large halos fit on a
 * multiprocessor, and goes through groups of tiles of its slab. A tile is a pipeline of its rows:
 * what a thread has read of one makes room for that row of the next tile, and dy's rows, in
 * registers, are replaced likewise; so a whole tile is always on its way. Even rows of x meet two
 * rows of dy, by taps r = 0 and 2, odd ones one, by r = 1.
 */
#include "depthwise_halo_rows.h"
#include "depthwise_halo_wgrad.h"

/* A unit's tile on its way: x to shared memory and dy to registers, row by row. */
template <class T, class SHAPE> struct halo_walk {
    const T *x, *dy; /* in the next rows */
    int32_t x_row;
    unsigned columns; /* which of the thread's pixels there are */
    bool there;

    __device__ halo_walk(const depthwise_job &job, const halo_unit<SHAPE> &unit, uint32_t group,
                         int32_t slab)
    {
        uint32_t tile = group * SHAPE::TILES + unit.own;
        halo_tile at = tile_of<SHAPE>(job, tile);

        there = tile < (uint32_t)job.tiles;
        x_row = at.y * SHAPE::STRIDE + job.across.origin;
        x = first_vector<T>(job, unit, at, slab, columns);
        columns = there ? columns : 0;
        dy = (const T *)job.b + unit.at(job, at, slab + 2 * unit.lane);
    }

    /* Begins to copy the next row of x; `to` is the place of the thread's first vector. */
    __device__ void copy(uint4 *to, const depthwise_job &job, int lane)
    {
        copy_row<T, SHAPE>(to, x, (uint32_t)x_row < (uint32_t)job.across.a_extent, columns, job,
                           lane);
        commit();
        x_row++;
        x += job.x.across;
    }

    /* Reads the next row of dy, zeros where there is no tile. */
    __device__ void read_row(depthwise_lanes<T, 2> (&to)[UNIT], const depthwise_job &job)
    {
        depthwise_read(to, dy, job.out.along, there ? (1u << UNIT) - 1 : 0);
        dy += job.out.across;
    }
};

/* Adds a unit's products, while `next` begins the tile behind it, in the same registers. */
template <class T, class SHAPE>
__device__ static inline void
add_unit(float (&sum)[3][3][2], uint4 *halo, depthwise_lanes<T, 2> (&dy)[UNIT][UNIT],
         const depthwise_job &job, const halo_unit<SHAPE> &unit, halo_walk<T, SHAPE> &next)
{
    uint4 *to = halo + unit.own * SHAPE::TILE_VECTORS + unit.lane;
    float ring[2][UNIT][2];

#pragma unroll
    for (int row = 0; row < SHAPE::UNDER; row++) {
        float x[SHAPE::UNDER][2];

        if (row % 2 == 0 && row / 2 < UNIT) {
            depthwise_numbers(ring[row / 2 % 2], dy[row / 2]);
            next.read_row(dy[row / 2], job);
        }
        wait<SHAPE::UNDER - 1>();
        __syncwarp();
        read_row<T, SHAPE>(x, unit.under(halo), row);
        __syncwarp();
        next.copy(to + row * SHAPE::WIDTH * SHAPE::VECTORS, job, unit.lane);
#pragma unroll
        for (int r = 0; r < 3; r++) {
            int p = (row - r) / 2;

            if (row >= r && (row - r) % 2 == 0 && p < UNIT)
                add_products<SHAPE>(sum[r], x, ring[p % 2]);
        }
    }
}

template <class T, class SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, 12)
    depthwise_halo_wgrad_stride2_kernel(const __grid_constant__ depthwise_job job)
{
    __shared__ uint4 halo[SHAPE::TILES * SHAPE::TILE_VECTORS];
    halo_unit<SHAPE> unit;
    uint32_t stream = blockIdx.x;
    int32_t slab = depthwise_split(stream, job.by_first, job.first) * (2 * SHAPE::LANES);
    halo_walk<T, SHAPE> first(job, unit, stream, slab);
    depthwise_lanes<T, 2> dy[UNIT][UNIT];
    float sum[3][3][2] = {};

#pragma unroll
    for (int row = 0; row < SHAPE::UNDER; row++)
        first.copy(halo + unit.own * SHAPE::TILE_VECTORS + unit.lane +
                       row * SHAPE::WIDTH * SHAPE::VECTORS,
                   job, unit.lane);
#pragma unroll
    for (int row = 0; row < UNIT; row++)
        first.read_row(dy[row], job);
    for (uint32_t group = stream; group * SHAPE::TILES < (uint32_t)job.tiles;
         group += job.streams) {
        halo_walk<T, SHAPE> next(job, unit, group + job.streams, slab);

        add_unit(sum, halo, dy, job, unit, next);
    }
    wait_all();
    __syncwarp();
    give_part<SHAPE>(job, sum, (float *)halo, slab, stream);
}

/* ------------------------------------------------------------------ on the host */

template <class SHAPE>
static int32_t by_type(const depthwise_state *state, const cuda_call *call,
                       const depthwise_job &job)
{
    return halo_launch<SHAPE>(state, call, job,
                              depthwise_halo_wgrad_stride2_kernel<cuda_half, SHAPE>,
                              depthwise_halo_wgrad_stride2_kernel<cuda_bfloat16, SHAPE>);
}

int32_t depthwise_halo_wgrad_stride2(const depthwise_state *state, const cuda_call *call,
                                     const depthwise_job &job)
{
    static int32_t (*const by_shape[])(const depthwise_state *, const cuda_call *,
                                       const depthwise_job &) = {HALO_SHAPES_STRIDE2(by_type)};

    return by_shape[state->shape](state, call, job);
}
