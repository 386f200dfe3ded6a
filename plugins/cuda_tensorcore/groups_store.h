/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of grouped convolutions, directions forward and data. Where they go as they are to packed
 * channels, lanes change halves with their neighbours and store 4 channels each; everything else is
 * blended, biased, activated and rounded once, one by one (conv_output.h).
 */
#ifndef CUDA_TENSORCORE_GROUPS_STORE_H
#define CUDA_TENSORCORE_GROUPS_STORE_H

#include "groups_job.h"

/* Numbers of an instantiation. A warp has COLUMNS columns of PIECES times 16 positions, in PARTS
 * products of their own with WIDE times 8 columns each. */
template <class M, int CHANNELS, bool DATA, bool STORES_BY_8> struct tc_groups_shape {
    typedef M math;
    typedef typename M::element element;
    enum {
        GROUP = CHANNELS,
        IS_DATA = DATA,
        PACKS = STORES_BY_8,
        PAIRS = CHANNELS <= 8,                      /* parts of a group each */
        UNITS = CHANNELS <= 8 ? 1 : CHANNELS / 8,   /* of a tap */
        STEPS = CHANNELS <= 16 ? 1 : CHANNELS / 16, /* of a tap */
        COLUMNS = CHANNELS <= 16 ? 16 : CHANNELS,   /* of a warp */
        FRAGMENTS = COLUMNS / 8,
        PARTS = CHANNELS == 4   ? 4
                : CHANNELS == 8 ? 2
                                : 1,
        WIDE = CHANNELS <= 8 ? 1 : FRAGMENTS,
        ACROSS = TC_GROUPS_SLAB / COLUMNS, /* warps */
        DOWN = TC_GROUPS_WARPS / ACROSS,
        /* Groups of 4 have sums that are dropped, too: more would not fit. */
        PIECES = CHANNELS == 4 ? 2 : TC_GROUPS_PASS / DOWN
    };
};

/* Where the positions of a tile that belong to a class begin in the tensor, and how many of each
 * dim there are from there on. */
struct tc_groups_window {
    int32_t image, h, w;
    int32_t images, rows, columns;
    int32_t number; /* of the class */
};

__device__ static inline tc_groups_window
tc_groups_window_of(const tc_groups_job &job, int32_t number, const tc_groups_at &at)
{
    const tc_groups_class &of = job.class_of[number];
    tc_groups_window window = {at.image,
                               of.first_h + at.h * job.step_h,
                               of.first_w + at.w * job.step_w,
                               job.images - at.image,
                               0,
                               0,
                               number};

    window.rows = (job.out_height - window.h + job.step_h - 1) >> (job.step_h - 1);
    window.columns = (job.out_width - window.w + job.step_w - 1) >> (job.step_w - 1);
    return window;
}

__device__ static inline bool tc_groups_is_there(const tc_groups_window &window,
                                                 const tc_groups_place &place)
{
    return place.image < window.images && place.h < window.rows && place.w < window.columns;
}

/* Two rows of 16 columns: lanes of even number get 4 columns of the first 8, odd ones of the last
 * ones. */
template <class E>
__device__ static inline void tc_groups_pack(const float (&first)[4], const float (&last)[4],
                                             uint2 (&row)[2])
{
    bool odd = threadIdx.x % 2;

#pragma unroll
    for (int r = 0; r < 2; r++) {
        uint32_t low = tc_round_pair(E(), first[2 * r], first[2 * r + 1]);
        uint32_t high = tc_round_pair(E(), last[2 * r], last[2 * r + 1]);
        uint32_t other = __shfl_xor_sync(UINT32_MAX, odd ? low : high, 1);

        row[r] = odd ? uint2{other, high} : uint2{low, other};
    }
}

/* What a lane has of a position and 16 channels, one by one, or to the one part: out of the way of
 * those that store what they have as it is. */
