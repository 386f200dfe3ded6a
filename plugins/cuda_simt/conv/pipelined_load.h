/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies tiles of A and B to shared memory, for implicit GEMM of float (conv/pipelined_gemm.h).
 *
 * The offset of an element of A is the sum of the offsets of its m and its k. The element exists if
 * the masks of both have no bit in common. A position has the bits of the taps that lie outside,
 * and a tap has its own bits. Shared memory holds the offsets and masks of all m of a block, and of
 * two chunks of CHUNK k.
 */
#ifndef CUDA_SIMT_CONV_PIPELINED_LOAD_H
#define CUDA_SIMT_CONV_PIPELINED_LOAD_H

#include "../shared/copy_async.h"
#include "pipelined_shape.h"

/* ------------------------------------------------------------------ offsets and masks */

/* Returns the same as cuda_divisor_of. */
__device__ static inline cuda_divisor divisor_of(int32_t dim)
{
    cuda_divisor made = {0, 0};

    while ((1u << made.shift) < (uint32_t)dim)
        made.shift++;
    if (dim > 0)
        made.multiplier =
            (uint32_t)((((UINT64_C(1) << made.shift) - (uint32_t)dim) << 32) / (uint32_t)dim + 1);
    return made;
}

/* Fills in the divisors of a view whose other members are set. The first threads of the block do
 * this. */
__device__ static inline void fill_divisors(const conv &conv, pipelined_view &view)
{
    int thread = (int)threadIdx.x;

    if (thread < CONV_DIMS)
        view.by_positions[thread] = divisor_of(view.dim[thread].positions);
    else if (thread < 2 * CONV_DIMS)
        view.by_taps[thread - CONV_DIMS] = divisor_of(view.dim[thread - CONV_DIMS].taps);
    else if (thread == 2 * CONV_DIMS)
        view.by_depth = divisor_of((int32_t)conv.channels);
}

/* Writes the offsets of a position in A and in B or C. Returns the bits of the taps that lie
 * outside. */
__device__ static inline uint32_t position_at(const conv &conv, const pipelined_view &view,
                                              int32_t index, int32_t *a, int32_t *bc)
{
    uint32_t mask = OUTSIDE;
    int32_t at_a = 0, at_bc = 0;

#pragma unroll
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.dim[d];
        const conv_dim &of = conv.dim[CONV_FIRST + d];
        int32_t next = (int32_t)cuda_divide((uint32_t)index, view.by_positions[d]);
        int32_t along = index - next * dim.positions, at;

        at = dim.at + along * dim.at_position;
        index = next;
        at_a += at * (int32_t)of.a;
        at_bc += (dim.first + along * dim.step) * (int32_t)of.position;
        for (int32_t t = 0; t < dim.taps; t++, at += dim.at_tap)
            mask |= (uint32_t)((uint32_t)at >= (uint32_t)of.a_extent) << (MASK_BITS * d + t);
    }
    *a = at_a + index * (int32_t)conv.a_image;
    *bc = at_bc + index * (int32_t)conv.position_image;
    return mask;
}

/* Writes the offsets of a tap of a channel. Returns the tap's own bits. */
__device__ static inline uint32_t tap_at(const pipelined_job &job, const pipelined_view &view,
                                         int32_t index, int32_t *a, int32_t *bc)
{
    const conv &conv = job.conv;
    int32_t depth = (int32_t)conv.channels, channel = 0, at_a = 0, at_bc = (int32_t)conv.tap_first;
    uint32_t mask = 0;

    if (job.channels_inside) {
        int32_t next = (int32_t)cuda_divide((uint32_t)index, view.by_depth);

        channel = index - next * depth;
        index = next;
    }
#pragma unroll
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.dim[d];
        const conv_dim &of = conv.dim[CONV_FIRST + d];
        int32_t next = (int32_t)cuda_divide((uint32_t)index, view.by_taps[d]);
        int32_t t = index - next * dim.taps;

        index = next;
        at_a += t * dim.at_tap * (int32_t)of.a;
        at_bc += (dim.tap_first + t * dim.tap_step) * (int32_t)of.tap;
        mask |= UINT32_C(1) << (MASK_BITS * d + t);
    }
    if (!job.channels_inside)
        channel = index;
    *a = at_a + channel * (int32_t)conv.a.step;
    *bc = at_bc + channel * (int32_t)conv.tap_channel;
    return mask;
}

