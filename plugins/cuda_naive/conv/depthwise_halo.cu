/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise fprop of 3 x 3 taps, and dgrad, with a stride of 1, 16 bits, NHWC, by halo tiles: a
 * block copies x under its tile by cp.async, 16 bytes at a time and zeros outside, to shared
 * memory, where each offset is a constant of its instruction. A thread has two channels of UNIT x
 * UNIT results, and walks down them with a ring of three rows of sums; everything is unrolled.
 */
#include "depthwise_halo.h"

/* ------------------------------------------------------------------ sums */

/* Adds a row of x to row r of taps' sums. */
__device__ static inline void add_row(float (&sum)[UNIT][2], const float (&x)[UNIT + 2][2],
                                      const float (&w)[3][2])
{
#pragma unroll
    for (int s = 0; s < 3; s++) {
#pragma unroll
        for (int q = 0; q < UNIT; q++) {
#pragma unroll
            for (int v = 0; v < 2; v++)
                sum[q][v] = fmaf(x[q + s][v], w[s][v], sum[q][v]);
        }
    }
}

template <class T>
__device__ static inline void store_row(T *to, int32_t along, float (&sum)[UNIT][2])
{
#pragma unroll
    for (int q = 0; q < UNIT; q++) {
        depthwise_lanes<T, 2> out;

#pragma unroll
        for (int v = 0; v < 2; v++) {
            cuda_store(&out.lane[v], sum[q][v]);
            sum[q][v] = 0;
        }
        *(decltype(out.whole) *)(to + q * along) = out.whole;
    }
}

template <class T, class SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, 5)
    depthwise_halo_kernel(const __grid_constant__ depthwise_job job)
{
    __shared__ uint4 halo[SHAPE::TILES * SHAPE::TILE_VECTORS];
    halo_unit<SHAPE> unit;
    uint32_t group = blockIdx.x;
    int32_t slab = depthwise_split(group, job.by_first, job.first) * (2 * SHAPE::LANES);
    int32_t channel = slab + 2 * unit.lane;
    float sum[3][UNIT][2] = {}, w[3][3][2];

    load_group<T, SHAPE>(halo, job, group, slab);
    depthwise_filters<T, 2, 3>(w, job, job.tap_first + channel * job.tap_channel);
    wait_all();
    __syncthreads();
    if (group * SHAPE::TILES + unit.own >= (uint32_t)job.tiles)
        return;

    const uint32_t *under = unit.under(halo);
    T *y = (T *)job.output.data +
           unit.at(job, tile_of<SHAPE>(job, group * SHAPE::TILES + unit.own), channel);

#pragma unroll
    for (int row = 0; row < SHAPE::UNDER; row++) {
        float x[SHAPE::UNDER][2];

        read_row<T, SHAPE>(x, under, row);
#pragma unroll
        for (int r = 0; r < 3; r++) {
            if (row >= r && row - r < UNIT)
                add_row(sum[(row - r + 3) % 3], x, w[r]);
        }
        if (row >= 2) {
            store_row(y, job.out.along, sum[(row - 2) % 3]);
            y += job.out.across;
        }
    }
}

/* ------------------------------------------------------------------ on the host */

/* How a shape cuts problems. */
struct halo_cut {
    int32_t lanes, x, y, tiles, threads;
};

template <class SHAPE>
static const halo_cut cut_of = {SHAPE::LANES, SHAPE::X, SHAPE::Y, SHAPE::TILES, SHAPE::THREADS};

static const halo_cut *const cuts[] = {HALO_SHAPES(&cut_of)};
static const halo_cut *const cuts_stride2[] = {HALO_SHAPES_STRIDE2(&cut_of)};

/* By stride: what there is, and for so many blocks of a multiprocessor wgrad has streams of groups
 * of tiles. */
static const struct {
    const halo_cut *const *cuts;
    int count, wgrad_blocks;
} by_stride[] = {{cuts, sizeof cuts / sizeof *cuts, 4},
                 {cuts_stride2, sizeof cuts_stride2 / sizeof *cuts_stride2, 7}};

/* No more blocks than run at a time: what one more begins ends after all others. */
static void share(depthwise_state *state, int64_t groups, int64_t blocks, int32_t threads)
{
    depthwise_job *job = &state->job;
    int64_t most = blocks > job->first ? blocks / job->first : 1;

    job->streams = (int32_t)cuda_ceil_div(groups, cuda_ceil_div(groups, most));
    job->threads = (int64_t)job->streams * job->first * threads;
    state->workspace = job->streams * 9 * job->channels * (int64_t)sizeof(float);
}

/* With a stride of 2 there is wgrad alone, and no dilation, so that U is the stride. */
int depthwise_halo_prepare(depthwise_state *state, int64_t images, int32_t multiprocessors)
{
    depthwise_job *job = &state->job;
    int64_t tiles, groups;

    if (job->across.step != 1 || job->along.step != 1 || job->x.image % 8 || job->x.across % 8 ||
        job->x.along % 8)
        return 0;
    for (int s = 0; s < by_stride[state->stride - 1].count; s++) {
        const halo_cut *cut = by_stride[state->stride - 1].cuts[s];
        int32_t width = cut->x * UNIT, height = cut->y * UNIT;

        if (job->channels % (2 * cut->lanes) || job->along.positions % width ||
            job->across.positions % height)
            continue;
        job->along.pieces = job->along.positions / width;
        job->across.pieces = job->across.positions / height;
        job->by_along = cuda_divisor_of(job->along.pieces);
        job->by_across = cuda_divisor_of(job->across.pieces);
        job->first = job->channels / (2 * cut->lanes);
        job->by_first = cuda_divisor_of(job->first);
        tiles = images * job->along.pieces * job->across.pieces;
        groups = cuda_ceil_div(tiles, cut->tiles);
        job->threads = groups * job->first * cut->threads;
        if (job->threads >= INT64_C(1) << 30)
            return 0;
        job->tiles = (int32_t)tiles;
        state->shape = s;
        if (multiprocessors)
            share(state, groups,
                  (int64_t)multiprocessors * by_stride[state->stride - 1].wgrad_blocks,
                  cut->threads);
        return 1;
    }
    return 0;
}

template <class SHAPE>
static int32_t by_type(const depthwise_state *state, const cuda_call *call,
                       const depthwise_job &job)
{
    return halo_launch<SHAPE>(state, call, job, depthwise_halo_kernel<cuda_half, SHAPE>,
                              depthwise_halo_kernel<cuda_bfloat16, SHAPE>);
}

int32_t depthwise_halo(const depthwise_state *state, const cuda_call *call,
                       const depthwise_job &job)
{
    static int32_t (*const by_shape[])(const depthwise_state *, const cuda_call *,
                                       const depthwise_job &) = {HALO_SHAPES(by_type)};

    return by_shape[state->shape](state, call, job);
}
