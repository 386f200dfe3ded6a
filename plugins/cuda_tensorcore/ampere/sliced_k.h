/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of warps that share results, in the family taps: each leaves the others what is theirs,
 * and adds up its own in order. */
#ifndef CUDA_TENSORCORE_AMPERE_SLICED_K_H
#define CUDA_TENSORCORE_AMPERE_SLICED_K_H

#include "shape.h"

/* A warp's place among those of a tile, and its number among those that share its results. */
template <class S> struct tc_taps_warp {
    int down, right, sharer;

    __device__ tc_taps_warp()
    {
        int warp = (int)threadIdx.x / 32, line = warp / S::WARPS_RIGHT;

        down = line / S::SHARERS;
        sharer = line % S::SHARERS;
        right = warp % S::WARPS_RIGHT;
    }
};

template <class S>
__device__ static inline void tc_taps_join(float (&own)[S::DOWN / S::SHARERS][S::RIGHT][4],
                                           const float (&sum)[S::DOWN][S::RIGHT][4], char *memory)
{
    enum { OTHERS = S::SHARERS - 1, OWN = S::DOWN / S::SHARERS, EACH = OWN * S::RIGHT * 32 };
    tc_taps_warp<S> warp;
    /* Parts lie in [place][owner][other][fragment][lane]. */
    float4 *parts = (float4 *)memory + (int)threadIdx.x % 32 +
                    (warp.down * S::WARPS_RIGHT + warp.right) * S::SHARERS * OTHERS * EACH;

    __syncthreads();
#pragma unroll
    for (int owner = 0; owner < S::SHARERS; owner++) {
        float4 *to = parts + (owner * OTHERS + warp.sharer - (warp.sharer > owner)) * EACH;

        if (owner == warp.sharer) {
#pragma unroll
            for (int n = 0; n < OWN * S::RIGHT * 4; n++)
                own[n / (S::RIGHT * 4)][n / 4 % S::RIGHT][n % 4] =
                    sum[owner * OWN + n / (S::RIGHT * 4)][n / 4 % S::RIGHT][n % 4];
            continue;
        }
#pragma unroll
        for (int f = 0; f < OWN * S::RIGHT; f++) {
            const float(&from)[4] = sum[owner * OWN + f / S::RIGHT][f % S::RIGHT];

            to[f * 32] = {from[0], from[1], from[2], from[3]};
        }
    }
    __syncthreads();
#pragma unroll
    for (int other = 0; other < OTHERS; other++) {
#pragma unroll
        for (int f = 0; f < OWN * S::RIGHT; f++) {
            float4 part = parts[((warp.sharer * OTHERS + other) * OWN * S::RIGHT + f) * 32];
            float(&to)[4] = own[f / S::RIGHT][f % S::RIGHT];

            to[0] += part.x;
            to[1] += part.y;
            to[2] += part.z;
            to[3] += part.w;
        }
    }
}

#endif
