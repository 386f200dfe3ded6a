/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the epilogue of the family mma; other families use parts of it. Accumulators go
 * from fragments through shared memory, so that adjacent threads store adjacent results. They
 * are scaled, blended, biased, activated and rounded once (conv_output.h). In split-K, they are
 * stored unchanged as partial sums. */
#ifndef CUDA_TENSORCORE_COMMON_EPILOGUE_H
#define CUDA_TENSORCORE_COMMON_EPILOGUE_H

#include "shape.h"

/* Writes a warp's accumulators to shared memory, from column n of the tile on. */
template <class S, class SUM, int FRAGS_M, int FRAGS_N>
__device__ static inline void tc_put_accumulators(SUM *out, const SUM (&sum)[FRAGS_M][FRAGS_N][4],
                                                  int n)
{
    struct alignas(2 * sizeof(SUM)) pair {
        SUM first, second;
    };

    int lane = (int)threadIdx.x % 32;

#pragma unroll
    for (int i = 0; i < FRAGS_M; i++) {
#pragma unroll
        for (int j = 0; j < FRAGS_N; j++) {
            SUM *to = out + (i * 16 + lane / 4) * S::SUM_LINE + n + j * 8 + lane % 4 * 2;

            *(pair *)to = {sum[i][j][0], sum[i][j][1]};
            *(pair *)(to + 8 * S::SUM_LINE) = {sum[i][j][2], sum[i][j][3]};
        }
    }
}

/* Stores the results of the warps whose rows begin at first_m of the tile, from shared memory to
 * their destination. */
template <class S>
__device__ static inline void tc_epilogue(const tc_job &job, const tc_block &block,
                                          const conv_coords *m_coords,
                                          const typename S::math::sum *out, int first_m)
{
    enum { TILE_M = S::WARP_M, TILE_N = S::TILE_N };
    typedef typename S::element element;
    int64_t group = block.group * conv_n_group(job), step = conv_n_step(job);
    int32_t left = block.n;

    for (int e = (int)threadIdx.x; e < TILE_M * TILE_N; e += S::THREADS) {
        int r = job.c_is_m_major ? e % TILE_M : e / TILE_N;
        int c = job.c_is_m_major ? e / TILE_M : e % TILE_N;
        int32_t m = block.first_m + first_m + r, n = block.n_tile * TILE_N + c;
        const conv_coords &coords = m_coords[first_m + r];
        typename S::math::sum sum = out[r * S::SUM_LINE + c];
        int64_t number = block.group * job.conv.n + n;

        if (m >= block.m || c >= left)
            continue;
        if constexpr (tc_is_integer<typename S::math>())
            conv_store_any(job.output, coords.bc + conv_channel(job.conv.position, number),
                           coords.a + conv_channel(job.conv.z, number), number, (double)sum);
        else if (job.partial)
            ((float *)job.partial)[conv_partial_at(job, block.split, block.unit, m, n)] = sum;
        else
            conv_store<element>(job.output, coords.bc + group + n * step,
                                coords.a + number * job.conv.z.step, number, sum);
    }
}

#endif
