/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes convolutions as tiled matrix products in float (implicit GEMM): C[m][n] is the sum over
 * k of A[m][k] * B[k][n]. A is gathered from x (from dy in dgrad) while it is loaded. B is w, or dy
 * in wgrad. M counts positions and K counts taps of channels; in wgrad it is the reverse. N counts
 * channels. A block computes an M x N tile of one group, class and split. The tiles of K pass
 * through two stages of shared memory: while one is multiplied, the next is loaded, A first.
 *
 * An offset is the sum of a part for m and a part for k. Each part is computed once and kept in
 * shared memory. The parts for m are computed at the beginning. One warp computes those of a tile
 * of K while the other warps multiply.
 */
#ifndef CUDA_SIMT_CONV_IMPLICIT_GEMM_H
#define CUDA_SIMT_CONV_IMPLICIT_GEMM_H

#include "implicit_gemm_load.h"

/* The sums of a thread, in blocks of 4 x 4 (or 4 x 2). The thread thus reads its operands as
 * vectors, and the 4 x 8 threads of a warp read adjacent vectors. */
template <int TM, int TN> struct conv_tile_sums {
    typedef conv_tile_shared<TM, TN> shared_t;
    enum { WIDTH = TN < 4 ? TN : 4 };
    float sum[TM][TN];
    int m, n; /* of the first sum */

    __device__ conv_tile_sums()
    {
        int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;

        m = warp / 2 * 16 + lane / 8 * 4;
        n = warp % 2 * 8 * WIDTH + lane % 8 * WIDTH;
#pragma unroll
        for (int i = 0; i < TM; i++) {
#pragma unroll
            for (int j = 0; j < TN; j++)
                sum[i][j] = 0;
        }
    }

    /* Multiplies half a tile of K, from `first` on. */
    __device__ void multiply(const shared_t &shared, int buffer, int first)
    {
#pragma unroll
        for (int k = first; k < first + CONV_TILE_K / 2; k++) {
            float a[TM], b[TN];

#pragma unroll
            for (int i = 0; i < TM; i += 4)
                *(float4 *)&a[i] = *(const float4 *)&shared.a[buffer][k][m + i * 16];
#pragma unroll
            for (int j = 0; j < TN; j += WIDTH) {
                const float *from = &shared.b[buffer][k][n + j * 16];

                if (WIDTH == 4)
                    *(float4 *)&b[j] = *(const float4 *)from;
                else
                    *(float2 *)&b[j] = *(const float2 *)from;
            }
#pragma unroll
            for (int i = 0; i < TM; i++) {
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
            }
        }
    }

    /* Writes the sums with M from 64 * piece to 64 * piece + 63 to shared memory. */
    __device__ void put(shared_t &shared, int piece) const
    {
#pragma unroll
        for (int i = 0; i < TM; i++) {
            if (i / 4 != piece)
                continue;
#pragma unroll
            for (int j = 0; j < TN; j++)
                shared.out[m + i % 4][n + j / WIDTH * 16 * WIDTH + j % WIDTH] = sum[i][j];
        }
    }
};

/* Stores a piece of a tile from shared memory in C or in the partial sums. */
template <class T, int TM, int TN>
__device__ static inline void conv_tile_store(const conv_job &job,
                                              const conv_tile_shared<TM, TN> &shared, int piece)
{
    enum { PIECE = conv_tile_shared<TM, TN>::PIECE, N = conv_tile_shared<TM, TN>::N };
    const conv_tile_block &block = shared.block;
    int32_t first_m = block.m_tile * conv_tile_shared<TM, TN>::M;
    int32_t all_n = (int32_t)job.conv.n;

    for (int e = (int)threadIdx.x; e < PIECE * N; e += CUDA_THREADS) {
        int r = job.c_is_m_major ? e % PIECE : e / N;
        int c = job.c_is_m_major ? e / PIECE : e % N;
        int32_t m = piece * PIECE + r, n = block.n_tile * N + c;
        int64_t number = block.group * (int64_t)all_n + n;

        if (first_m + m >= block.m || n >= all_n)
            continue;
        if (job.partial)
            ((float *)job.partial)[conv_partial_at(job, block.split, block.unit, first_m + m, n)] =
                shared.out[r][c];
        else
            conv_store<T>(
                job.output,
                shared.m_coords[m].bc + block.group * conv_n_group(job) + n * conv_n_step(job),
                shared.m_coords[m].a + number * job.conv.z.step, number, shared.out[r][c]);
    }
}

