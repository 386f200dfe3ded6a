/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds up the parts of split sums of direction filter, in a fixed order: a thread has four
 * neighbours, and goes along every so many-th part of them; what the threads of a result have is
 * added in pairs.
 */
#ifndef CUDA_TENSORCORE_COMMON_WGRAD_REDUCE_H
#define CUDA_TENSORCORE_COMMON_WGRAD_REDUCE_H

#include "../ampere/wgrad_params.h"

#define TC_FILTER_ADD_THREADS 256
#define TC_FILTER_ADD_EACH    4
/* Parts that a thread asks for at a time. */
#define TC_FILTER_ADD_ASKED 8
/* Threads of a result, and blocks of a multiprocessor, at most, where results are few. */
#define TC_FILTER_ADD_LINES  32
#define TC_FILTER_ADD_BLOCKS 2

/* Filters and their rows are multiples of 16 bytes, so results are multiples of four. */
struct tc_filter_adder {
    const float4 *partial;
    int32_t count;  /* fours of results */
    int32_t splits; /* parts */
    int32_t lines;  /* threads of a result */
    int32_t packed; /* results lie as parts do */
    tc_filter_results results;
};

/* Four results, `at` on, to the filters one by one. */
template <class E>
__device__ static inline void tc_filter_scatter(const tc_filter_results &to, uint32_t at,
                                                const double (&sum)[TC_FILTER_ADD_EACH])
{
#pragma unroll
    for (int e = 0; e < TC_FILTER_ADD_EACH; e++) {
        uint32_t line = cuda_divide(at + e, to.by_rows), group = cuda_divide(line, to.by_columns);
        int32_t row = tc_filter_row_at(to, tc_filter_row_of(to, at + e - line * (uint32_t)to.rows));

        cuda_blend_store((E *)to.data + (int64_t)group * to.group +
                             (int32_t)(line - group * (uint32_t)to.columns) * to.column + row,
                         sum[e], to.blend);
    }
}

__device__ static inline void tc_filter_add_part(double (&sum)[TC_FILTER_ADD_EACH],
                                                 const float4 &part)
{
    const double more[TC_FILTER_ADD_EACH] = {(double)part.x, (double)part.y, (double)part.z,
                                             (double)part.w};

#pragma unroll
    for (int e = 0; e < TC_FILTER_ADD_EACH; e++)
        sum[e] += more[e];
}

template <class E>
static __global__ void __launch_bounds__(TC_FILTER_ADD_THREADS)
    tc_filter_add_kernel(const __grid_constant__ tc_filter_adder job)
{
    enum {
        THREADS = TC_FILTER_ADD_THREADS,
        EACH = TC_FILTER_ADD_EACH,
        ASKED = TC_FILTER_ADD_ASKED
    };
    __shared__ double shared[THREADS][EACH];
    int across = THREADS / job.lines, line = (int)threadIdx.x / across;
    int x = (int)threadIdx.x - line * across, at = (int)blockIdx.x * across + x;
    int64_t step = (int64_t)job.lines * job.count;
    double sum[EACH] = {};

    tc_wait_for_last();
    for (int32_t split = line; at < job.count && split < job.splits; split += ASKED * job.lines) {
        const float4 *from = job.partial + (int64_t)split * job.count + at;
        float4 part[ASKED];

#pragma unroll
        for (int n = 0; n < ASKED; n++) {
            if (split + n * job.lines < job.splits)
                part[n] = *from;
            from += step;
        }
#pragma unroll
        for (int n = 0; n < ASKED; n++) {
            /* A branch keeps the compiler from adding up a part before the next is asked for. */
            if (split + n * job.lines >= job.splits)
                break;
            tc_filter_add_part(sum, part[n]);
        }
    }
    tc_let_next_begin();
    for (int half = job.lines / 2; half > 0; half /= 2) {
        if (line < half * 2) {
            for (int e = 0; e < EACH; e++)
                shared[threadIdx.x][e] = sum[e];
        }
        __syncthreads();
        if (line < half) {
            for (int e = 0; e < EACH; e++)
                sum[e] += shared[(int)threadIdx.x + half * across][e];
        }
    }
    if (line > 0 || at >= job.count)
        return;
    if (job.packed)
        tc_filter_store_vector<E, EACH>((E *)job.results.data + (int64_t)at * EACH, sum,
                                        job.results.blend);
    else
        tc_filter_scatter<E>(job.results, (uint32_t)at * EACH, sum);
}

static inline void tc_give(tc_filter_adder *adder, const tc_given &given)
{
    adder->partial = (const float4 *)given.partial;
    tc_give(&adder->results, given);
}

static inline int32_t tc_settle(tc_filter_adder *adder)
{
    adder->packed = adder->packed && (uintptr_t)adder->results.data % 16 == 0;
    return 0;
}

template <class E> static void tc_taps_add(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_filter_adder adder = {};

    adder.count = (int32_t)(job->conv.groups * job->conv.columns * job->rows / TC_FILTER_ADD_EACH);
    adder.splits = job->splits;
    adder.results = tc_filter_results_of(*job, (int32_t)sizeof(E));
    adder.packed = tc_filter_is_packed(adder.results);
    adder.lines = 1;
    while (adder.lines < TC_FILTER_ADD_LINES && adder.lines * 2 <= job->splits &&
           cuda_blocks((int64_t)adder.count * adder.lines * 2, TC_FILTER_ADD_THREADS) <=
               (int64_t)TC_FILTER_ADD_BLOCKS * job->multiprocessors)
        adder.lines *= 2;
    tc_step_make(step, tc_filter_add_kernel<E>, asked, TC_FILTER_ADD_THREADS, 0,
                 cuda_blocks((int64_t)adder.count * adder.lines, TC_FILTER_ADD_THREADS), adder);
}

#endif
