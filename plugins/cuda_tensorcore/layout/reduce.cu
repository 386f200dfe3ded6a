/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the partial sums of an inner problem in a fixed order, and stores the results of the
 * outer problem. In wgrad, padded channels and filters are skipped. In dgrad with a filter's row
 * folded into N, a position of dx is the sum of one result per contributing tap. */
#include "../common/launch.h"
#include "layout.h"

/* The part of the outer problem that the kernels use, with the names of struct conv. */
struct tc_reduce_dim {
    int64_t position, tap;
    int32_t positions, taps, a_extent, pad, stride, dilation;
};

struct tc_reduce_conv {
    int64_t images, groups, channels, n;
    int64_t position_image;
    int64_t tap_group, tap_first, tap_channel, tap_n;
    tc_conv_step position;
    tc_dims<tc_reduce_dim> dim;
};

struct tc_reduce_params {
    tc_slim_params inner;
    tc_reduce_conv outer;
    int32_t folds_s; /* 1 if a filter's row became channels */
    /* wgrad: m_is_fastest is 1 if M is contiguous in splits. lines is the number of threads per
     * result, and count the number of results. */
    int32_t m_is_fastest, lines;
    int64_t count;
};

static tc_reduce_conv outer_of(const conv &from)
{
    tc_reduce_conv to = {from.images,
                         from.groups,
                         from.channels,
                         from.n,
                         from.position_image,
                         from.tap_group,
                         from.tap_first,
                         from.tap_channel,
                         from.tap_n,
                         {},
                         {}};

    to.position.step = from.position.step;
    for (int d = 0; d < CONV_DIMS; d++) {
        const conv_dim &dim = from.dim[CONV_FIRST + d];

        to.dim.last[d] = {
            dim.position,          dim.tap,          (int32_t)dim.positions, (int32_t)dim.taps,
            (int32_t)dim.a_extent, (int32_t)dim.pad, (int32_t)dim.stride,    (int32_t)dim.dilation};
    }
    return to;
}

static inline void tc_bind(tc_reduce_params *job, const tc_arguments &args)
{
    tc_bind(&job->inner, args);
}

static inline int32_t tc_settle(tc_reduce_params *)
{
    return 0;
}

/* ------------------------------------------------------------------ wgrad */

/* The most threads per result, and the blocks per multiprocessor that suffice. */
#define LINES_MAX 32
#define BLOCKS    4

/* Returns the inner problem's m of index `m` of the outer problem, whose channels vary fastest.
 * *at becomes the offset in dw. */
__device__ static inline int32_t tc_reduce_inner_m(const tc_reduce_params &job, int32_t m,
                                                   int64_t *at)
{
    const tc_reduce_conv &outer = job.outer;
    int32_t tap = m / (int32_t)outer.channels, channel = m - tap * (int32_t)outer.channels;
    int32_t taps_s = (int32_t)outer.dim[CONV_DIMS_MAX - 1].taps, s = tap % taps_s;

    *at = outer.tap_first + channel * outer.tap_channel;
    if (job.folds_s)
        m = tap / taps_s * (int32_t)job.inner.conv.channels + s * (int32_t)outer.channels + channel;
    else
        m = tap * (int32_t)job.inner.conv.channels + channel;
    for (int d = CONV_DIMS_MAX - 1; d >= CONV_FIRST; d--) {
        *at += tap % (int32_t)outer.dim[d].taps * outer.dim[d].tap;
        tap /= (int32_t)outer.dim[d].taps;
    }
    return m;
}

/* Returns the offset of the inner problem's sum (m, n) in the first split. */
__device__ static inline int64_t tc_reduce_partial_at(const tc_reduce_params &job, int32_t group,
                                                      int32_t m, int32_t n)
{
    const tc_slim_params &inner = job.inner;

    return job.m_is_fastest ? (group * inner.conv.n + n) * inner.m + m
                            : conv_partial_at(inner, 0, group, m, n);
}

