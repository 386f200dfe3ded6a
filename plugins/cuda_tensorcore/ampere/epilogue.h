/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the epilogue of fprop and dgrad in the family ampere. Results that are only rounded
 * and go to packed channels leave through shared memory by 16 bytes. All other results go
 * through shared memory as floats, one row of warps at a time. They are scaled, blended, biased,
 * activated and rounded once (conv_output.h). */
#ifndef CUDA_TENSORCORE_AMPERE_EPILOGUE_H
#define CUDA_TENSORCORE_AMPERE_EPILOGUE_H

#include "../common/epilogue.h"
#include "epilogue_nchw.h"
#include "split_k.h"

/* Stores two neighbors along N, rounded to the result type. */
template <class E>
__device__ static inline void tc_ampere_put_pair(char *to, float first, float second)
{
    if constexpr (sizeof(E) == sizeof(float))
        *(float2 *)to = {first, second};
    else
        *(uint32_t *)to = tc_round_pair(E(), first, second);
}

template <class S>
__device__ static inline void
tc_ampere_store_packed(const tc_ampere_params &job, const tc_ampere_block &block,
                       const tc_ampere_position *positions,
                       const float (&sum)[S::FRAGS_M][S::FRAGS_N][4], char *memory)
{
    typedef typename S::element element;
    enum { LINE = S::RESULT_LINE, CHUNKS = S::TILE_N / S::EACH };
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int m = warp / S::WARPS_N * S::WARP_M + lane / 4;
    int n = warp % S::WARPS_N * S::WARP_N + lane % 4 * 2;
    int chunk = (int)threadIdx.x % CHUNKS * S::EACH;
    element *out = (element *)job.output.data + block.group * job.conv.n + block.first_n + chunk;

    __syncthreads();
#pragma unroll
    for (int i = 0; i < S::FRAGS_M; i++) {
#pragma unroll
        for (int j = 0; j < S::FRAGS_N; j++) {
            char *to = memory + (m + i * 16) * LINE + (n + j * 8) * (int)sizeof(element);

            tc_ampere_put_pair<element>(to, sum[i][j][0], sum[i][j][1]);
            tc_ampere_put_pair<element>(to + 8 * LINE, sum[i][j][2], sum[i][j][3]);
        }
    }
    __syncthreads();
    if (block.first_n + chunk >= (int32_t)job.conv.n)
        return;
#pragma unroll 4
    for (int r = (int)threadIdx.x / CHUNKS; r < S::TILE_M; r += S::THREADS / CHUNKS) {
        if (positions[r].c >= 0)
            *(uint4 *)(out + positions[r].c) =
                *(const uint4 *)(memory + r * LINE + chunk * (int)sizeof(element));
    }
}

/* Stores the results of a row of warps, whose m begin at `first` of the tile. The sums are
 * floats in shared memory. */
template <class S>
__device__ static inline void
tc_ampere_store_blended(const tc_ampere_params &job, const tc_ampere_view &view,
                        const tc_ampere_block &block, const tc_ampere_position *positions,
                        const float *sums, int first)
{
    typedef typename S::element element;
    const auto &conv = job.conv;
    bool m_major = job.c_is_m_major;

    for (int e = (int)threadIdx.x; e < S::WARP_M * S::TILE_N; e += S::THREADS) {
        int r = m_major ? e % S::WARP_M : e / S::TILE_N;
        int c = m_major ? e / S::WARP_M : e % S::TILE_N;
        int32_t m = block.first_m + first + r, n = block.first_n + c;
        int64_t number = block.group * conv.n + n, z = 0;
        float sum = sums[r * S::SUM_LINE + c];

        if (positions[first + r].c < 0 || n >= (int32_t)conv.n)
            continue;
        if (job.output.z)
            z = conv_view_position(conv, view.view, m, true) + number * conv.z.step;
        conv_store<element>(job.output, positions[first + r].c + number * conv.position.step, z,
                            number, sum);
    }
}

template <class S>
__device__ static inline void
tc_ampere_epilogue(const tc_ampere_params &job, const tc_ampere_view &view,
                   const tc_ampere_block &block, const tc_ampere_position *positions,
                   const float (&sum)[S::FRAGS_M][S::FRAGS_N][4], char *memory)
{
    int warp = (int)threadIdx.x / 32, n = warp % S::WARPS_N * S::WARP_N;

    if (job.partial) {
        tc_ampere_store_partials<S>(job, view, block, sum);
        return;
    }
    if (job.stores_by_16) {
        tc_ampere_store_packed<S>(job, block, positions, sum, memory);
        return;
    }
    if (tc_ampere_stores_nchw(job)) {
        tc_ampere_store_nchw<S>(job, view, block, positions, sum, memory);
        return;
    }
#pragma unroll 1
    for (int line = 0; line < S::WARPS_M; line++) {
        __syncthreads();
        if (warp / S::WARPS_N == line)
            tc_put_accumulators<S>((float *)memory, sum, n);
        __syncthreads();
        tc_ampere_store_blended<S>(job, view, block, positions, (const float *)memory,
                                   line * S::WARP_M);
    }
}

#endif
