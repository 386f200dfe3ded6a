/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes implicit GEMM of float: C[M][N] = A[M][K] B[K][N]. The tiles are MN-major and pass
 * through a ring in shared memory, filled by cp.async.
 */
#ifndef CUDA_SIMT_CONV_PIPELINED_GEMM_H
#define CUDA_SIMT_CONV_PIPELINED_GEMM_H

#include "pipelined_load.h"

/* The sums of a thread, in blocks of 4 x 4. Lanes are paired along M, so that each half of a warp
 * reads 8 adjacent vectors of B and two of A. */
template <class S> struct sums {
    enum { TM = S::THREAD_M, TN = S::THREAD_N, APART_M = 16, APART_N = 32 };
    float sum[TM][TN];
    int m, n; /* of the first sum */

    __device__ sums()
    {
        int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;

        m = warp / S::WARPS_N * S::WARP_M + ((lane & 1) | lane >> 4 << 1) * 4;
        n = warp % S::WARPS_N * S::WARP_N + (lane >> 1 & 7) * 4;
#pragma unroll
        for (int i = 0; i < TM; i++) {
#pragma unroll
            for (int j = 0; j < TN; j++)
                sum[i][j] = 0;
        }
    }

    __device__ void load(float (&a)[TM], float (&b)[TN], const pipelined_shared<S> &shared,
                         int stage, int k) const
    {
#pragma unroll
        for (int i = 0; i < TM; i += 4)
            *(float4 *)&a[i] = *(const float4 *)&shared.a[stage][k][m + i / 4 * APART_M];
#pragma unroll
        for (int j = 0; j < TN; j += 4)
            *(float4 *)&b[j] = *(const float4 *)&shared.b[stage][k][n + j / 4 * APART_N];
    }

    __device__ void multiply(const pipelined_shared<S> &shared, int stage)
    {
        alignas(16) float a[2][TM], b[2][TN];

        load(a[0], b[0], shared, stage, 0);
#pragma unroll
        for (int k = 0; k < S::K_STEP; k++) {
            if (k + 1 < S::K_STEP)
                load(a[(k + 1) & 1], b[(k + 1) & 1], shared, stage, k + 1);
#pragma unroll
            for (int i = 0; i < TM; i++) {
#pragma unroll
                for (int turn = 0; turn < TN; turn++) {
                    int j = i & 1 ? TN - 1 - turn : turn;

                    sum[i][j] = fmaf(a[k & 1][i], b[k & 1][j], sum[i][j]);
                }
            }
        }
    }

    /* Multiplies the sums by 1, a value that the compiler does not know. A store of 16 bytes
     * requires adjacent registers, and so do the loads of A and B. Sums in adjacent registers would
     * conflict with A and B in register banks. The multiplication thus moves the sums to other
     * registers before the store. */
    __device__ void settle(float one)
    {
#pragma unroll
        for (int i = 0; i < TM; i++) {
#pragma unroll
            for (int j = 0; j < TN; j++)
                sum[i][j] *= one;
        }
    }

    __device__ int m_of(int i) const
    {
        return m + i / 4 * APART_M + i % 4;
    }

    __device__ int n_of(int j) const
    {
        return n + j / 4 * APART_N + j % 4;
    }
};

/* ------------------------------------------------------------------ results */

/* Writes the offsets of the block's m to shared memory: those in C or in the partial sums, and
 * those in z. */
template <class S>
__device__ static inline void fill_c(const pipelined_job &job, const pipelined_block &block,
                                     pipelined_shared<S> &shared)
{
    for (int r = (int)threadIdx.x; r < S::TILE_M; r += S::THREADS) {
        int32_t index = block.m_tile * S::TILE_M + r, a, at;

        shared.c[r] = -1;
        if (index >= block.m)
            continue;
        if (job.partial) {
            shared.c[r] = conv_partial_at(job, block.split, block.unit, index, 0);
            continue;
        }
        if (conv_job_is_wgrad(job))
            tap_at(job, shared.view, index, &a, &at);
        else
            position_at(job.conv, shared.view, index, &a, &at);
        shared.c[r] = at + block.group * conv_n_group(job);
        if (job.output.z)
            shared.z[r] = conv_view_position(job.conv, shared.view, index, true);
    }
}

/* Stores the sums from registers, 16 bytes at a time. */
template <class S>
__device__ static inline void store_wide(const pipelined_job &job, const pipelined_block &block,
                                         const pipelined_shared<S> &shared, const sums<S> &sums)
{
    float *to =
        (job.partial ? (float *)job.partial : (float *)job.output.data) + block.n_tile * S::TILE_N;

#pragma unroll
    for (int i = 0; i < S::THREAD_M; i++) {
        int64_t at = shared.c[sums.m_of(i)];

#pragma unroll
        for (int j = 0; j < S::THREAD_N; j += 4) {
            if (at >= 0 && sums.n_of(j) < block.n)
                *(float4 *)&to[at + sums.n_of(j)] = {sums.sum[i][j], sums.sum[i][j + 1],
                                                     sums.sum[i][j + 2], sums.sum[i][j + 3]};
        }
    }
}

