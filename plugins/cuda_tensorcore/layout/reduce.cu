/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of inner problems that went to workspace as partial sums: adds the parts up in a fixed
 * order and stores what the outer problem has of them. In direction filter channels and filters
 * that were padded are left out; in direction data with rows as channels, a position of dx is the
 * sum of one result of each tap that reaches it.
 */
#include "../common/launch.h"
#include "layout.h"

/* What is looked at of the outer problem, by the names of struct conv. */
struct tc_parts_dim {
    int64_t position, tap;
    int32_t positions, taps, gathered, pad, stride, dilation;
};

struct tc_parts_conv {
    int64_t images, groups, depth, columns;
    int64_t position_image;
    int64_t tap_group, tap_first, tap_depth, tap_column;
    tc_conv_step position;
    tc_dims<tc_parts_dim> dim;
};

struct tc_parts_job {
    tc_slim_job inner;
    tc_parts_conv outer;
    int32_t by_rows; /* a filter's row is channels */
    /* Direction filter: parts have their rows as neighbours; threads of a result, results. */
    int32_t rows_inside, lines;
    int64_t count;
};

static tc_parts_conv outer_of(const conv &from)
{
    tc_parts_conv to = {from.images,
                        from.groups,
                        from.depth,
                        from.columns,
                        from.position_image,
                        from.tap_group,
                        from.tap_first,
                        from.tap_depth,
                        from.tap_column,
                        {},
                        {}};

    to.position.step = from.position.step;
    for (int d = 0; d < CONV_DIMS; d++) {
        const conv_dim &dim = from.dim[CONV_FIRST + d];

        to.dim.last[d] = {
            dim.position,          dim.tap,          (int32_t)dim.positions, (int32_t)dim.taps,
            (int32_t)dim.gathered, (int32_t)dim.pad, (int32_t)dim.stride,    (int32_t)dim.dilation};
    }
    return to;
}

static inline void tc_give(tc_parts_job *job, const tc_given &given)
{
    tc_give(&job->inner, given);
}

static inline int32_t tc_settle(tc_parts_job *)
{
    return 0;
}

/* ------------------------------------------------------------------ filters */

/* Threads of a result, at most, and blocks of a multiprocessor that are enough. */
#define LINES_MAX 32
#define BLOCKS    4

/* Row of the inner problem, and place in dw, of row `row` of the outer one, channels inside. */
__device__ static inline int32_t tc_parts_row(const tc_parts_job &job, int32_t row, int64_t *at)
{
    const tc_parts_conv &outer = job.outer;
    int32_t tap = row / (int32_t)outer.depth, channel = row - tap * (int32_t)outer.depth;
    int32_t along = (int32_t)outer.dim[CONV_DIMS_MAX - 1].taps, t = tap % along;

    *at = outer.tap_first + channel * outer.tap_depth;
    if (job.by_rows)
        row = tap / along * (int32_t)job.inner.conv.depth + t * (int32_t)outer.depth + channel;
    else
        row = tap * (int32_t)job.inner.conv.depth + channel;
    for (int d = CONV_DIMS_MAX - 1; d >= CONV_FIRST; d--) {
        *at += tap % (int32_t)outer.dim[d].taps * outer.dim[d].tap;
        tap /= (int32_t)outer.dim[d].taps;
    }
    return row;
}

/* Where the sum of a row and a column of the inner problem lies in the first part. */
__device__ static inline int64_t tc_parts_at(const tc_parts_job &job, int32_t group, int32_t row,
                                             int32_t column)
{
    const tc_slim_job &inner = job.inner;

    return job.rows_inside ? (group * inner.conv.columns + column) * inner.rows + row
                           : conv_partial_at(inner, 0, group, row, column);
}

