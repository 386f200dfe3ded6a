/* SPDX-License-Identifier: Apache-2.0 */
/* Implements groups of 4 channels, fprop and dgrad. A lane reads the 4 channels that a group has
 * in a pixel for one tap, 8 bytes. They are k 2 t, 2 t + 1, 2 t + 8 and 2 t + 9 of the product.
 * A step thus has three taps, and the last of four lanes reads zeros. Each product has the
 * pixels of one group only. Its N are the filters of both groups of 8 channels, so the results
 * of the other group's filters are dropped. Filters are stored as 8 bytes per n and tap,
 * transposed in dgrad. */
#ifndef CUDA_TENSORCORE_GROUPS_GEMM_C4_H
#define CUDA_TENSORCORE_GROUPS_GEMM_C4_H

#include "epilogue.h"

template <class S>
__device__ static inline void tc_groups_load_c4(const tc_groups_params &job, int32_t channel,
                                                char *to)
{
    typedef typename S::element element;
    int32_t line = (int32_t)(threadIdx.x % S::SLAB), number = channel + line;
    const element *from =
        (const element *)job.b + number / 4 * job.conv.tap_group + number % 4 * job.tap_line;

    for (int32_t i = (int32_t)threadIdx.x; i < TC_GROUPS_ZEROS / 16; i += TC_GROUPS_THREADS)
        ((uint4 *)(to + job.zeros_at))[i] = uint4{0, 0, 0, 0};
    for (int32_t entry = (int32_t)(threadIdx.x / S::SLAB); entry < job.entries;
         entry += TC_GROUPS_THREADS / S::SLAB) {
        int32_t tap = job.tap_b[entry];
        char *unit = to + entry * tc_groups_unit(S::SLAB) / 2;
        union {
            uint2 word;
            element channel[4];
        } taps_c4 = {{0, 0}};

        if (tap >= 0 && number < job.channels)
            taps_c4.word = *(const uint2 *)(from + tap);
        if constexpr (S::IS_DGRAD) {
#pragma unroll
            for (int c = 0; c < 4; c++)
                *(element *)(unit + (line / 4 * 4 + c) * 8 + line % 4 * 2) = taps_c4.channel[c];
        } else {
            *(uint2 *)(unit + line * 8) = taps_c4.word;
        }
    }
}

/* Returns the address of a lane's n in the filters of a tap. */
__device__ static inline uint32_t tc_groups_c4_address(const char *memory, int32_t n)
{
    return tc_shared_address(memory) + (uint32_t)((n + (int32_t)(threadIdx.x % 32) / 4) * 8);
}

/* Adds the products of a class for the warp's pieces of positions. Zeros are read from the banks
 * that the pixels of half a warp, 6 neighbors, do not use. */
template <class S>
__device__ static inline void
tc_groups_mma_c4(const tc_groups_params &job, const tc_groups_class &of,
                 const tc_groups_pixel_entry *table, uint32_t halo, uint32_t filters,
                 uint32_t zeros, float (&sum)[S::SUB_GEMMS][S::PIECES][S::SUB_FRAGS_N][4])
{
    int lane = (int)(threadIdx.x % 32), quad_lane = lane % 4;
    uint32_t from[S::PIECES][2];

    zeros += ((halo / 16 + (uint32_t)(lane / 16 * 4 + 6) - zeros / 16) & 7) * 16;
#pragma unroll
    for (int i = 0; i < S::PIECES * 2; i++)
        from[i / 2][i % 2] = quad_lane < 3 ? halo + (uint32_t)table[i * 8 + lane / 4].halo : zeros;
#pragma unroll 1
    for (int tap = of.tap; tap < of.tap + of.taps; tap += 3) {
        uint32_t at = quad_lane < 3 ? (uint32_t)job.tap_halo[tap + quad_lane] : 0;
        bool none = quad_lane < 3 && job.tap_b[tap + quad_lane] < 0;
        uint32_t filter =
            quad_lane < 3 ? filters + (uint32_t)((tap + quad_lane) * (tc_groups_unit(S::SLAB) / 2))
                          : zeros;
        uint32_t b[2][1][2];

#pragma unroll
        for (int f = 0; f < 2; f++)
            tc_load_pair(b[f][0], filter + (uint32_t)(f * 64));
#pragma unroll
        for (int group = 0; group < 4; group++) {
            uint32_t a[S::PIECES][4];

#pragma unroll
            for (int i = 0; i < S::PIECES; i++) {
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    uint32_t pixel[2];

                    tc_load_pair(pixel, (none ? zeros : from[i][r] + at) + (uint32_t)(group * 8));
                    a[i][r] = pixel[0];
                    a[i][r + 2] = pixel[1];
                }
            }
            tc_mma_all<typename S::math>(sum[group], a, b[group / 2]);
        }
    }
}

#endif
