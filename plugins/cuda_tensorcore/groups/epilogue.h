/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the epilogue of grouped convolutions, fprop and dgrad. If results go unchanged to
 * packed channels, each lane stores 4 or 8 adjacent results. In fprop, filters are ordered so
 * that a lane's n are adjacent. In dgrad and small groups, adjacent lanes exchange halves of
 * their results. All other results are blended, biased, activated and rounded once, one by one
 * (conv_output.h). */
#ifndef CUDA_TENSORCORE_GROUPS_EPILOGUE_H
#define CUDA_TENSORCORE_GROUPS_EPILOGUE_H

#include "params.h"

/* The properties of an instantiation. A warp has an N of WARP_N and an M of PIECES times 16
 * positions. They form SUB_GEMMS separate products, each with an N of SUB_FRAGS_N times 8. */
template <class M, int CHANNELS, bool DGRAD, bool STORES_BY_8, int CHANNELS_OF_SLAB>
struct tc_groups_shape {
    typedef M math;
    typedef typename M::element element;
    enum {
        GROUP = CHANNELS,
        SLAB = CHANNELS_OF_SLAB,
        IS_DGRAD = DGRAD,
        PACKS = STORES_BY_8,
        COPIES = 4,                                 /* copies per thread at a time */
        PAIRS = CHANNELS <= 8,                      /* one group each */
        UNITS = CHANNELS <= 8 ? 1 : CHANNELS / 8,   /* per tap */
        STEPS = CHANNELS <= 16 ? 1 : CHANNELS / 16, /* per tap */
        WARP_N = CHANNELS <= 16 ? 16 : CHANNELS,    /* N of a warp */
        FRAGS_N = WARP_N / 8,
        IN_ORDER = !DGRAD && !PAIRS, /* a lane's n are adjacent */
        SUB_GEMMS = CHANNELS == 4   ? 4
                    : CHANNELS == 8 ? 2
                                    : 1,
        SUB_FRAGS_N = CHANNELS <= 8 ? 1 : FRAGS_N,
        WARPS_N = SLAB / WARP_N, /* warps along N */
        WARPS_M = TC_GROUPS_WARPS / WARPS_N,
        PIECES = tc_groups_pieces(CHANNELS, SLAB)
    };
};

/* The positions of a tile that belong to a class: their start in the tensor, and the limits of
 * their coordinates. */
struct tc_groups_window {
    int32_t image, h, w;
    uint32_t high;
    bool whole;     /* all positions of the tile exist */
    int32_t number; /* index of the class */
};

__device__ static inline tc_groups_window
tc_groups_window_of(const tc_groups_params &job, int32_t number, const tc_groups_at &at)
{
    const tc_groups_class &of = job.class_of[number];
    tc_groups_window window = {
        at.image, of.first_h + at.h * job.step_h, of.first_w + at.w * job.step_w, 0, false, number};
    int32_t h_left = (job.out_height - window.h + job.step_h - 1) >> (job.step_h - 1);
    int32_t w_left = (job.out_width - window.w + job.step_w - 1) >> (job.step_w - 1);

    window.high =
        tc_groups_pack_at((int32_t)tc_groups_limit(job.images - at.image, TC_GROUPS_IMAGE_MOST),
                          (int32_t)tc_groups_limit(h_left, TC_GROUPS_ALONG_MOST),
                          (int32_t)tc_groups_limit(w_left, TC_GROUPS_ALONG_MOST));
    window.whole =
        job.images - at.image >= job.tile.images && h_left >= job.tile.h && w_left >= job.tile.w;
    return window;
}

__device__ static inline bool tc_groups_is_there(const tc_groups_window &window, uint32_t at)
{
    return ((at - window.high) & TC_GROUPS_GUARDS) == 0;
}

/* Packs two m of 16 n. Lanes with even numbers get 4 n of the first 8, lanes with odd numbers 4
 * n of the last 8. */
template <class E>
__device__ static inline void tc_groups_pack(const float (&first)[4], const float (&last)[4],
                                             uint2 (&m_row)[2])
{
    bool odd = threadIdx.x % 2;

#pragma unroll
    for (int r = 0; r < 2; r++) {
        uint32_t low = tc_round_pair(E(), first[2 * r], first[2 * r + 1]);
        uint32_t high = tc_round_pair(E(), last[2 * r], last[2 * r + 1]);
        uint32_t received = __shfl_xor_sync(UINT32_MAX, odd ? low : high, 1);

        m_row[r] = odd ? uint2{received, high} : uint2{low, received};
    }
}

/* Stores four sums of a position one by one, in the output or in the only split: two adjacent
 * ones, and two others `apart` further. It is not inlined, so that it does not burden kernels
 * that store unchanged results. */
