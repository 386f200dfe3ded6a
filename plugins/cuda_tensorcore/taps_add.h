/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds up the parts of split sums of direction filter, in a fixed order: a thread has four
 * neighbours, and goes along every so many-th part of them; what the threads of a result have is
 * added in turn.
 */
#ifndef CUDA_TENSORCORE_TAPS_ADD_H
#define CUDA_TENSORCORE_TAPS_ADD_H

#include "taps_filter_store.h"

#define TC_FILTER_ADD_THREADS 256
#define TC_FILTER_ADD_EACH    4
/* Threads of a result, at most, and blocks of a multiprocessor that are enough. */
#define TC_FILTER_ADD_LINES  32
#define TC_FILTER_ADD_BLOCKS 4

struct tc_filter_adder : tc_taps_job {
    int64_t count;  /* results */
    int32_t lines;  /* threads of a result */
    int32_t packed; /* results lie as parts do */
};

/* Results `at` on to the filters. */
template <class E>
__device__ static inline void tc_filter_add_store(const tc_filter_adder &job, int64_t at,
                                                  const double (&sum)[TC_FILTER_ADD_EACH])
{
    const auto &conv = job.conv;

#pragma unroll
    for (int e = 0; e < TC_FILTER_ADD_EACH; e++) {
        int64_t to = at + e;

        if (to >= job.count)
            break;
        if (!job.packed) {
            int64_t line = to / job.rows, group = line / conv.columns;
            conv_place place;

            conv_place_tap(&place, conv, job.class_of[0].view, (int32_t)(to - line * job.rows),
                           true);
            to = place.other + group * conv.tap_group +
                 (line - group * conv.columns) * conv.tap_column;
        }
        cuda_blend_store((E *)job.output.data + to, sum[e], job.output.blend);
    }
}

template <class E>
static __global__ void __launch_bounds__(TC_FILTER_ADD_THREADS)
    tc_filter_add_kernel(const __grid_constant__ tc_filter_adder job)
{
    enum { THREADS = TC_FILTER_ADD_THREADS, EACH = TC_FILTER_ADD_EACH };
    __shared__ double shared[THREADS][EACH];
    int across = THREADS / job.lines, x = (int)threadIdx.x % across;
    int line = (int)threadIdx.x / across;
    int64_t at = ((int64_t)blockIdx.x * across + x) * EACH;
    double sum[EACH] = {};

    if (at < job.count) {
        const float *from = (const float *)job.partial + at;

#pragma unroll 4
        for (int32_t split = line; split < job.splits; split += job.lines) {
            const float4 part = *(const float4 *)(from + split * job.count);

            sum[0] += (double)part.x;
            sum[1] += (double)part.y;
            sum[2] += (double)part.z;
            sum[3] += (double)part.w;
        }
    }
    if (job.lines > 1) {
        for (int e = 0; e < EACH; e++)
            shared[threadIdx.x][e] = sum[e];
        __syncthreads();
        for (int other = 1; line == 0 && other < job.lines; other++) {
            for (int e = 0; e < EACH; e++)
                sum[e] += shared[other * across + x][e];
        }
    }
    if (line == 0)
        tc_filter_add_store<E>(job, at, sum);
}

/* Whether results lie in the filters as in a part. */
static inline bool tc_filter_is_packed(const tc_job &job)
{
    const conv &conv = job.conv;
    int64_t apart = conv.depth;
    bool packed = conv.tap_depth == 1 && conv.tap_first == 0;

    for (int d = CONV_DIMS_MAX - 1; d >= CONV_FIRST; d--) {
        packed &= conv.dim[d].taps == 1 || conv.dim[d].tap == apart;
        apart *= conv.dim[d].taps;
    }
    return packed && conv.tap_column == job.rows && conv.tap_group == conv.columns * job.rows;
}

template <class E> static void tc_taps_add(struct tc_step *step, const struct tc_job *job)
{
    const int64_t each = TC_FILTER_ADD_THREADS * TC_FILTER_ADD_EACH;
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_filter_adder adder = {};

    tc_taps_prepare(&adder, *job, (int32_t)sizeof(E));
    adder.count = job->conv.groups * job->conv.columns * job->rows;
    adder.packed = tc_filter_is_packed(*job);
    adder.lines = 1;
    while (adder.lines < TC_FILTER_ADD_LINES && adder.lines * 2 <= job->splits &&
           cuda_blocks(adder.count * adder.lines, each) <
               (int64_t)TC_FILTER_ADD_BLOCKS * job->multiprocessors)
        adder.lines *= 2;
    tc_step_make(step, tc_filter_add_kernel<E>, asked, TC_FILTER_ADD_THREADS, 0,
                 cuda_blocks(adder.count * adder.lines, each), adder);
}

#endif