template <class S>
__device__ static inline void fill_m(const pipelined_job &job, const pipelined_block &block,
                                     pipelined_shared<S> &shared)
{
    bool is_wgrad = conv_job_is_wgrad(job);

    for (int r = (int)threadIdx.x; r < S::TILE_M; r += S::THREADS) {
        int32_t index = block.m_tile * S::TILE_M + r, bc;
        pipelined_m m = {0, ~UINT32_C(0)};

        if (index < block.m)
            m.mask = is_wgrad ? tap_at(job, shared.view, index, &m.a, &bc)
                              : position_at(job.conv, shared.view, index, &m.a, &bc);
        shared.m[r] = m;
    }
}

/* Fills in the offsets and masks of chunk `chunk` of the block's k. If LINEAR is true, each entry
 * stands for the first k of a step. One warp calls this. */
template <class S, bool LINEAR>
__device__ static inline void fill_k(const pipelined_job &job, const pipelined_block &block,
                                     pipelined_shared<S> &shared, int32_t chunk)
{
    int lane = (int)threadIdx.x % 32;
    int32_t index = LINEAR ? (block.begin + chunk * CHUNK + lane) * S::K_STEP
                           : block.begin * S::K_STEP + chunk * CHUNK + lane;
    pipelined_k k = {0, -1, ~UINT32_C(0), 0};

    if (index < block.k)
        k.mask = conv_job_is_wgrad(job) ? position_at(job.conv, shared.view, index, &k.a, &k.b)
                                        : tap_at(job, shared.view, index, &k.a, &k.b);
    shared.k[chunk & 1][lane] = k;
}

/* ------------------------------------------------------------------ a thread's copies */

/* The copies of a thread in a step. If LINEAR is true, the k of a step are k_a and k_b apart and
 * share one mask. */
