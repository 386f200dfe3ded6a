/* SPDX-License-Identifier: Apache-2.0 */
/* Implements split-K of fprop and dgrad in the family ampere. A block stores its partial sums
 * directly from registers. A second kernel adds them in order; a thread handles four neighbors
 * along N. Partial sums are stored as [split][group][class][m][n]. */
#ifndef CUDA_TENSORCORE_AMPERE_SPLIT_K_H
#define CUDA_TENSORCORE_AMPERE_SPLIT_K_H

#include "shape.h"

#define TC_REDUCE_THREADS 128
#define TC_REDUCE_EACH    4
/* The partial sums that a thread loads before it adds the first one. */
#define TC_REDUCE_ASKED 8

/* Stores two neighbors along N. The first one exists in the output. */
__device__ static inline void tc_ampere_put_partials(float *to, float first, float second,
                                                     bool pairs, int32_t n_left)
{
    if (pairs) {
        *(float2 *)to = {first, second};
        return;
    }
    to[0] = first;
    if (n_left > 1)
        to[1] = second;
}

template <class S>
__device__ static inline void
tc_ampere_store_partials(const tc_ampere_params &job, const tc_ampere_view &view,
                         const tc_ampere_block &block,
                         const float (&sum)[S::FRAGS_M][S::FRAGS_N][4])
{
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int32_t n_end = (int32_t)job.conv.n;
    int32_t m = block.first_m + warp / S::WARPS_N * S::WARP_M + lane / 4;
    int32_t n = block.first_n + warp % S::WARPS_N * S::WARP_N + lane % 4 * 2;
    float *to =
        (float *)job.partial +
        conv_partial_at(job, block.split, block.group * job.conv.classes + block.number, m, n);

#pragma unroll
    for (int i = 0; i < S::FRAGS_M; i++) {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            int m_on = i * 16 + half * 8;

            if (m + m_on >= view.view.positions)
                return;
#pragma unroll
            for (int j = 0; j < S::FRAGS_N; j++) {
                if (n + j * 8 < n_end)
                    tc_ampere_put_partials(to + (int64_t)m_on * n_end + j * 8, sum[i][j][half * 2],
                                           sum[i][j][half * 2 + 1], n_end % 2 == 0,
                                           n_end - n - j * 8);
            }
        }
    }
}

/* ------------------------------------------------------------------ reduction */

struct tc_ampere_reducer : tc_slim_params {
    cuda_divisor by_chunks, by_m, by_classes;
    int32_t images;
    int32_t count, chunks;     /* groups of four along N: in all, and per m */
    int32_t step[CONV_DIMS];   /* from position to position of a class */
    tc_ampere_classes classes; /* in numerical order */
};

static inline int32_t tc_settle(tc_ampere_reducer *job)
{
    job->stores_by_16 = job->stores_by_16 && tc_is_plain_by(job->output, 16);
    return 0;
}

/* Returns the positions of a class. */
__device__ static inline tc_ampere_view tc_ampere_reducer_view(const tc_ampere_reducer &job,
                                                               uint32_t number)
{
    tc_ampere_view view = {};

    view.view.positions = job.images;
#pragma unroll
    for (int d = 0; d < CONV_DIMS; d++) {
        tc_ampere_apply_residue(&view, d,
                                job.classes.choices[job.classes.class_of[number].choice[d]]);
        view.view.dim[d].step = job.step[d];
        view.view.positions *= view.view.dim[d].positions;
    }
    return view;
}

template <class E>
static __global__ void __launch_bounds__(TC_REDUCE_THREADS)
    tc_ampere_reduce_kernel(const __grid_constant__ tc_ampere_reducer job)
{
    enum { EACH = TC_REDUCE_EACH };
    struct alignas(EACH * sizeof(E)) four {
        E value[EACH];
    };
    const auto &conv = job.conv;
    uint32_t index = blockIdx.x * TC_REDUCE_THREADS + threadIdx.x;
    uint32_t all_m = cuda_divide(index, job.by_chunks), unit = cuda_divide(all_m, job.by_m);
    uint32_t group = cuda_divide(unit, job.by_classes);
    int32_t m = (int32_t)(all_m - unit * (uint32_t)job.m);
    const tc_ampere_view view = tc_ampere_reducer_view(job, unit - group * (uint32_t)conv.classes);
    int64_t number = (int64_t)(index - all_m * (uint32_t)job.chunks) * EACH + group * conv.n;
    const float4 *from = (const float4 *)job.partial + index;
    double sum[EACH] = {};
    E *to = (E *)job.output.data;
    four rounded;

    tc_wait_on_dependent_grids();
    if (index >= (uint32_t)job.count || m >= view.view.positions)
        return;
    for (int32_t split = 0; split < job.splits; split += TC_REDUCE_ASKED) {
        float4 partial[TC_REDUCE_ASKED];

#pragma unroll
        for (int n = 0; n < TC_REDUCE_ASKED; n++) {
            if (split + n < job.splits)
                partial[n] = from[(int64_t)(split + n) * job.count];
        }
#pragma unroll
        for (int n = 0; n < TC_REDUCE_ASKED; n++) {
            /* This branch keeps the compiler from adding a split before it loads the next one. */
            if (split + n >= job.splits)
                break;
            sum[0] += (double)partial[n].x;
            sum[1] += (double)partial[n].y;
            sum[2] += (double)partial[n].z;
            sum[3] += (double)partial[n].w;
        }
    }
    tc_launch_dependent_grids();
    to += tc_ampere_output_offset(conv, view, m, false) + number * conv.position.step;
    if (job.stores_by_16) {
#pragma unroll
        for (int e = 0; e < EACH; e++)
            cuda_store(&rounded.value[e], sum[e]);
        *(four *)to = rounded;
        return;
    }
    int64_t z =
        job.output.z ? tc_ampere_output_offset(conv, view, m, true) + number * conv.z.step : 0;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        conv_store<E>(job.output, to - (E *)job.output.data + e * conv.position.step,
                      z + e * conv.z.step, number + e, sum[e]);
}

template <class E> static void tc_ampere_reduce(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    const conv &conv = job->conv;
    tc_ampere_reducer reducer = {};
    int64_t units = conv.groups * conv.classes, count;

    if (conv.n % TC_REDUCE_EACH != 0) {
        tc_reduce_step(step, job);
        return;
    }
    tc_slim_of(&reducer, *job);
    tc_ampere_list_classes(&reducer.classes, *job, false);
    reducer.images = (int32_t)conv.images;
    for (int d = 0; d < CONV_DIMS; d++)
        reducer.step[d] = conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA
                              ? (int32_t)conv.dim[CONV_FIRST + d].stride
                              : 1;
    reducer.chunks = (int32_t)(conv.n / TC_REDUCE_EACH);
    count = units * job->m * reducer.chunks;
    reducer.count = (int32_t)count;
    reducer.stores_by_16 = tc_ampere_is_packed(conv, TC_REDUCE_EACH);
    reducer.by_chunks = cuda_divisor_of(reducer.chunks);
    reducer.by_m = cuda_divisor_of(job->m);
    reducer.by_classes = cuda_divisor_of((int32_t)conv.classes);
    tc_step_make(step, tc_ampere_reduce_kernel<E>, asked, TC_REDUCE_THREADS, 0,
                 cuda_blocks(count, TC_REDUCE_THREADS), reducer);
}

#endif
