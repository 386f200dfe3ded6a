/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the reduction of split-K for wgrad, which adds the splits in a fixed order. A
 * thread handles four adjacent results, and adds every lines-th split. The threads of a result
 * then add their sums in pairs. */
#ifndef CUDA_TENSORCORE_COMMON_WGRAD_REDUCE_H
#define CUDA_TENSORCORE_COMMON_WGRAD_REDUCE_H

#include "../ampere/wgrad_params.h"

#define TC_WGRAD_REDUCE_THREADS 256
#define TC_WGRAD_REDUCE_EACH    4
/* The number of partial sums that a thread loads at a time. */
#define TC_WGRAD_REDUCE_ASKED 8
/* The largest numbers of threads per result and of blocks per multiprocessor, if there are few
 * results. */
#define TC_WGRAD_REDUCE_LINES  32
#define TC_WGRAD_REDUCE_BLOCKS 2

/* The parameters of the reduction. Filters and their channels are multiples of 16 bytes, so the
 * number of results is a multiple of four. */
struct tc_wgrad_reducer {
    const float4 *partial;
    int32_t count; /* results / 4 */
    int32_t splits;
    int32_t lines;  /* threads per result */
    int32_t packed; /* 1 if results have the layout of a split */
    tc_wgrad_output results;
};

/* Stores four results one by one in the filters, from result `at` on. */
template <class E>
__device__ static inline void tc_wgrad_scatter(const tc_wgrad_output &to, uint32_t at,
                                               const double (&sum)[TC_WGRAD_REDUCE_EACH])
{
#pragma unroll
    for (int e = 0; e < TC_WGRAD_REDUCE_EACH; e++) {
        uint32_t line = cuda_divide(at + e, to.by_m), group = cuda_divide(line, to.by_n);
        int32_t offset = tc_wgrad_m_offset(to, tc_wgrad_m_of(to, at + e - line * (uint32_t)to.m));

        cuda_blend_store((E *)to.data + (int64_t)group * to.group +
                             (int32_t)(line - group * (uint32_t)to.n) * to.filter + offset,
                         sum[e], to.blend);
    }
}

__device__ static inline void tc_wgrad_add_partial(double (&sum)[TC_WGRAD_REDUCE_EACH],
                                                   const float4 &partial)
{
    const double more[TC_WGRAD_REDUCE_EACH] = {(double)partial.x, (double)partial.y,
                                               (double)partial.z, (double)partial.w};

#pragma unroll
    for (int e = 0; e < TC_WGRAD_REDUCE_EACH; e++)
        sum[e] += more[e];
}

template <class E>
static __global__ void __launch_bounds__(TC_WGRAD_REDUCE_THREADS)
    tc_wgrad_reduce_kernel(const __grid_constant__ tc_wgrad_reducer job)
{
    enum {
        THREADS = TC_WGRAD_REDUCE_THREADS,
        EACH = TC_WGRAD_REDUCE_EACH,
        ASKED = TC_WGRAD_REDUCE_ASKED
    };
    __shared__ double shared[THREADS][EACH];
    int across = THREADS / job.lines, line = (int)threadIdx.x / across;
    int x = (int)threadIdx.x - line * across, at = (int)blockIdx.x * across + x;
    int64_t step = (int64_t)job.lines * job.count;
    double sum[EACH] = {};

    tc_wait_on_dependent_grids();
    for (int32_t split = line; at < job.count && split < job.splits; split += ASKED * job.lines) {
        const float4 *from = job.partial + (int64_t)split * job.count + at;
        float4 partial[ASKED];

#pragma unroll
        for (int n = 0; n < ASKED; n++) {
            if (split + n * job.lines < job.splits)
                partial[n] = *from;
            from += step;
        }
#pragma unroll
        for (int n = 0; n < ASKED; n++) {
            /* This branch keeps the compiler from adding a split before it loads the next one. */
            if (split + n * job.lines >= job.splits)
                break;
            tc_wgrad_add_partial(sum, partial[n]);
        }
    }
    tc_launch_dependent_grids();
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
        tc_wgrad_store_vector<E, EACH>((E *)job.results.data + (int64_t)at * EACH, sum,
                                       job.results.blend);
    else
        tc_wgrad_scatter<E>(job.results, (uint32_t)at * EACH, sum);
}

static inline void tc_bind(tc_wgrad_reducer *adder, const tc_arguments &args)
{
    adder->partial = (const float4 *)args.partial;
    tc_bind(&adder->results, args);
}

static inline int32_t tc_settle(tc_wgrad_reducer *adder)
{
    adder->packed = adder->packed && (uintptr_t)adder->results.data % 16 == 0;
    return 0;
}

template <class E> static void tc_wgrad_reduce(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_wgrad_reducer adder = {};

    adder.count = (int32_t)(job->conv.groups * job->conv.n * job->m / TC_WGRAD_REDUCE_EACH);
    adder.splits = job->splits;
    adder.results = tc_wgrad_output_of(*job, (int32_t)sizeof(E));
    adder.packed = tc_wgrad_is_packed(adder.results);
    adder.lines = 1;
    while (adder.lines < TC_WGRAD_REDUCE_LINES && adder.lines * 2 <= job->splits &&
           cuda_blocks((int64_t)adder.count * adder.lines * 2, TC_WGRAD_REDUCE_THREADS) <=
               (int64_t)TC_WGRAD_REDUCE_BLOCKS * job->context->cuda.multiprocessors)
        adder.lines *= 2;
    tc_step_make(step, tc_wgrad_reduce_kernel<E>, asked, TC_WGRAD_REDUCE_THREADS, 0,
                 cuda_blocks((int64_t)adder.count * adder.lines, TC_WGRAD_REDUCE_THREADS), adder);
}

#endif