/* A thread goes along every so many-th part; what the threads of a result have is added in turn. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    tc_parts_filter(const __grid_constant__ tc_parts_job job)
{
    __shared__ double sums[CUDA_THREADS];
    const tc_parts_conv &outer = job.outer;
    int32_t across = CUDA_THREADS / job.lines, x = (int)threadIdx.x % across;
    int32_t line = (int)threadIdx.x / across, row, column, group;
    int64_t left = (int64_t)blockIdx.x * across + x, at = 0;
    int32_t rows = (int32_t)(outer.depth * outer.dim[CONV_FIRST].taps *
                             outer.dim[CONV_FIRST + 1].taps * outer.dim[CONV_FIRST + 2].taps);
    bool real = left < job.count;
    double sum = 0;

    row = (int32_t)(job.rows_inside ? left % rows : left / outer.columns % rows);
    column = (int32_t)(job.rows_inside ? left / rows % outer.columns : left % outer.columns);
    group = (int32_t)(left / rows / outer.columns);
    tc_wait_for_last();
    if (real) {
        int64_t apart = conv_partial_at(job.inner, 1, 0, 0, 0);
        const float *from = (const float *)job.inner.partial +
                            tc_parts_at(job, group, tc_parts_row(job, row, &at), column);

#pragma unroll 4
        for (int32_t split = line; split < job.inner.splits; split += job.lines)
            sum += (double)from[split * apart];
    }
    if (job.lines > 1) {
        sums[threadIdx.x] = sum;
        __syncthreads();
        for (int other = 1; line == 0 && other < job.lines; other++)
            sum += sums[other * across + x];
    }
    if (real && line == 0)
        conv_store_any(job.inner.output, at + group * outer.tap_group + column * outer.tap_column,
                       0, column, sum);
}

static void add_filter(tc_step *step, tc_parts_job job, const conv &outer, int32_t multiprocessors)
{
    job.count = outer.depth * conv_taps(&outer) * outer.columns * outer.groups;
    job.lines = 1;
    while (job.lines < LINES_MAX && job.lines * 2 <= job.inner.splits &&
           cuda_blocks(job.count * job.lines, CUDA_THREADS) < (int64_t)BLOCKS * multiprocessors)
        job.lines *= 2;
    tc_step_make(step, tc_parts_filter, nullptr, CUDA_THREADS, 0,
                 cuda_blocks(job.count * job.lines, CUDA_THREADS), job);
}

/* ------------------------------------------------------------------ data */

/* The class of a coordinate, and its place among those of the class. */
struct tc_parts_place {
    int32_t number, at, count;
};

__device__ static inline tc_parts_place tc_parts_place_of(const tc_parts_dim &dim,
                                                          int32_t coordinate)
{
    int32_t extent = dim.positions, stride = dim.stride;
    int32_t classes = stride < extent ? stride : extent, number = coordinate % classes;

    return {number, coordinate / classes, (extent - number + stride - 1) / stride};
}

/* A thread a result: channels fastest, then the row. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    tc_parts_data(const __grid_constant__ tc_parts_job job)
{
    const tc_parts_conv &outer = job.outer;
    const tc_parts_dim &width = outer.dim[CONV_DIMS_MAX - 1];
    int64_t left = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x, at, row = 0;
    int32_t column, group, x, unit = 0, coordinate[2];
    double sum = 0;

    tc_wait_for_last();
    column = (int32_t)(left % outer.columns);
    left /= outer.columns;
    x = (int32_t)(left % width.positions);
    left /= width.positions;
    for (int d = 1; d >= 0; d--) {
        coordinate[d] = (int32_t)(left % outer.dim[CONV_FIRST + d].positions);
        left /= outer.dim[CONV_FIRST + d].positions;
    }
    group = (int32_t)(left % outer.groups);
    left /= outer.groups;
    if (left >= outer.images)
        return;
    at = left * outer.position_image + x * width.position +
         (group * outer.columns + column) * outer.position.step;
    row = left;
    for (int d = 0; d < 2; d++) {
        const tc_parts_dim &dim = outer.dim[CONV_FIRST + d];
        tc_parts_place place = tc_parts_place_of(dim, coordinate[d]);

        at += coordinate[d] * dim.position;
        row = row * place.count + place.at;
        unit = unit * (dim.stride < dim.positions ? dim.stride : dim.positions) + place.number;
    }
    unit += group * job.inner.conv.classes;
    for (int32_t split = 0; split < job.inner.splits; split++) {
        for (int32_t tap = 0; tap < width.taps; tap++) {
            int32_t from = x + width.pad - tap * width.dilation;
            int32_t position = from / width.stride;

            if (from < 0 || position * width.stride != from || position >= width.gathered)
                continue;
            sum += (double)((const float *)job.inner.partial)[conv_partial_at(
                job.inner, split, unit, row * width.gathered + position,
                tap * (int32_t)outer.columns + column)];
        }
    }
    conv_store_any(job.inner.output, at, 0, group * outer.columns + column, sum);
}

void tc_add_parts(struct tc_step *step, const tc_arrangement &arrangement, const tc_kernel &kernel,
                  const conv &outer, const struct tc_job &job)
{
    tc_parts_job parts = {};
    int64_t results = outer.images * outer.groups * outer.columns * conv_positions(&outer);

    tc_slim(&parts.inner, job);
    parts.outer = outer_of(outer);
    parts.by_rows = arrangement.bits & TC_ARRANGE_ROWS;
    parts.rows_inside = kernel.add != nullptr;
    if (outer.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER)
        add_filter(step, parts, outer, job.multiprocessors);
    else
        tc_step_make(step, tc_parts_data, nullptr, CUDA_THREADS, 0,
                     cuda_blocks(results, CUDA_THREADS), parts);
}