/* Adds the partial sums of wgrad. A thread adds every lines-th split; one thread then adds the
 * sums of a result's threads in order. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    tc_reduce_wgrad(const __grid_constant__ tc_reduce_params job)
{
    __shared__ double sums[CUDA_THREADS];
    const tc_reduce_conv &outer = job.outer;
    int32_t across = CUDA_THREADS / job.lines, x = (int)threadIdx.x % across;
    int32_t line = (int)threadIdx.x / across, m, n, group;
    int64_t left = (int64_t)blockIdx.x * across + x, at = 0;
    int32_t m_end = (int32_t)(outer.channels * outer.dim[CONV_FIRST].taps *
                              outer.dim[CONV_FIRST + 1].taps * outer.dim[CONV_FIRST + 2].taps);
    bool real = left < job.count;
    double sum = 0;

    m = (int32_t)(job.m_is_fastest ? left % m_end : left / outer.n % m_end);
    n = (int32_t)(job.m_is_fastest ? left / m_end % outer.n : left % outer.n);
    group = (int32_t)(left / m_end / outer.n);
    tc_wait_on_dependent_grids();
    if (real) {
        int64_t split_apart = conv_partial_at(job.inner, 1, 0, 0, 0);
        const float *from = (const float *)job.inner.partial +
                            tc_reduce_partial_at(job, group, tc_reduce_inner_m(job, m, &at), n);

#pragma unroll 4
        for (int32_t split = line; split < job.inner.splits; split += job.lines)
            sum += (double)from[split * split_apart];
    }
    if (job.lines > 1) {
        sums[threadIdx.x] = sum;
        __syncthreads();
        for (int next = 1; line == 0 && next < job.lines; next++)
            sum += sums[next * across + x];
    }
    if (real && line == 0)
        conv_store_any(job.inner.output, at + group * outer.tap_group + n * outer.tap_n, 0, n, sum);
}

static void reduce_wgrad(tc_step *step, tc_reduce_params job, const conv &outer,
                         int32_t multiprocessors)
{
    job.count = outer.channels * conv_taps(&outer) * outer.n * outer.groups;
    job.lines = 1;
    while (job.lines < LINES_MAX && job.lines * 2 <= job.inner.splits &&
           cuda_blocks(job.count * job.lines, CUDA_THREADS) < (int64_t)BLOCKS * multiprocessors)
        job.lines *= 2;
    tc_step_make(step, tc_reduce_wgrad, nullptr, CUDA_THREADS, 0,
                 cuda_blocks(job.count * job.lines, CUDA_THREADS), job);
}

/* ------------------------------------------------------------------ dgrad */

/* A coordinate within its class: the class, the index in the class, and the size of the class. */
struct tc_reduce_coordinate {
    int32_t number, at, count;
};

__device__ static inline tc_reduce_coordinate tc_reduce_coordinate_of(const tc_reduce_dim &dim,
                                                                      int32_t coordinate)
{
    int32_t extent = dim.positions, stride = dim.stride;
    int32_t classes = stride < extent ? stride : extent, number = coordinate % classes;

    return {number, coordinate / classes, (extent - number + stride - 1) / stride};
}

/* Adds the partial sums of dgrad, with one thread per result. Channels vary fastest, then
 * positions along a row. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    tc_reduce_dgrad(const __grid_constant__ tc_reduce_params job)
{
    const tc_reduce_conv &outer = job.outer;
    const tc_reduce_dim &width = outer.dim[CONV_DIMS_MAX - 1];
    int64_t left = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x, at, m = 0;
    int32_t n, group, x, unit = 0, coordinate[2];
    double sum = 0;

    tc_wait_on_dependent_grids();
    n = (int32_t)(left % outer.n);
    left /= outer.n;
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
         (group * outer.n + n) * outer.position.step;
    m = left;
    for (int d = 0; d < 2; d++) {
        const tc_reduce_dim &dim = outer.dim[CONV_FIRST + d];
        tc_reduce_coordinate index = tc_reduce_coordinate_of(dim, coordinate[d]);

        at += coordinate[d] * dim.position;
        m = m * index.count + index.at;
        unit = unit * (dim.stride < dim.positions ? dim.stride : dim.positions) + index.number;
    }
    unit += group * job.inner.conv.classes;
    for (int32_t split = 0; split < job.inner.splits; split++) {
        for (int32_t tap = 0; tap < width.taps; tap++) {
            int32_t from = x + width.pad - tap * width.dilation;
            int32_t position = from / width.stride;

            if (from < 0 || position * width.stride != from || position >= width.a_extent)
                continue;
            sum += (double)((const float *)job.inner.partial)[conv_partial_at(
                job.inner, split, unit, m * width.a_extent + position, tap * (int32_t)outer.n + n)];
        }
    }
    conv_store_any(job.inner.output, at, 0, group * outer.n + n, sum);
}

void tc_layout_reduce(struct tc_step *step, const tc_layout &layout, const tc_kernel &kernel,
                      const conv &outer, const struct tc_job &job)
{
    tc_reduce_params params = {};
    int64_t results = outer.images * outer.groups * outer.n * conv_positions(&outer);

    tc_slim_of(&params.inner, job);
    params.outer = outer_of(outer);
    params.folds_s = layout.bits & TC_LAYOUT_FOLD_S;
    params.m_is_fastest = kernel.reduce != nullptr;
    if (outer.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER)
        reduce_wgrad(step, params, outer, job.context->cuda.multiprocessors);
    else
        tc_step_make(step, tc_reduce_dgrad, nullptr, CUDA_THREADS, 0,
                     cuda_blocks(results, CUDA_THREADS), params);
}