template <class T, int TM, int TN>
__global__ void __launch_bounds__(CUDA_THREADS, 2) conv_tile_kernel(const conv_job job)
{
    typedef conv_tile_shared<TM, TN> shared_t;
    enum { M = shared_t::M, N = shared_t::N };
    __shared__ shared_t shared;
    const conv_tile_block &block = shared.block;
    bool is_wgrad = conv_job_is_wgrad(job);
    int thread = (int)threadIdx.x, warp = thread / 32, lane = thread % 32;
    int32_t begin, end;

    if (thread == 0)
        conv_tile_at(&shared.block, job, (int32_t)blockIdx.x, N);
    __syncthreads();
    if (block.m_tile * M >= block.m)
        return;
    begin = block.begin;
    end = block.end;

    /* Threads beyond the last m load the elements of the last m, or none. Their sums are not
     * stored. */
    if (thread < M) {
        int32_t m = block.m_tile * M + thread;

        conv_coords_any(&shared.m_coords[thread], job, block.view, conv_least(m, block.m - 1),
                        is_wgrad);
        if (m >= block.m)
            shared.m_coords[thread].at[0] = CONV_OUTSIDE;
    }
    auto locate = [&](int32_t k) {
        int32_t index = k * CONV_TILE_K + lane;

        if (k >= end || warp != k % (CUDA_THREADS / 32) || lane >= CONV_TILE_K)
            return;
        if (index < block.k)
            conv_coords_any(&shared.k_coords[k & 1][lane], job, block.view, index, !is_wgrad);
        else
            shared.k_coords[k & 1][lane] = {{CONV_OUTSIDE, 0, 0}, 0, 0, 0};
    };
    conv_tile_a<T, TM, TN> a;
    conv_tile_b<T, TM, TN> b;
    conv_tile_sums<TM, TN> sums;

    locate(begin);
    __syncthreads();
    if (begin < end) {
        a.fetch(job, shared, begin);
        a.put(job, shared, begin & 1);
        b.fetch(job, shared, begin);
        b.put(job, shared, begin & 1);
    }
    locate(begin + 1);
    __syncthreads();
    for (int32_t k = begin; k < end; k++) {
        bool more = k + 1 < end;

        locate(k + 2);
        if (more)
            a.fetch(job, shared, k + 1);
        sums.multiply(shared, k & 1, 0);
        if (more) {
            a.put(job, shared, (k + 1) & 1);
            b.fetch(job, shared, k + 1);
        }
        sums.multiply(shared, k & 1, CONV_TILE_K / 2);
        if (more)
            b.put(job, shared, (k + 1) & 1);
        __syncthreads();
    }

    if (job.output.z && thread < M)
        shared.m_coords[thread].a = conv_view_position(
            job.conv, block.view, conv_least(block.m_tile * M + thread, block.m - 1), true);
#pragma unroll
    for (int piece = 0; piece < M / shared_t::PIECE; piece++) {
        sums.put(shared, piece);
        __syncthreads();
        conv_tile_store<T, TM, TN>(job, shared, piece);
        __syncthreads();
    }
}

/* ------------------------------------------------------------------ on the host */

template <class T>
static int32_t conv_tile_launch(const cuda_call *call, int32_t tile, const conv_job &job)
{
    static void (*const kernels[CONV_TILES])(conv_job) = {
        conv_tile_kernel<T, 8, 8>, conv_tile_kernel<T, 8, 4>, conv_tile_kernel<T, 8, 2>,
        conv_tile_kernel<T, 4, 4>};

    return cuda_launch(call, kernels[tile],
                       (int64_t)job.m_tiles * job.n_tiles * job.splits * job.conv.groups *
                           job.conv.classes,
                       1, job);
}

#endif
