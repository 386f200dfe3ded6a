/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the kernel for layers with few channels. M covers the pixels of a tile, N all
 * results, and K all taps and channels. A fragment of A is 16 pixels of a row. Another tap reads
 * the same lines at another offset. */
#ifndef CUDA_TENSORCORE_NARROW_GEMM_H
#define CUDA_TENSORCORE_NARROW_GEMM_H

#include "epilogue.h"
#include "load.h"

template <class S>
__device__ static inline void tc_narrow_mma(float (&sum)[S::FRAGS_M][S::FRAGS_N][4], uint32_t halo,
                                            uint32_t filters)
{
    int32_t lane = (int32_t)threadIdx.x % 32, warp = (int32_t)threadIdx.x / 32;
    uint32_t a_at[S::TAPS][S::STEPS], b_at[S::STEPS];

    /* Rows are a multiple of 8 lines apart, so the swizzle depends only on the column and the
     * chunk. */
#pragma unroll
    for (int32_t c = 0; c < S::STEPS; c++) {
#pragma unroll
        for (int32_t s = 0; s < S::TAPS; s++)
            a_at[s][c] =
                halo + (uint32_t)tc_narrow_chunk_at<S>(
                           warp * S::ROWS * S::HALO_PITCH + lane % 16 + s, c * 2 + lane / 16);
        b_at[c] = filters +
                  (uint32_t)tc_narrow_chunk_at<S>(lane / 16 * 8 + lane % 8, c * 2 + lane / 8 % 2);
    }
#pragma unroll
    for (int32_t t = 0; t < S::TAPS * S::TAPS; t++) {
#pragma unroll
        for (int32_t c = 0; c < S::STEPS; c++) {
            uint32_t a[S::FRAGS_M][4], b[S::FRAGS_N][2];

#pragma unroll
            for (int32_t j = 0; j < S::FRAGS_N; j += 2)
                tc_ldmatrix(b[j], b_at[c] + (uint32_t)((t * S::N + j * 8) * S::LINE_BYTES));
#pragma unroll
            for (int32_t i = 0; i < S::FRAGS_M; i++)
                tc_ldmatrix(a[i], a_at[t % S::TAPS][c] +
                                      (uint32_t)(((i / 2 + t / S::TAPS) * S::HALO_PITCH +
                                                  i % 2 * TC_NARROW_FRAGMENT) *
                                                 S::LINE_BYTES));
            tc_mma_all<typename S::math>(sum, a, b);
        }
    }
}

template <class S>
__device__ static inline void tc_narrow(const tc_narrow_params &job, char *memory)
{
    char *filters = memory + S::FILTERS_AT;

    if (job.filters == TC_NARROW_N_MAJOR)
        tc_narrow_load_n_major<S>(job, filters);
    else
        tc_narrow_load_k_major<S>(job, filters);
    for (int32_t number = (int32_t)blockIdx.x; number < job.tiles; number += (int32_t)gridDim.x) {
        tc_narrow_tile tile = {number / job.tiles_w / job.tiles_h,
                               number / job.tiles_w % job.tiles_h * S::HEIGHT,
                               number % job.tiles_w * TC_NARROW_WIDTH};
        float sum[S::FRAGS_M][S::FRAGS_N][4] = {};

        tc_narrow_load_halo<S>(job, tile.image, tile.p - job.lead_h, tile.q - job.lead_w, memory);
        tc_cp_async_commit();
        tc_cp_async_wait<0>();
        __syncthreads();
        tc_narrow_mma<S>(sum, tc_shared_address(memory), tc_shared_address(filters));
        if (number + (int32_t)gridDim.x >= job.tiles)
            tc_launch_dependent_grids();
        tc_narrow_epilogue<S>(job, tile, sum, memory);
        if (!S::STAYS)
            break;
        __syncthreads();
    }
}

template <class S>
__global__ void __launch_bounds__(S::THREADS, S::OCCUPANCY)
    tc_narrow_kernel(const __grid_constant__ tc_narrow_params job)
{
    TC_CODE_FROM(80)
    {
        TC_SHARED(memory);
        tc_wait_on_dependent_grids();
        tc_narrow<S>(job, (char *)memory);
    }
}

#endif