template <class E>
__device__ __noinline__ void tc_groups_store_any(const tc_groups_job &job, int32_t number_of_class,
                                                 int32_t image, int32_t h, int32_t w,
                                                 int32_t channel, float4 sums)
{
    const tc_groups_class &of = job.class_of[number_of_class];
    const auto &conv = job.conv;
    const auto &along_h = conv.dim[CONV_FIRST + 1], &along_w = conv.dim[CONV_FIRST + 2];
    int64_t y = image * conv.position_image + h * along_h.position + w * along_w.position;
    int64_t z = image * conv.z_image + h * along_h.z + w * along_w.z;

    int32_t columns = (int32_t)conv.columns;
    int64_t row = ((int64_t)image * ((job.out_height - of.first_h + job.step_h - 1) / job.step_h) +
                   (h - of.first_h) / job.step_h) *
                      ((job.out_width - of.first_w + job.step_w - 1) / job.step_w) +
                  (w - of.first_w) / job.step_w;

    channel += (int32_t)threadIdx.x % 4 * 2;
#pragma unroll 1
    for (int e = 0; e < 4; e++) {
        int32_t number = channel + e % 2 + e / 2 * 8;
        float sum = e == 0 ? sums.x : e == 1 ? sums.y : e == 2 ? sums.z : sums.w;

        if (number >= job.channels)
            continue;
        if (job.partial)
            ((float *)job.partial)[conv_partial_at(
                job, 0, number / columns * job.classes + number_of_class, row, number % columns)] =
                sum;
        else
            conv_store<E>(job.output, y + number * conv.position.step, z + number * conv.z.step,
                          number, sum);
    }
}

/* The positions of a warp, whose first column is `channel`. Groups of 4: the first one's columns
 * are those of lanes 0 and 1 of 4. */
template <class S>
__device__ static inline void tc_groups_store(const tc_groups_job &job,
                                              const tc_groups_window &window,
                                              const tc_groups_place *table, int32_t channel,
                                              float (&sum)[S::PARTS][S::PIECES][S::WIDE][4])
{
    typedef typename S::element element;
    int lane = (int)threadIdx.x % 32;
    int32_t column = channel + lane % 2 * 8 + lane % 4 / 2 * 4;
    element *out = (element *)job.output.data + (int64_t)window.image * job.y_image +
                   window.h * job.y_h + window.w * job.y_w + column;

#pragma unroll
    for (int i = 0; i < S::PIECES; i++) {
        const tc_groups_place place[2] = {table[i * 16 + lane / 4], table[i * 16 + lane / 4 + 8]};

        if constexpr (S::GROUP == 4) {
            bool second = lane % 4 >= 2;

#pragma unroll
            for (int e = 0; e < 4; e++) {
                sum[0][i][0][e] = second ? sum[1][i][0][e] : sum[0][i][0][e];
                sum[2][i][0][e] = second ? sum[3][i][0][e] : sum[2][i][0][e];
            }
        }
#pragma unroll
        for (int f = 0; f < S::FRAGMENTS; f += 2) {
            const float(&first)[4] = sum[0][i][S::PAIRS ? 0 : f];
            const float(&last)[4] = sum[S::PAIRS ? S::PARTS / 2 : 0][i][S::PAIRS ? 0 : f + 1];
            uint2 row[2];

            if constexpr (S::PACKS)
                tc_groups_pack<element>(first, last, row);
#pragma unroll
            for (int r = 0; r < 2; r++) {
                if (!tc_groups_is_there(window, place[r]))
                    continue;
                if constexpr (!S::PACKS)
                    tc_groups_store_any<element>(
                        job, window.number, window.image + place[r].image,
                        window.h + place[r].h * job.step_h, window.w + place[r].w * job.step_w,
                        channel + f * 8,
                        float4{first[2 * r], first[2 * r + 1], last[2 * r], last[2 * r + 1]});
                else if (column + f * 8 < job.channels)
                    *(uint2 *)(out + place[r].from + f * 8) = row[r];
            }
        }
    }
}

#endif