/* Stores the sums one by one through shared memory, so that adjacent threads store adjacent
 * results. */
template <class S>
__device__ static inline void store(const pipelined_job &job, const pipelined_block &block,
                                    pipelined_shared<S> &shared, const sums<S> &sums)
{
    int64_t n_step = job.partial ? 1 : conv_n_step(job);
    bool by_m = job.c_is_m_major && !job.partial;

#pragma unroll
    for (int j = 0; j < S::THREAD_N; j += 4) {
        for (int w = 0; w < S::WARPS_N; w++) {
            int first = w * S::WARP_N + j / 4 * 32;

            __syncthreads();
            if (sums.n / S::WARP_N == w) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
#pragma unroll
                    for (int i = 0; i < S::THREAD_M; i++)
                        shared.out[sums.n_of(j + e) - first][sums.m_of(i)] = sums.sum[i][j + e];
                }
            }
            __syncthreads();
            for (int e = (int)threadIdx.x; e < S::PIECE * S::TILE_M; e += S::THREADS) {
                int r = by_m ? e % S::TILE_M : e / S::PIECE;
                int c = by_m ? e / S::TILE_M : e % S::PIECE;
                int32_t n = block.n_tile * S::TILE_N + first + c;
                int64_t number = block.group * job.conv.n + n, at = shared.c[r];

                if (at < 0 || first + c >= block.n)
                    continue;
                if (job.partial)
                    ((float *)job.partial)[at + n] = shared.out[c][r];
                else
                    conv_store<float>(job.output, at + n * n_step,
                                      shared.z[r] + number * job.conv.z.step, number,
                                      shared.out[c][r]);
            }
        }
    }
}

/* ------------------------------------------------------------------ the kernel */

template <class S, bool LINEAR>
__global__ void __launch_bounds__((int)S::THREADS, (int)S::BLOCKS)
    pipelined_kernel(const pipelined_job job)
{
    enum { STEPS = LINEAR ? (int)CHUNK : (int)S::CHUNK_STEPS };
    __shared__ pipelined_shared<S> shared;
    pipelined_block block = block_at<S>(job, (int32_t)blockIdx.x);
    bool is_wgrad = conv_job_is_wgrad(job);
    int warp = (int)threadIdx.x / 32;
    int32_t last;
    copier<S, LINEAR> copier;

    if (threadIdx.x == 0)
        conv_view_make(&shared.view, job.conv, block.unit % (int32_t)job.conv.classes);
    __syncthreads();
    fill_divisors(job.conv, shared.view);
    __syncthreads();
    block.m = is_wgrad ? shared.view.taps : shared.view.positions;
    block.k = is_wgrad ? shared.view.positions : shared.view.taps;
    if (block.m_tile * S::TILE_M >= block.m)
        return;
    block.begin = block.split * job.k_per_split;
    last = conv_least((block.k + S::K_STEP - 1) / S::K_STEP, block.begin + job.k_per_split);
    block.count = last > block.begin ? last - block.begin : 0;
    copier.a = (const float *)job.a + block.group * job.conv.channels * job.conv.a.step;
    copier.n_step = (int32_t)(is_wgrad ? job.conv.position.step : job.conv.tap_n);
    copier.n_left = block.n;
    copier.k_a = job.k_a;
    copier.k_b = job.k_b;
    copier.b = (const float *)job.b +
               (is_wgrad ? block.group * job.conv.n * job.conv.position.step
                         : block.group * job.conv.tap_group) +
               (int64_t)block.n_tile * S::TILE_N * copier.n_step;

    fill_m<S>(job, block, shared);
    if (warp == 0)
        fill_k<S, LINEAR>(job, block, shared, 0);
    __syncthreads();
#pragma unroll 1
    for (int32_t step = 0; step < S::STAGES - 1; step++) {
        if (step < block.count)
            copier.copy(job, shared, step);
        commit();
    }
    {
        sums<S> sums;

#pragma unroll 1
        for (int32_t step = 0; step < block.count; step++) {
            int32_t chunk = step / STEPS + 1;

            wait<S::STAGES - 2>();
            __syncthreads();
            if (step + S::STAGES - 1 < block.count)
                copier.copy(job, shared, step + S::STAGES - 1);
            commit();
            if (step % STEPS == 0 && warp == chunk % (S::THREADS / 32))
                fill_k<S, LINEAR>(job, block, shared, chunk);
            sums.multiply(shared, step % S::STAGES);
        }
        wait<0>();
        sums.settle(job.one);
        fill_c<S>(job, block, shared);
        __syncthreads();
        if (job.c_is_wide)
            store_wide<S>(job, block, shared, sums);
        else
            store<S>(job, block, shared, sums);
    }
}

#endif