template <class S, bool LINEAR> struct copier {
    enum {
        WIDE_A = S::TILE_M * S::K_STEP / 4 / S::THREADS,
        WIDE_B = S::TILE_N * S::K_STEP / 4 / S::THREADS,
        APART = S::THREADS / ALONG_K, /* distance of a thread's m or n, if threads follow k */
        COUNT_A = S::TILE_M / APART,  /* number of such m, and of such n */
        COUNT_B = S::TILE_N / APART,
        TURNS = S::K_STEP / ALONG_K, /* number of k for each such m or n */
        K_APART_A = S::THREADS / S::TILE_M,
        K_APART_B = S::THREADS / S::TILE_N,
        EACH_A = S::K_STEP / K_APART_A, /* number of k, if threads follow m (EACH_B: n) */
        EACH_B = S::K_STEP / K_APART_B
    };
    static_assert(K_APART_A >= 1 && K_APART_B >= 1, "a thread has one m, or one k");
    const float *a, *b;
    int32_t n_step, n_left, k_a, k_b;

    __device__ pipelined_k k_at(const pipelined_k *ks, int k) const
    {
        pipelined_k at = ks[LINEAR ? 0 : k];

        if (LINEAR) {
            at.a += k * k_a;
            at.b += k * k_b;
        }
        return at;
    }

    /* All reads of shared memory precede the first copy, because the assembler inserts three
     * instructions without effect between a read and a copy. */
    __device__ void copy_a_along_m(pipelined_shared<S> &shared, int stage,
                                   const pipelined_k *ks) const
    {
        int m = (int)threadIdx.x % S::TILE_M, first = (int)threadIdx.x / S::TILE_M;
        const pipelined_m at_m = shared.m[m];
        int32_t at[EACH_A];
        bool inside[EACH_A];

#pragma unroll
        for (int i = 0; i < EACH_A; i++) {
            const pipelined_k k = k_at(ks, first + i * K_APART_A);

            at[i] = at_m.a + k.a;
            inside[i] = !(at_m.mask & k.mask);
        }
#pragma unroll
        for (int i = 0; i < EACH_A; i++)
            copy_async<4>(&shared.a[stage][first + i * K_APART_A][m], address(a, at[i]), inside[i]);
    }

    __device__ void copy_a_along_k(pipelined_shared<S> &shared, int stage,
                                   const pipelined_k *ks) const
    {
        int m = (int)threadIdx.x / ALONG_K, first = (int)threadIdx.x % ALONG_K;
        int32_t at[COUNT_A][TURNS];
        bool inside[COUNT_A][TURNS];

#pragma unroll
        for (int i = 0; i < COUNT_A; i++) {
            const pipelined_m at_m = shared.m[m + i * APART];

#pragma unroll
            for (int turn = 0; turn < TURNS; turn++) {
                const pipelined_k k = k_at(ks, first + turn * ALONG_K);

                at[i][turn] = at_m.a + k.a;
                inside[i][turn] = !(at_m.mask & k.mask);
            }
        }
#pragma unroll
        for (int i = 0; i < COUNT_A; i++) {
            const float *from = address(a, at[i][0]);

#pragma unroll
            for (int turn = 0; turn < TURNS; turn++)
                copy_async<4>(&shared.a[stage][first + turn * ALONG_K][m + i * APART],
                              LINEAR ? from + turn * ALONG_K : address(a, at[i][turn]),
                              inside[i][turn]);
        }
    }

    __device__ void copy_a_wide(pipelined_shared<S> &shared, int stage, const pipelined_k *ks) const
    {
        int m = (int)threadIdx.x % (S::TILE_M / 4) * 4, first = (int)threadIdx.x / (S::TILE_M / 4);
        const pipelined_m at_m = shared.m[m];
        int32_t at[WIDE_A];
        bool inside[WIDE_A];

#pragma unroll
        for (int i = 0; i < WIDE_A; i++) {
            const pipelined_k k = k_at(ks, first + i * 4 * K_APART_A);

            at[i] = at_m.a + k.a;
            inside[i] = !(at_m.mask & k.mask);
        }
#pragma unroll
        for (int i = 0; i < WIDE_A; i++)
            copy_async<16>(&shared.a[stage][first + i * 4 * K_APART_A][m], address(a, at[i]),
                           inside[i]);
    }

    __device__ void copy_b_along_n(pipelined_shared<S> &shared, int stage,
                                   const pipelined_k *ks) const
    {
        int n = (int)threadIdx.x % S::TILE_N, first = (int)threadIdx.x / S::TILE_N;
        int32_t at[EACH_B];

#pragma unroll
        for (int i = 0; i < EACH_B; i++)
            at[i] = k_at(ks, first + i * K_APART_B).b;
#pragma unroll
        for (int i = 0; i < EACH_B; i++)
            copy_async<4>(&shared.b[stage][first + i * K_APART_B][n],
                          address(b, at[i] + n * n_step), (n < n_left) & (at[i] >= 0));
    }

    __device__ void copy_b_along_k(pipelined_shared<S> &shared, int stage,
                                   const pipelined_k *ks) const
    {
        int n = (int)threadIdx.x / ALONG_K, first = (int)threadIdx.x % ALONG_K;
        int32_t at[TURNS];

#pragma unroll
        for (int turn = 0; turn < TURNS; turn++)
            at[turn] = k_at(ks, first + turn * ALONG_K).b;
#pragma unroll
        for (int i = 0; i < COUNT_B; i++) {
            int here = n + i * APART;
            const float *from = address(b, at[0] + here * n_step);

#pragma unroll
            for (int turn = 0; turn < TURNS; turn++)
                copy_async<4>(&shared.b[stage][first + turn * ALONG_K][here],
                              LINEAR ? from + turn * ALONG_K : address(b, at[turn] + here * n_step),
                              (here < n_left) & (at[turn] >= 0));
        }
    }

    __device__ void copy_b_wide(pipelined_shared<S> &shared, int stage, const pipelined_k *ks) const
    {
        int n = (int)threadIdx.x % (S::TILE_N / 4) * 4, first = (int)threadIdx.x / (S::TILE_N / 4);
        int32_t at[WIDE_B];

#pragma unroll
        for (int i = 0; i < WIDE_B; i++)
            at[i] = k_at(ks, first + i * 4 * K_APART_B).b;
#pragma unroll
        for (int i = 0; i < WIDE_B; i++)
            copy_async<16>(&shared.b[stage][first + i * 4 * K_APART_B][n], address(b, at[i] + n),
                           (n < n_left) & (at[i] >= 0));
    }

    __device__ void copy(const pipelined_job &job, pipelined_shared<S> &shared, int32_t step) const
    {
        const pipelined_k *ks =
            LINEAR ? &shared.k[step / CHUNK & 1][step % CHUNK]
                   : shared.k[step / S::CHUNK_STEPS & 1] + step % S::CHUNK_STEPS * S::K_STEP;
        int stage = step % S::STAGES;

        if (job.a_is_wide)
            copy_a_wide(shared, stage, ks);
        else if (job.a_is_m_major)
            copy_a_along_m(shared, stage, ks);
        else
            copy_a_along_k(shared, stage, ks);
        if (job.b_is_wide)
            copy_b_wide(shared, stage, ks);
        else if (job.b_is_n_major)
            copy_b_along_n(shared, stage, ks);
        else
            copy_b_along_k(shared, stage, ks);
    }
};

#endif
