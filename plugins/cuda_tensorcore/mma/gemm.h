/* SPDX-License-Identifier: Apache-2.0 */
/* Implements implicit GEMM by mma.sync for any layout: C[m][n] is the sum over k of A[m][k] *
 * B[k][n]. In fprop and dgrad, m is a position and k a tap of a channel; in wgrad it is the
 * reverse (conv_view.h). A block computes one tile of C, for one group, class and split of K.
 * Tiles along K pass through a pipeline of STAGES stages in shared memory. While one tile is
 * multiplied, the others are loaded. One warp computes the coordinates of a tile's k one
 * iteration before the tile's load begins. */
#ifndef CUDA_TENSORCORE_MMA_GEMM_H
#define CUDA_TENSORCORE_MMA_GEMM_H

#include "../common/epilogue.h"
#include "../common/launch.h"
#include "../common/table.h"
#include "load.h"

/* Returns coordinates outside every tensor, whatever coordinates are added to them. */
__device__ static inline conv_coords tc_outside()
{
    conv_coords coords = {};

    coords.at[0] = CONV_OUTSIDE;
    return coords;
}

/* Computes the coordinates of the tile's rows. Rows beyond the last m read zeros and are not
 * stored. */
template <class S>
__device__ static inline void tc_coords_of_m(const tc_job &job, const tc_block &block,
                                             conv_coords *m_coords)
{
    for (int r = (int)threadIdx.x; r < S::TILE_M; r += S::THREADS) {
        int32_t m = block.first_m + r;

        if (m < block.m)
            conv_coords_any(&m_coords[r], job, block.view, m, conv_job_is_wgrad(job));
        else
            m_coords[r] = tc_outside();
    }
}

/* Computes the coordinates of the k of tile t. One warp runs it. */
template <class S>
__device__ static inline void tc_coords_of_k(const tc_job &job, const tc_block &block,
                                             conv_coords *k_coords, int32_t t)
{
    for (int p = (int)threadIdx.x % 32; p < S::K_COORDS; p += 32) {
        int32_t index = t * S::TILE_K + p * S::UNIT;
        conv_coords *to = k_coords + t % S::STAGES * S::K_COORDS + p;

        if (index < block.k)
            conv_coords_any(to, job, block.view, index, !conv_job_is_wgrad(job));
        else
            *to = tc_outside();
    }
}

/* Adds the product of a tile of A and a tile of B to a warp's sums. */
template <class S, int FRAGS_M, int FRAGS_N>
__device__ static inline void tc_mma_tile(typename S::math::sum (&sum)[FRAGS_M][FRAGS_N][4],
                                          const char *a_loader, const char *b_loader, int m, int n)
{
    typedef typename S::a_tile a_tile;
    typedef typename S::b_tile b_tile;

#pragma unroll
    for (int k = 0; k < S::TILE_K; k += a_tile::STEP) {
        uint32_t a[FRAGS_M][4], b[FRAGS_N][2];

#pragma unroll
        for (int i = 0; i < FRAGS_M; i++)
            a_tile::load_a(a[i], a_loader, m + i * 16, k);
#pragma unroll
        for (int j = 0; j < FRAGS_N; j += 2)
            b_tile::load_b(b[j], b_loader, n + j * 8, k);
        tc_mma_all<typename S::math>(sum, a, b);
    }
}

template <class S> __device__ static inline void tc_gemm_block(const tc_job &job, char *memory)
{
    enum { FRAGS_M = S::WARP_M / 16, FRAGS_N = S::WARP_N / 8, STAGES = S::STAGES };
    conv_coords *m_coords = (conv_coords *)(memory + S::M_COORDS_AT);
    conv_coords *k_coords = (conv_coords *)(memory + S::K_COORDS_AT);
    tc_block &block = *(tc_block *)(memory + S::BLOCK_AT);
    int warp = (int)threadIdx.x / 32;
    int m = warp / S::WARPS_N * S::WARP_M, n = warp % S::WARPS_N * S::WARP_N;
    tc_loader_a<typename S::a_tile, S, S::A_MAJOR, S::LOAD> a_loader;
    tc_loader_b<typename S::b_tile, S, S::B_MAJOR, S::LOAD> b_loader;
    typename S::math::sum sum[FRAGS_M][FRAGS_N][4] = {};

    if (threadIdx.x == 0)
        tc_block_at(&block, job, (int32_t)blockIdx.x, S::TILE_M, S::TILE_N, S::TILE_K);
    __syncthreads();
    if (block.first_m >= block.m)
        return;
    int32_t begin = block.begin, end = block.end;

    auto stage = [&](int32_t t) { return memory + t % STAGES * S::STAGE_BYTES; };
    auto fetch = [&](int32_t t) {
        tc_coords coords = {&block, m_coords, k_coords + t % STAGES * S::K_COORDS};

        if (t < end) {
            a_loader.fetch(job, coords, stage(t));
            b_loader.fetch(job, coords, t * S::TILE_K, stage(t) + S::a_tile::BYTES);
        }
        tc_cp_async_commit();
    };
    auto put = [&](int32_t t) {
        if (t < end) {
            a_loader.put(job, stage(t));
            b_loader.put(job, stage(t) + S::a_tile::BYTES);
        }
    };

    tc_coords_of_m<S>(job, block, m_coords);
    for (int32_t t = begin + warp; t < begin + STAGES; t += S::WARPS)
        tc_coords_of_k<S>(job, block, k_coords, t);
    __syncthreads();
    for (int32_t t = begin; t < begin + STAGES - 1; t++) {
        fetch(t);
        put(t);
    }
    for (int32_t t = begin; t < end; t++) {
        tc_cp_async_wait<STAGES - 2>();
        __syncthreads();
        fetch(t + STAGES - 1);
        tc_mma_tile<S>(sum, stage(t), stage(t) + S::a_tile::BYTES, m, n);
        put(t + STAGES - 1);
        if (warp == t % S::WARPS)
            tc_coords_of_k<S>(job, block, k_coords, t + STAGES);
    }
    tc_cp_async_wait<0>();

    if (job.output.z) {
        for (int r = (int)threadIdx.x; r < S::TILE_M; r += S::THREADS)
            m_coords[r].a = conv_view_position(job.conv, block.view,
                                               conv_least(block.first_m + r, block.m - 1), true);
    }
#pragma unroll
    for (int piece = 0; piece < S::WARPS_M; piece++) {
        __syncthreads();
        if (m == piece * S::WARP_M)
            tc_put_accumulators<S>((typename S::math::sum *)memory, sum, n);
        __syncthreads();
        tc_epilogue<S>(job, block, m_coords, (const typename S::math::sum *)memory,
                       piece * S::WARP_M);
    }
}

template <class S>
__global__ void __launch_bounds__((int)S::THREADS, (int)S::OCCUPANCY)
    tc_gemm_kernel(const tc_job job)
{
    TC_CODE_FROM(S::math::CAPABILITY)
    {
        TC_SHARED(memory);
        tc_wait_on_dependent_grids();
        tc_gemm_block<S>(job, (char *)memory);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class S> static void tc_gemm_step(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];

    tc_step_make(step, tc_gemm_kernel<S>, asked, S::THREADS, S::SHARED_BYTES, tc_blocks(*job),
                 *job);
}

#endif
