/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes depthwise fprop of 3 x 3 taps, and dgrad, with a stride of 1, for 16-bit types in NHWC
 * by halo tiles. A block copies the x that its tiles use to shared memory by cp.async, 16 bytes at
 * a time, with zeros outside. In shared memory, each offset is a constant of its instruction. A
 * thread computes UNIT x UNIT results of two channels. It moves down them with a ring of three rows
 * of sums, and all loops are unrolled.
 */
#include "depthwise_halo.h"

template <class T, class SHAPE>
__global__ void __launch_bounds__(SHAPE::THREADS, 640 / SHAPE::THREADS)
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
                add_row<SHAPE>(sum[(row - r + 3) % 3], x, w[r]);
        }
        if (row >= 2) {
            store_row(y, job.out.along, sum[(row - 2) % 3]);
            y += job.out.across;
        }
    }
}

/* ------------------------------------------------------------------ on the host */

/* Stride 2: resident warps of a multiprocessor, waves that the strips should fill, and the least
 * rows of a strip. */
enum { WARPS = 14, WAVES = 2, STRIP_LEAST = 7 };

/* The members of a halo_shape by which problems are cut. */
struct halo_cut {
    int32_t lanes, x, y, tiles, threads, wgrad_blocks;
};

template <class SHAPE>
static const halo_cut cut_of = {SHAPE::LANES, SHAPE::X,       SHAPE::Y,
                                SHAPE::TILES, SHAPE::THREADS, SHAPE::WGRAD_BLOCKS};

static const halo_cut *const cuts[] = {HALO_SHAPES(&cut_of)};
static const halo_cut *const cuts_stride2[] = {HALO_SHAPES_STRIDE2(&cut_of)};

/* The cuts for each stride. */
static const struct {
    const halo_cut *const *cuts;
    int count;
} by_stride[] = {{cuts, sizeof cuts / sizeof *cuts},
                 {cuts_stride2, sizeof cuts_stride2 / sizeof *cuts_stride2}};

/* Sets the streams of wgrad, so that all blocks are resident at once. A further block would begin
 * late and end after all others. */
static void share(depthwise_state *state, int64_t groups, int32_t multiprocessors,
                  const halo_cut *cut)
{
    depthwise_job *job = &state->job;
    int64_t blocks = (int64_t)multiprocessors * cut->wgrad_blocks;
    int64_t most = blocks > job->first ? blocks / job->first : 1;

    job->streams = (int32_t)cuda_ceil_div(groups, cuda_ceil_div(groups, most));
    job->threads = (int64_t)job->streams * job->first * cut->threads;
    state->workspace = job->streams * 9 * job->channels * (int64_t)sizeof(float);
}

/* Returns the rows of results of a tile: those of its units, or as many as create `strips_wanted`
 * strips. Returns 0 if they do not fit. */
static int32_t rows_of(const depthwise_job *job, const halo_cut *cut, int32_t strips_wanted,
                       int64_t images)
{
    int32_t rows = job->across.positions;
    int64_t columns, pieces;

    if (!strips_wanted)
        return rows % (cut->y * UNIT) ? 0 : cut->y * UNIT;
    columns = cuda_ceil_div(images * job->along.pieces * job->first, cut->tiles);
    pieces = cuda_ceil_div(strips_wanted, columns);
    if (pieces > rows / STRIP_LEAST)
        pieces = rows < STRIP_LEAST ? 1 : rows / STRIP_LEAST;
    return (int32_t)cuda_ceil_div(rows, pieces);
}

/* Cuts a problem as `cut` prescribes. Returns 0 if it does not fit. */
static int cut_by(depthwise_job *job, const halo_cut *cut, int32_t strips_wanted, int64_t images)
{
    int32_t width = cut->x * UNIT;
    int64_t tiles;

    if (job->channels % (2 * cut->lanes) || job->along.positions % width)
        return 0;
    job->first = job->channels / (2 * cut->lanes);
    job->along.pieces = job->along.positions / width;
    job->length = rows_of(job, cut, strips_wanted, images);
    if (!job->length)
        return 0;
    job->across.pieces = (int32_t)cuda_ceil_div(job->across.positions, job->length);
    tiles = images * job->along.pieces * job->across.pieces;
    job->threads = cuda_ceil_div(tiles, cut->tiles) * job->first * cut->threads;
    job->tiles = (int32_t)tiles;
    job->by_first = cuda_divisor_of(job->first);
    job->by_along = cuda_divisor_of(job->along.pieces);
    job->by_across = cuda_divisor_of(job->across.pieces);
    return job->threads < INT64_C(1) << 30;
}

/* Accepts no dilation, so that U is the stride. */
int depthwise_halo_prepare(depthwise_state *state, int64_t images, int32_t multiprocessors,
                           int filter)
{
    depthwise_job *job = &state->job;
    int32_t strips_wanted = state->stride == 2 && !filter ? WARPS * WAVES * multiprocessors : 0;

    if (job->across.step != 1 || job->along.step != 1 || job->x.image % 8 || job->x.across % 8 ||
        job->x.along % 8)
        return 0;
    for (int s = 0; s < by_stride[state->stride - 1].count; s++) {
        const halo_cut *cut = by_stride[state->stride - 1].cuts[s];

        if (!cut_by(job, cut, strips_wanted, images))
            continue;
        state->shape = s;
        if (filter)
            share(state, cuda_ceil_div(job->tiles, cut->tiles), multiprocessors, cut);
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

    return state->stride == 2 ? depthwise_halo_stride2(state, call, job)
                              : by_shape[state->shape](state, call, job);
}
