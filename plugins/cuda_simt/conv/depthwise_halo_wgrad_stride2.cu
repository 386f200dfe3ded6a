/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes depthwise wgrad of 3 x 3 taps with a stride of 2, for 16-bit types in NHWC by halo
 * tiles. A tile has 15 x 15 elements of x and 7 x 7 of dy. A block is a warp, so that several of
 * the large halos fit on a multiprocessor. It processes groups of tiles of its slab. The rows of a
 * tile form a pipeline. When a row of x has been read, the same row of the next tile replaces it in
 * shared memory. The rows of dy in registers are replaced likewise, so a whole tile is always in
 * flight. An even row of x meets two rows of dy, by taps r = 0 and 2. An odd row meets one, by
 * r = 1.
 */
#include "depthwise_halo_rows.h"
#include "depthwise_halo_wgrad.h"

/* The tile of a unit in flight: x is copied to shared memory and dy is read into registers, row by
 * row. */
template <class T, class SHAPE> struct halo_walk {
    const T *x, *dy; /* the thread's elements of the next rows */
    int32_t x_row;
    unsigned columns; /* bits of the thread's pixels that exist */
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

    /* Starts to copy the next row of x. `to` is the place of the thread's first vector. */
    __device__ void copy(uint4 *to, const depthwise_job &job, int lane)
    {
        copy_row<T, SHAPE>(to, x, (uint32_t)x_row < (uint32_t)job.across.a_extent, columns, job,
                           lane);
        commit();
        x_row++;
        x += job.x.across;
    }

    /* Reads the next row of dy, or zeros if there is no tile. */
    __device__ void read_row(depthwise_lanes<T, 2> (&to)[UNIT], const depthwise_job &job)
    {
        depthwise_read(to, dy, job.out.along, there ? (1u << UNIT) - 1 : 0);
        dy += job.out.across;
    }
};

/* Adds the products of a unit. Meanwhile, `next` loads the next tile to the same registers and
 * shared memory. */
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
