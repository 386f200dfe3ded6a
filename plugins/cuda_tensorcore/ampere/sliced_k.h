/* SPDX-License-Identifier: Apache-2.0 */
/* Implements sliced-K: adds the accumulators of warps that share a warp tile and processed
 * different slices of K. Each warp writes the other warps' parts to shared memory, and adds its
 * own part in order. */
#ifndef CUDA_TENSORCORE_AMPERE_SLICED_K_H
#define CUDA_TENSORCORE_AMPERE_SLICED_K_H

#include "shape.h"

/* A warp's tile along M and N, and its slice of K among the warps that share its results. */
template <class S> struct tc_ampere_warp {
    int m, n, k_slice;

    __device__ tc_ampere_warp()
    {
        int warp = (int)threadIdx.x / 32, line = warp / S::WARPS_N;

        m = line / S::K_SLICES;
        k_slice = line % S::K_SLICES;
        n = warp % S::WARPS_N;
    }
};

template <class S>
__device__ static inline void
tc_ampere_reduce_slices(float (&own)[S::FRAGS_M / S::K_SLICES][S::FRAGS_N][4],
                        const float (&sum)[S::FRAGS_M][S::FRAGS_N][4], char *memory)
{
    enum {
        OTHER_SLICES = S::K_SLICES - 1,
        OWN = S::FRAGS_M / S::K_SLICES,
        SLICE_SIZE = OWN * S::FRAGS_N * 32
    };
    tc_ampere_warp<S> warp;
    /* Partial sums are stored as [warp tile][owner][other slice][fragment][lane]. */
    float4 *partials = (float4 *)memory + (int)threadIdx.x % 32 +
                       (warp.m * S::WARPS_N + warp.n) * S::K_SLICES * OTHER_SLICES * SLICE_SIZE;

    __syncthreads();
#pragma unroll
    for (int owner = 0; owner < S::K_SLICES; owner++) {
        float4 *to =
            partials + (owner * OTHER_SLICES + warp.k_slice - (warp.k_slice > owner)) * SLICE_SIZE;

        if (owner == warp.k_slice) {
#pragma unroll
            for (int n = 0; n < OWN * S::FRAGS_N * 4; n++)
                own[n / (S::FRAGS_N * 4)][n / 4 % S::FRAGS_N][n % 4] =
                    sum[owner * OWN + n / (S::FRAGS_N * 4)][n / 4 % S::FRAGS_N][n % 4];
            continue;
        }
#pragma unroll
        for (int f = 0; f < OWN * S::FRAGS_N; f++) {
            const float(&from)[4] = sum[owner * OWN + f / S::FRAGS_N][f % S::FRAGS_N];

            to[f * 32] = {from[0], from[1], from[2], from[3]};
        }
    }
    __syncthreads();
#pragma unroll
    for (int slice = 0; slice < OTHER_SLICES; slice++) {
#pragma unroll
        for (int f = 0; f < OWN * S::FRAGS_N; f++) {
            float4 partial =
                partials[((warp.k_slice * OTHER_SLICES + slice) * OWN * S::FRAGS_N + f) * 32];
            float(&to)[4] = own[f / S::FRAGS_N][f % S::FRAGS_N];

            to[0] += partial.x;
            to[1] += partial.y;
            to[2] += partial.z;
            to[3] += partial.w;
        }
    }
}

#endif
