/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles of A and B on their way to shared memory, for implicit GEMM of float
 * (conv/pipelined_gemm.h).
 *
 * An element of A lies at the sum of an offset of its m and one of its k, and inside where the
 * masks of both have no bit in common: positions have the bits of the taps that lie outside, taps
 * their own. Those of all m of a block wait in shared memory, and those of CHUNK k twice.
 */
#ifndef CUDA_NAIVE_CONV_PIPELINED_LOAD_H
#define CUDA_NAIVE_CONV_PIPELINED_LOAD_H

#include "pipelined_shape.h"

/* ------------------------------------------------------------------ copies */

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
template <int BYTES>
__device__ static inline void copy_async(float *to, const float *base, int32_t at, bool inside)
{
    uint32_t address = (uint32_t)__cvta_generic_to_shared(to);
    const float *from;

    /* One instruction; the compiler would choose between two addresses. */
    asm("mad.wide.s32 %0, %1, 4, %2;" : "=l"(from) : "r"(at), "l"(base));

    if (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                     "r"(inside ? 16 : 0)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from),
                     "r"(inside ? 4 : 0)
                     : "memory");
}

__device__ static inline void commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int LEFT> __device__ static inline void wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}
#else
template <int BYTES>
__device__ static inline void copy_async(float *to, const float *base, int32_t at, bool inside)
{
    if (BYTES == 16)
        *(float4 *)to = inside ? *(const float4 *)&base[at] : float4{0, 0, 0, 0};
    else
        *to = inside ? base[at] : 0;
}

__device__ static inline void commit()
{
}

template <int LEFT> __device__ static inline void wait()
{
}
#endif

/* ------------------------------------------------------------------ offsets and masks */