template <class E>
__device__ __noinline__ void
tc_groups_store_any(const tc_groups_params &job, int32_t number_of_class, int32_t image, int32_t h,
                    int32_t w, int32_t channel, int32_t apart, float4 sums)
{
    const tc_groups_class &of = job.class_of[number_of_class];
    const auto &conv = job.conv;
    const auto &along_h = conv.dim[CONV_FIRST + 1], &along_w = conv.dim[CONV_FIRST + 2];
    int64_t y = image * conv.position_image + h * along_h.position + w * along_w.position;
    int64_t z = image * conv.z_image + h * along_h.z + w * along_w.z;

    int32_t n_end = (int32_t)conv.n;
    int64_t m = ((int64_t)image * ((job.out_height - of.first_h + job.step_h - 1) / job.step_h) +
                 (h - of.first_h) / job.step_h) *
                    ((job.out_width - of.first_w + job.step_w - 1) / job.step_w) +
                (w - of.first_w) / job.step_w;

#pragma unroll 1
    for (int e = 0; e < 4; e++) {
        int32_t number = channel + e % 2 + e / 2 * apart;
        float sum = e == 0 ? sums.x : e == 1 ? sums.y : e == 2 ? sums.z : sums.w;

        if (number >= job.channels)
            continue;
        if (job.partial)
            ((float *)job.partial)[conv_partial_at(
                job, 0, number / n_end * job.classes + number_of_class, m, number % n_end)] = sum;
        else
            conv_store<E>(job.output, y + number * conv.position.step, z + number * conv.z.step,
                          number, sum);
    }
}

/* Stores one m of a piece whose n are adjacent. `to` is the address of the lane's first result. */
template <class S>
__device__ static inline void tc_groups_store_row(void *to, const float (&sum)[S::SUB_FRAGS_N][4],
                                                  int r)
{
    typedef typename S::element element;
    uint32_t words[S::SUB_FRAGS_N];

#pragma unroll
    for (int f = 0; f < S::SUB_FRAGS_N; f++)
        words[f] = tc_round_pair(element(), sum[f][2 * r], sum[f][2 * r + 1]);
    if constexpr (S::SUB_FRAGS_N == 4)
        *(uint4 *)to = uint4{words[0], words[1], words[2], words[3]};
    else
        *(uint2 *)to = uint2{words[0], words[1]};
}

/* Selects the sums of groups of 4 that are kept. The n of the first group are those of lanes 0
 * and 1 of each 4. */
template <class S>
__device__ static inline void
tc_groups_keep_c4(float (&sum)[S::SUB_GEMMS][S::PIECES][S::SUB_FRAGS_N][4], int i)
{
    bool second = threadIdx.x % 4 >= 2;

#pragma unroll
    for (int e = 0; e < 4; e++) {
        sum[0][i][0][e] = second ? sum[1][i][0][e] : sum[0][i][0][e];
        sum[2][i][0][e] = second ? sum[3][i][0][e] : sum[2][i][0][e];
    }
}

/* Stores the positions of a warp, whose first n is `channel`. ALL is true if all positions
 * exist. */
template <class S, bool ALL>
__device__ static inline void
tc_groups_epilogue(const tc_groups_params &job, const tc_groups_window &window,
                   const tc_groups_pixel_entry *table, int32_t channel,
                   float (&sum)[S::SUB_GEMMS][S::PIECES][S::SUB_FRAGS_N][4])
{
    typedef typename S::element element;
    int quad_lane = (int)(threadIdx.x % 4);
    int32_t n = channel +
                (S::IN_ORDER ? quad_lane * (S::WARP_N / 4) : quad_lane % 2 * 8 + quad_lane / 2 * 4);
    int32_t first = window.image * job.c_image + window.h * job.c_h + window.w * job.c_w + n;
    element *out = (element *)job.output.data;

    table += threadIdx.x % 32 / 4;
#pragma unroll
    for (int i = 0; i < S::PIECES; i++) {
        const int32_t from[2] = {table[i * 16].from, table[i * 16 + 8].from};
        const uint32_t at[2] = {table[i * 16].at, table[i * 16 + 8].at};

        if constexpr (S::GROUP == 4)
            tc_groups_keep_c4<S>(sum, i);
#pragma unroll
        for (int f = 0; f < S::FRAGS_N; f += 2) {
            const float(&first_sums)[4] = sum[0][i][S::PAIRS ? 0 : f];
            const float(&last_sums)[4] =
                sum[S::PAIRS ? S::SUB_GEMMS / 2 : 0][i][S::PAIRS ? 0 : f + 1];
            uint2 m_row[2];

            if constexpr (S::PACKS && !S::IN_ORDER)
                tc_groups_pack<element>(first_sums, last_sums, m_row);
#pragma unroll
            for (int r = 0; r < 2; r++) {
                if (!ALL && !tc_groups_is_there(window, at[r]))
                    continue;
                if constexpr (!S::PACKS) {
                    int32_t h = (int32_t)(at[r] >> 12 & TC_GROUPS_ALONG_MOST);
                    int32_t w = (int32_t)(at[r] & TC_GROUPS_ALONG_MOST);

                    tc_groups_store_any<element>(
                        job, window.number,
                        window.image + (int32_t)(at[r] >> 24 & TC_GROUPS_IMAGE_MOST),
                        window.h + h * job.step_h, window.w + w * job.step_w,
                        S::IN_ORDER ? n + f * 2 : channel + quad_lane * 2 + f * 8,
                        S::IN_ORDER ? 2 : 8,
                        float4{first_sums[2 * r], first_sums[2 * r + 1], last_sums[2 * r],
                               last_sums[2 * r + 1]});
                } else if constexpr (!S::IN_ORDER) {
                    if (n + f * 8 < job.channels)
                        *(uint2 *)(out + (first + from[r] + f * 8)) = m_row[r];
                } else if (f == 0) {
                    tc_groups_store_row<S>(out + (first + from[r]), sum[0][i], r);
                }
            }
        }
    }
}

#endif
