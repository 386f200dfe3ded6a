/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes depthwise fprop of 3 x 3 taps with a stride of 2, for 16-bit types in NHWC by halo
 * tiles. A block is a warp that moves down strips of UNIT columns of results. A thread has two
 * channels of one strip. cp.async copies x to a ring of pairs of rows in shared memory. A pair that
 * has been read is replaced by a later one, so that each warp always has up to 15 KB in flight. The
 * first row of a pair completes a row of results by taps r = 2, and begins the next one by r = 0.
 * The second row of a pair uses r = 1.
 */
#include "depthwise_halo_rows.h"

/* Pairs of rows in flight. */
enum { PAIRS = 4 };

/* The rows of x that a unit's strip uses, copied pair by pair. `end` is the row after the last
 * one. */
template <class T, class SHAPE> struct halo_ring {
    enum { ROW = SHAPE::WIDTH * SHAPE::VECTORS, UNIT_VECTORS = PAIRS * 2 * ROW };
    uint4 *own;
    const T *x; /* the thread's first vector of the next row */
    int32_t row, end, lane;
    unsigned columns;

    __device__ halo_ring(uint4 *ring, const depthwise_job &job, const halo_unit<SHAPE> &unit,
                         const halo_tile &at, int32_t slab)
        : own(ring + unit.own * UNIT_VECTORS), lane(unit.lane)
    {
        row = at.y * SHAPE::STRIDE + job.across.origin;
        end = row + job.length * SHAPE::STRIDE + 1;
        end = end < 0 ? 0 : end > job.across.a_extent ? job.across.a_extent : end;
        x = first_vector<T>(job, unit, at, slab, columns);
    }

    /* Starts to copy the next pair, number `pair`, if the strip has it. */
    __device__ void copy(const depthwise_job &job, int pair)
    {
        uint4 *to = own + pair % PAIRS * (2 * ROW) + lane;

#pragma unroll
        for (int i = 0; i < 2 && pair <= job.length; i++) {
            copy_row<T, SHAPE>(to + i * ROW, x, (uint32_t)row < (uint32_t)end, columns, job, lane);
            row++;
            x += job.x.across;
        }
        commit();
    }

    __device__ const uint32_t *read(int pair) const
    {
        return (const uint32_t *)(own + pair % PAIRS * (2 * ROW)) + lane;
    }
};

/* Computes a strip of `results` rows from top to bottom. */
template <class T, class SHAPE>
__device__ static inline void walk(halo_ring<T, SHAPE> &ring, const depthwise_job &job,
                                   const float (&w)[3][3][2], T *y, int32_t results)
{
    float sum[UNIT][2] = {};

#pragma unroll 1
    for (int pair = 0;; pair++) {
        float x[SHAPE::UNDER][2];

        wait<PAIRS - 1>();
        __syncwarp();
        read_row<T, SHAPE>(x, ring.read(pair), 0);
        if (pair > 0) {
            add_row<SHAPE>(sum, x, w[2]);
            if (pair <= results)
                store_row(y, job.out.along, sum);
            y += job.out.across;
        }
        if (pair == job.length)
            return;
        add_row<SHAPE>(sum, x, w[0]);
        read_row<T, SHAPE>(x, ring.read(pair), 1);
        add_row<SHAPE>(sum, x, w[1]);
        __syncwarp();
        ring.copy(job, pair + PAIRS);
    }
}

template <class T, class SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, 14)
    depthwise_halo_stride2_kernel(const __grid_constant__ depthwise_job job)
{
    __shared__ uint4 shared[SHAPE::TILES * halo_ring<T, SHAPE>::UNIT_VECTORS];
    halo_unit<SHAPE> unit;
    uint32_t group = blockIdx.x;
    int32_t slab = depthwise_split(group, job.by_first, job.first) * (2 * SHAPE::LANES);
    int32_t channel = slab + 2 * unit.lane;
    uint32_t tile = group * SHAPE::TILES + unit.own;
    halo_tile at = tile_of<SHAPE>(job, tile, job.length);
    halo_ring<T, SHAPE> ring(shared, job, unit, at, slab);
    int32_t results = job.across.positions - at.y;
    float w[3][3][2];

    if (tile >= (uint32_t)job.tiles)
        ring.columns = results = 0;
#pragma unroll
    for (int pair = 0; pair < PAIRS; pair++)
        ring.copy(job, pair);
    depthwise_filters<T, 2, 3>(w, job, job.tap_first + channel * job.tap_channel);
    walk(ring, job, w, (T *)job.output.data + unit.at(job, at, channel), results);
    wait_all();
}

/* ------------------------------------------------------------------ on the host */

template <class SHAPE>
static int32_t by_type(const depthwise_state *state, const cuda_call *call,
                       const depthwise_job &job)
{
    return halo_launch<SHAPE>(state, call, job, depthwise_halo_stride2_kernel<cuda_half, SHAPE>,
                              depthwise_halo_stride2_kernel<cuda_bfloat16, SHAPE>);
}

int32_t depthwise_halo_stride2(const depthwise_state *state, const cuda_call *call,
                               const depthwise_job &job)
{
    static int32_t (*const by_shape[])(const depthwise_state *, const cuda_call *,
                                       const depthwise_job &) = {HALO_SHAPES_STRIDE2(by_type)};

    return by_shape[state->shape](state, call, job);
}
