/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the epilogue of wgrad of grouped convolutions. Results go through the shared memory
 * of the ring, in the layout of partial sums: [filter][tap][channel of the group]. Warps with
 * the same sums each write their own copy. The copies are added when they are read, by 16 bytes
 * along a filter. A block thus stores contiguous runs that are as long as a set of taps. */
#ifndef CUDA_TENSORCORE_GROUPS_WGRAD_EPILOGUE_H
#define CUDA_TENSORCORE_GROUPS_WGRAD_EPILOGUE_H

#include "epilogue.h"

/* The properties of an instantiation. A warp has 16 filters times FRAGS_M, and 8 channels times
 * FRAGS_N. */
template <class M, int CHANNELS, int CHANNELS_OF_SLAB> struct tc_groups_wgrad_shape {
    typedef M math;
    typedef typename M::element element;
    enum {
        GROUP = CHANNELS,
        SLAB = CHANNELS_OF_SLAB,
        COPIES = 2, /* copies per thread at a time */
        FRAGS_M = CHANNELS == 32 ? 2 : 1,
        FRAGS_N = CHANNELS == 32 ? 1 : 2,
        ACROSS = tc_groups_across(CHANNELS, SLAB), /* warps with different channels */
        DOWN = TC_GROUPS_WARPS / ACROSS,           /* warps with the same channels */
        LINE = tc_groups_result_line(CHANNELS)
    };
};

/* Returns the first filter of a warp in its slab. */
template <class S> CUDA_BOTH int tc_groups_first_filter(int across)
{
    return across * S::FRAGS_N * 8 / (S::FRAGS_M * 16) * (S::FRAGS_M * 16);
}

/* Returns true if results are stored by 8 bytes. stores_by_8 is 1 if the geometry permits it. */
__device__ static inline bool tc_groups_packs(int32_t stores_by_8, const conv_output &output)
{
    return stores_by_8 && output.blend.alpha == 1 && output.blend.beta == 0 &&
           (uintptr_t)output.data % 8 == 0;
}

/* Stores four sums of adjacent channels, whose stride is `apart`, in the filters. */
template <class E, class A>
__device__ static inline void tc_groups_store_four(E *to, int64_t apart, bool packs,
                                                   const A (&sum)[4], const cuda_blend &blend)
{
    union {
        E element[4];
        uint2 word;
    } four;

    if (packs) {
#pragma unroll
        for (int e = 0; e < 4; e++)
            cuda_store(&four.element[e], sum[e]);
        *(uint2 *)to = four.word;
        return;
    }
#pragma unroll 1
    for (int e = 0; e < 4; e++)
        cuda_blend_store(to + e * apart,
                         e == 0   ? sum[0]
                         : e == 1 ? sum[1]
                         : e == 2 ? sum[2]
                                  : sum[3],
                         blend);
}

/* Writes a warp's sums to shared memory, except for products of two different groups. */
template <class S>
__device__ static inline void
tc_groups_put_sums(float *memory, const float (&sum)[TC_GROUPS_SET][S::FRAGS_M][S::FRAGS_N][4])
{
    int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32), across = warp % S::ACROSS;
    int filter = tc_groups_first_filter<S>(across) + lane / 4;
    int channel = across * S::FRAGS_N * 8 % S::GROUP + lane % 4 * 2;
    float *to = memory + (warp / S::ACROSS * S::SLAB + filter) * S::LINE + channel % S::GROUP;

    if (S::GROUP == 4 && lane / 16 != lane % 4 / 2)
        return;
#pragma unroll
    for (int t = 0; t < TC_GROUPS_SET; t++) {
#pragma unroll
        for (int n = 0; n < S::FRAGS_M * S::FRAGS_N * 2; n++) {
            int i = n / (S::FRAGS_N * 2), j = n / 2 % S::FRAGS_N, half = n % 2;

            if (S::GROUP <= 8 && j != half)
                continue;
            *(float2 *)(to + (i * 16 + half * 8) * S::LINE + t * S::GROUP +
                        (S::GROUP <= 8 ? 0 : j * 8)) =
                float2{sum[t][i][j][half * 2], sum[t][i][j][half * 2 + 1]};
        }
    }
}

/* Returns four adjacent results of the block, added over all warps that have them. */
template <class S> __device__ static inline float4 tc_groups_get_sums(const float *from)
{
    float4 four = *(const float4 *)from;

#pragma unroll
    for (int copy = 1; copy < S::DOWN; copy++) {
        const float4 copied = *(const float4 *)(from + copy * S::SLAB * S::LINE);

        four.x += copied.x;
        four.y += copied.y;
        four.z += copied.z;
        four.w += copied.w;
    }
    return four;
}

/* Stores the block's results, for `count` taps from `first` on, in its split. If there is only
 * one split, it stores them in the filter. */
template <class S, bool PARTS>
__device__ static inline void tc_groups_store_sums(const tc_groups_params &job, const float *memory,
                                                   int32_t split, int32_t channel, int32_t first,
                                                   int32_t count)
{
    typedef typename S::element element;
    const auto &conv = job.conv;
    int32_t run = count * (S::GROUP / 4), line = job.entries * (S::GROUP / 4);
    int32_t filter = (int32_t)threadIdx.x / run, at = (int32_t)threadIdx.x - filter * run;
    int32_t lines = TC_GROUPS_THREADS / run, rest = TC_GROUPS_THREADS - lines * run;
    int32_t filters = job.channels - channel < S::SLAB ? job.channels - channel : S::SLAB;
    float4 *partial = (float4 *)job.partial + ((int64_t)split * job.channels + channel) * line +
                      first * (S::GROUP / 4);
    bool packs = tc_groups_packs(job.stores_by_8, job.output);

#pragma unroll 1
    while (filter < filters) {
        const float4 four = tc_groups_get_sums<S>(memory + filter * S::LINE + at * 4);

        if constexpr (PARTS) {
            partial[filter * line + at] = four;
        } else {
            const float sum[4] = {four.x, four.y, four.z, four.w};
            int32_t number = channel + filter, tap = first + at / (S::GROUP / 4);

            tc_groups_store_four((element *)job.output.data +
                                     number / S::GROUP * (int64_t)conv.tap_group +
                                     number % S::GROUP * (int64_t)conv.tap_n + job.tap_b[tap] +
                                     at % (S::GROUP / 4) * 4 * (int64_t)conv.tap_channel,
                                 conv.tap_channel, packs, sum, job.output.blend);
        }
        filter += lines;
        at += rest;
        if (at >= run) {
            at -= run;
            filter++;
        }
    }
}

#endif