/* A position's offsets in A, and in B or C; the taps outside. */
__device__ static inline uint32_t position_at(const conv &conv, const conv_view &view,
                                              int32_t index, int32_t *a, int32_t *bc)
{
    uint32_t mask = OUTSIDE;
    int32_t at_a = 0, at_bc = 0;

#pragma unroll
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.dim[d];
        const conv_dim &of = conv.dim[CONV_FIRST + d];
        int32_t next = index, along = 0, at;

        if (dim.positions > 1) {
            next = (int32_t)((uint32_t)index / (uint32_t)dim.positions);
            along = index - next * dim.positions;
        }
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

/* A tap's of a channel; its own bits. */
__device__ static inline uint32_t tap_at(const pipelined_job &job, const conv_view &view,
                                         int32_t index, int32_t *a, int32_t *bc)
{
    const conv &conv = job.conv;
    int32_t depth = (int32_t)conv.depth, channel = 0, at_a = 0, at_bc = (int32_t)conv.tap_first;
    uint32_t mask = 0;

    if (job.channels_inside) {
        channel = index % depth;
        index /= depth;
    }
#pragma unroll
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.dim[d];
        const conv_dim &of = conv.dim[CONV_FIRST + d];
        int32_t next = index, t = 0;

        if (dim.taps > 1) {
            next = (int32_t)((uint32_t)index / (uint32_t)dim.taps);
            t = index - next * dim.taps;
        }
        index = next;
        at_a += t * dim.at_tap * (int32_t)of.a;
        at_bc += (dim.tap_first + t * dim.tap_step) * (int32_t)of.tap;
        mask |= UINT32_C(1) << (MASK_BITS * d + t);
    }
    if (!job.channels_inside)
        channel = index;
    *a = at_a + channel * (int32_t)conv.a.step;
    *bc = at_bc + channel * (int32_t)conv.tap_depth;
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

/* k of chunk `chunk` from the block's first on, by one warp. */
template <class S>
__device__ static inline void fill_k(const pipelined_job &job, const pipelined_block &block,
                                     pipelined_shared<S> &shared, int32_t chunk)
{
    int lane = (int)threadIdx.x % 32;
    int32_t index = block.begin * S::K_STEP + chunk * CHUNK + lane;
    pipelined_k k = {0, -1, ~UINT32_C(0), 0};

    if (index < block.k)
        k.mask = conv_job_is_wgrad(job) ? position_at(job.conv, shared.view, index, &k.a, &k.b)
                                        : tap_at(job, shared.view, index, &k.a, &k.b);
    shared.k[chunk & 1][lane] = k;
}

/* ------------------------------------------------------------------ a thread's copies */

/* What a thread copies of a step. */
template <class S> struct copier {
    enum {
        COUNT_A = S::TILE_M * S::K_STEP / S::THREADS,
        COUNT_B = S::TILE_N * S::K_STEP / S::THREADS,
        WIDE_A = S::TILE_M * S::K_STEP / 4 / S::THREADS,
        WIDE_B = S::TILE_N * S::K_STEP / 4 / S::THREADS,
        APART = S::THREADS / ALONG_K, /* rows or columns, of threads that go along k */
        TURNS = S::K_STEP / ALONG_K,
        K_APART_A = S::THREADS / S::TILE_M,
        K_APART_B = S::THREADS / S::TILE_N
    };
    static_assert(K_APART_A >= 1 && K_APART_B >= 1, "a thread has one row, or one k");
    const float *a, *b;
    int32_t n_step, n_left;

    /* All reads of shared memory come before the first copy: between one and the bc the
     * assembler puts three instructions that do nothing. */
    template <bool ALONG_M>
    __device__ void copy_a(pipelined_shared<S> &shared, int stage, const pipelined_k *ks) const
    {
        int thread = (int)threadIdx.x;
        int first = ALONG_M ? thread / S::TILE_M : thread % ALONG_K;
        int32_t at[COUNT_A];
        bool inside[COUNT_A];
        float *to = &shared.a[stage][first][ALONG_M ? thread % S::TILE_M : thread / ALONG_K];

#pragma unroll
        for (int i = 0; i < COUNT_A; i++) {
            int m = ALONG_M ? thread % S::TILE_M : thread / ALONG_K + i / TURNS * APART;
            const pipelined_m row = shared.m[m];
            const pipelined_k by = ks[first + (ALONG_M ? i * K_APART_A : i % TURNS * ALONG_K)];

            at[i] = row.a + by.a;
            inside[i] = !(row.mask & by.mask);
        }
#pragma unroll
        for (int i = 0; i < COUNT_A; i++)
            copy_async<4>(to + (ALONG_M ? i * K_APART_A * S::LINE_A
                                        : i % TURNS * ALONG_K * S::LINE_A + i / TURNS * APART),
                          a, at[i], inside[i]);
    }

    __device__ void copy_a_wide(pipelined_shared<S> &shared, int stage, const pipelined_k *ks) const
    {
        int32_t at[WIDE_A];
        bool inside[WIDE_A];
        int m = (int)threadIdx.x % (S::TILE_M / 4) * 4, first = (int)threadIdx.x / (S::TILE_M / 4);
        const pipelined_m row = shared.m[m];

#pragma unroll
        for (int i = 0; i < WIDE_A; i++) {
            const pipelined_k by = ks[first + i * 4 * K_APART_A];

            at[i] = row.a + by.a;
            inside[i] = !(row.mask & by.mask);
        }
#pragma unroll
        for (int i = 0; i < WIDE_A; i++)
            copy_async<16>(&shared.a[stage][first + i * 4 * K_APART_A][m], a, at[i], inside[i]);
    }

    template <bool ALONG_N>
    __device__ void copy_b(pipelined_shared<S> &shared, int stage, const pipelined_k *ks) const
    {
        int thread = (int)threadIdx.x;
        int first = ALONG_N ? thread / S::TILE_N : thread % ALONG_K;
        int n = ALONG_N ? thread % S::TILE_N : thread / ALONG_K;
        int32_t at[COUNT_B];
        float *to = &shared.b[stage][first][n];

#pragma unroll
        for (int i = 0; i < COUNT_B; i++)
            at[i] = ks[first + (ALONG_N ? i * K_APART_B : i % TURNS * ALONG_K)].b;
#pragma unroll
        for (int i = 0; i < COUNT_B; i++) {
            int column = ALONG_N ? n : n + i / TURNS * APART;

            copy_async<4>(to + (ALONG_N ? i * K_APART_B * S::LINE_B
                                        : i % TURNS * ALONG_K * S::LINE_B + i / TURNS * APART),
                          b, at[i] + column * n_step, (column < n_left) & (at[i] >= 0));
        }
    }

    __device__ void copy_b_wide(pipelined_shared<S> &shared, int stage, const pipelined_k *ks) const
    {
        int n = (int)threadIdx.x % (S::TILE_N / 4) * 4, first = (int)threadIdx.x / (S::TILE_N / 4);
        int32_t at[WIDE_B];

#pragma unroll
        for (int i = 0; i < WIDE_B; i++)
            at[i] = ks[first + i * 4 * K_APART_B].b;
#pragma unroll
        for (int i = 0; i < WIDE_B; i++)
            copy_async<16>(&shared.b[stage][first + i * 4 * K_APART_B][n], b, at[i] + n,
                           (n < n_left) & (at[i] >= 0));
    }

    __device__ void copy(const pipelined_job &job, pipelined_shared<S> &shared, int32_t step) const
    {
        const pipelined_k *ks =
            shared.k[step / S::CHUNK_STEPS & 1] + step % S::CHUNK_STEPS * S::K_STEP;
        int stage = step % S::STAGES;

        if (job.a_is_wide)
            copy_a_wide(shared, stage, ks);
        else if (job.a_is_m_major)
            copy_a<true>(shared, stage, ks);
        else
            copy_a<false>(shared, stage, ks);
        if (job.b_is_wide)
            copy_b_wide(shared, stage, ks);
        else if (job.b_is_n_major)
            copy_b<true>(shared, stage, ks);
        else
            copy_b<false>(shared, stage, ks);
    }
};

#endif
