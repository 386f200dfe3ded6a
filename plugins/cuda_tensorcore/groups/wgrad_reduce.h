/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the reduction of split-K for wgrad of grouped convolutions, which adds the partial
 * sums in a fixed order. A thread handles four adjacent results of a filter, and adds every
 * lines-th split. There are few enough that it loads all of them at once. The threads of a
 * result then add their sums in pairs. */
#ifndef CUDA_TENSORCORE_GROUPS_WGRAD_REDUCE_H
#define CUDA_TENSORCORE_GROUPS_WGRAD_REDUCE_H

#include "wgrad_epilogue.h"

/* The splits that a thread loads at once, and the most threads per result. */
#define TC_GROUPS_REDUCE_ASKED 4
#define TC_GROUPS_REDUCE_LINES 64

/* The parameters of the reduction. Partial sums are stored as [filter of all
 * groups][tap][channel of the group]. */
struct tc_groups_reducer {
    const void *a, *b;
    void *partial;
    conv_output output;
    int32_t splits, lines; /* threads per result */
    int32_t count;         /* results / 4 */
    int32_t fours;         /* logarithm of the fours per tap */
    int32_t group;         /* logarithm of the filters per group */
    int32_t entries;
    cuda_divisor by_entries;
    int32_t stores_by_8;
    int64_t tap_group, tap_n, tap_channel;
    int32_t tap_b[TC_GROUPS_TAPS];
};

template <class E>
__device__ static inline void tc_groups_reduce_store(const tc_groups_reducer &job, int32_t at,
                                                     const double (&sum)[4])
{
    int32_t line = at >> job.fours, four = at - (line << job.fours);
    int32_t filter = (int32_t)cuda_divide((uint32_t)line, job.by_entries);
    int32_t tap = line - filter * job.entries, group = filter >> job.group;
    E *to = (E *)job.output.data + group * job.tap_group +
            (filter - (group << job.group)) * job.tap_n + job.tap_b[tap] +
            four * 4 * job.tap_channel;

    tc_groups_store_four(to, job.tap_channel, tc_groups_packs(job.stores_by_8, job.output), sum,
                         job.output.blend);
}

static inline int32_t tc_settle(tc_groups_reducer *)
{
    return 0;
}

/* Adds some splits from `split` on. It loads all of them before it adds the first one. */
__device__ static inline void tc_groups_add_partials(const tc_groups_reducer &job,
                                                     const float4 *from, int32_t split,
                                                     double (&sum)[4])
{
    float4 partial[TC_GROUPS_REDUCE_ASKED];

#pragma unroll
    for (int n = 0; n < TC_GROUPS_REDUCE_ASKED; n++) {
        partial[n] = float4{0, 0, 0, 0};
        if (split + n * job.lines < job.splits)
            partial[n] = from[(int64_t)(split + n * job.lines) * job.count];
    }
#pragma unroll
    for (int n = 0; n < TC_GROUPS_REDUCE_ASKED; n++) {
        if (split + n * job.lines >= job.splits)
            break;
        sum[0] += (double)partial[n].x;
        sum[1] += (double)partial[n].y;
        sum[2] += (double)partial[n].z;
        sum[3] += (double)partial[n].w;
    }
}

template <class E>
static __global__ void __launch_bounds__(TC_GROUPS_THREADS)
    tc_groups_reduce_kernel(const __grid_constant__ tc_groups_reducer job)
{
    __shared__ double shared[TC_GROUPS_THREADS][4];
    int across = TC_GROUPS_THREADS / job.lines, line = (int)threadIdx.x / across;
    int32_t at = (int32_t)blockIdx.x * across + (int32_t)threadIdx.x - line * across;
    double sum[4] = {};

    tc_wait_on_dependent_grids();
    if (at < job.count) {
#pragma unroll 1
        for (int32_t split = line; split < job.splits; split += job.lines * TC_GROUPS_REDUCE_ASKED)
            tc_groups_add_partials(job, (const float4 *)job.partial + at, split, sum);
    }
    tc_launch_dependent_grids();
    for (int half = job.lines / 2; half > 0; half /= 2) {
        if (line < 2 * half) {
            for (int e = 0; e < 4; e++)
                shared[threadIdx.x][e] = sum[e];
        }
        __syncthreads();
        if (line < half) {
            for (int e = 0; e < 4; e++)
                sum[e] += shared[(int)threadIdx.x + half * across][e];
        }
        __syncthreads();
    }
    if (line == 0 && at < job.count)
        tc_groups_reduce_store<E>(job, at, sum);
}

/* Fills in the parameters of the reduction, and returns the number of blocks. */
static int64_t tc_groups_make_reducer(tc_groups_reducer *adder, const tc_groups_params &job)
{
    const auto &conv = job.conv;

    *adder = {};
    adder->partial = job.partial;
    adder->output = job.output;
    adder->splits = job.splits;
    adder->lines = 1;
    while (adder->lines < TC_GROUPS_REDUCE_LINES &&
           adder->lines * TC_GROUPS_REDUCE_ASKED < job.splits)
        adder->lines *= 2;
    adder->count = job.channels * job.entries * (int32_t)conv.channels / 4;
    while (4 << adder->fours < conv.channels)
        adder->fours++;
    adder->group = adder->fours + 2;
    adder->entries = job.entries;
    adder->by_entries = cuda_divisor_of(job.entries);
    adder->stores_by_8 = job.stores_by_8;
    adder->tap_group = conv.tap_group;
    adder->tap_n = conv.tap_n;
    adder->tap_channel = conv.tap_channel;
    for (int32_t tap = 0; tap < TC_GROUPS_TAPS; tap++)
        adder->tap_b[tap] = job.tap_b[tap];
    return cuda_blocks((int64_t)adder->count * adder->lines, TC_GROUPS_THREADS);
}

#endif
