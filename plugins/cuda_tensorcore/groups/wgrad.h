/* SPDX-License-Identifier: Apache-2.0 */
/* Implements wgrad of grouped convolutions. Sums run over positions. A stage of the ring
 * contains a tile's pixels of x, its halo, and its lines of dy; ldmatrix transposes both. A warp
 * holds the sums of TC_GROUPS_SET taps: of 16 filters and the corresponding 16 channels, or, in
 * groups of 32, of all 32 filters of a group and 8 channels. Groups of 4 and 8 keep only the
 * products within a group. Warps with the same sums alternate between the pieces of a tile.
 * Positions that do not exist have zeros in both operands. groups/wgrad_epilogue.h stores the
 * results. */
#ifndef CUDA_TENSORCORE_GROUPS_WGRAD_H
#define CUDA_TENSORCORE_GROUPS_WGRAD_H

#include "wgrad_epilogue.h"

/* Loads a tile's lines of dy, with zeros for positions that do not exist. Their limits are
 * stored per stage. */
template <class S>
__device__ static inline void tc_groups_load_dy(const tc_groups_params &job, const tc_groups_at &at,
                                                int32_t channel, const char *memory, uint32_t high,
                                                uint32_t to)
{
    int32_t chunk = channel + (int32_t)(threadIdx.x % (S::SLAB / 8)) * 8;
    const typename S::element *dy =
        (const typename S::element *)job.b +
        (at.image * job.c_image + at.h * job.c_h + at.w * job.c_w + chunk);

    tc_groups_copy<S>(job, dy, {0, chunk < job.channels ? high : 0},
                      (const tc_groups_pixel_entry *)(memory + job.table_at), job.pieces * 16, to);
}

template <class S>
__device__ static inline void tc_groups_load_both(const tc_groups_params &job, int32_t tile,
                                                  int32_t channel, char *memory, int32_t stage)
{
    uint32_t to = tc_shared_address(memory) + (uint32_t)(job.ring_at + stage * job.stage_bytes);

    if (tile < job.tiles) {
        tc_groups_at at = tc_groups_tile_at(job, tile);
        uint32_t high = tc_groups_window_of(job, 0, at).high;

        if (threadIdx.x == 0)
            ((uint32_t *)(memory + job.limits_at))[stage] = high;
        tc_groups_load_halo<S>(job, at, channel, memory, to);
        tc_groups_load_dy<S>(job, at, channel, memory, high, to + (uint32_t)job.dy_at);
    }
    tc_cp_async_commit();
}

/* ------------------------------------------------------------------ products */

/* Adds the products of 16 positions for `count` taps of a set. `there` is 1 if the lane's
 * position exists, otherwise 0. In groups of 32, the pixels of two taps are read at a time. */
template <class S>
__device__ static inline void
tc_groups_mma_set(const int32_t *tap_at, int count, uint32_t pixels, int there,
                  const uint32_t (&a)[S::FRAGS_M][4],
                  float (&sum)[TC_GROUPS_SET][S::FRAGS_M][S::FRAGS_N][4])
{
    enum { STEP = S::FRAGS_N == 2 ? 1 : 2 };
    bool second = threadIdx.x % 32 >= 16;

#pragma unroll
    for (int t = 0; t < TC_GROUPS_SET; t += STEP) {
        int next = STEP == 2 && t + 1 < TC_GROUPS_SET ? t + 1 : t;
        uint32_t from[4];

        if (t >= count)
            break;
        tc_ldmatrix_trans(
            from, pixels + (uint32_t)(there * (second && next < count ? tap_at[next] : tap_at[t])));
        if constexpr (STEP == 1) {
            const uint32_t b[2][2] = {{from[0], from[1]}, {from[2], from[3]}};

            tc_mma_all<typename S::math>(sum[t], a, b);
        } else {
            const uint32_t b[1][2] = {{from[0], from[1]}}, b_next[1][2] = {{from[2], from[3]}};

            tc_mma_all<typename S::math>(sum[t], a, b);
            if (next > t && next < count)
                tc_mma_all<typename S::math>(sum[next], a, b_next);
        }
    }
}

/* The offsets of a lane, in bytes: its channels in a pixel, and its position and filters in 16
 * lines of dy. In groups of 32, `down` and `right` lead from the first taps that it reads at a
 * time to the second ones. `position` is its entry of the table. */
struct tc_groups_lane {
    uint32_t channels, lines, down, right;
    int position;
};

/* Returns the number itself. Otherwise the compiler would compute it again for every 16
 * positions, and wait for the thread's number. */
__device__ static inline uint32_t tc_groups_keep(uint32_t number)
{
    return __shfl_xor_sync(UINT32_MAX, number, 0);
}

template <class S>
__device__ static inline tc_groups_lane tc_groups_lane_of(const tc_groups_params &job)
{
    int lane = (int)(threadIdx.x % 32), across = (int)(threadIdx.x / 32) % S::ACROSS;
    int high = lane / 16;
    tc_groups_lane of = {};

    of.channels =
        tc_groups_keep((uint32_t)(across * S::FRAGS_N * 16 + (S::FRAGS_N == 2 ? high * 16 : 0)));
    of.lines = tc_groups_keep((uint32_t)(job.dy_at + tc_groups_first_filter<S>(across) * 2 +
                                         lane / 8 % 2 * 16 +
                                         (high * 8 + lane % 8) * tc_groups_pixel(S::SLAB)));
    if (S::FRAGS_N == 1) {
        of.down = tc_groups_keep((uint32_t)(high * (job.tap_halo[3] - job.tap_halo[0])));
        of.right = tc_groups_keep((uint32_t)(high * (job.tap_halo[7] - job.tap_halo[6])));
    }
    of.position = (int)tc_groups_keep((uint32_t)(lane % 16));
    return of;
}

/* Adds the products of 16 positions that all exist, for nine taps. An address is the sum of the
 * lane's address and a number that is equal in all lanes. In groups of 32, a row of taps and the
 * next one are read at a time. */
template <class S>
__device__ static inline void
tc_groups_mma_nine(const tc_groups_params &job, uint32_t pixels, const tc_groups_lane &of,
                   const uint32_t (&a)[S::FRAGS_M][4],
                   float (&sum)[TC_GROUPS_SET][S::FRAGS_M][S::FRAGS_N][4])
{
    typedef typename S::math math;
    uint32_t from[4];

    if constexpr (S::FRAGS_N == 2) {
#pragma unroll
        for (int t = 0; t < TC_GROUPS_SET; t++) {
            tc_ldmatrix_trans(from, pixels + (uint32_t)job.tap_halo[t]);
            const uint32_t b[2][2] = {{from[0], from[1]}, {from[2], from[3]}};
            tc_mma_all<math>(sum[t], a, b);
        }
    } else {
        uint32_t down = pixels + of.down, right = pixels + of.right;

#pragma unroll
        for (int n = 0; n < 5; n++) {
            int t = n < 3 ? n : 2 * n, next = n < 3 ? n + 3 : n < 4 ? 7 : t;

            tc_ldmatrix_trans(from, (n < 3   ? down
                                     : n < 4 ? right
                                             : pixels) +
                                        (uint32_t)job.tap_halo[t]);
            const uint32_t b[1][2] = {{from[0], from[1]}}, b_next[1][2] = {{from[2], from[3]}};
            tc_mma_all<math>(sum[t], a, b);
            if (next > t)
                tc_mma_all<math>(sum[next], a, b_next);
        }
    }
}

/* Adds the products of a warp's pieces of a tile. */
template <class S>
__device__ static inline void
tc_groups_mma_tile(const tc_groups_params &job, const tc_groups_lane &of, uint32_t high,
                   int32_t first, int32_t count, uint32_t stage, uint32_t zeros,
                   const tc_groups_pixel_entry *table,
                   float (&sum)[TC_GROUPS_SET][S::FRAGS_M][S::FRAGS_N][4])
{
    enum { PIXEL = tc_groups_pixel(S::SLAB) };
    uint32_t channels = stage + of.channels, lines = stage + of.lines;

    table += of.position;
#pragma unroll 1
    for (int piece = (int)(threadIdx.x / 32) / S::ACROSS; piece < job.pieces; piece += S::DOWN) {
        const tc_groups_pixel_entry pixel = table[piece * 16];
        bool there = ((pixel.at - high) & TC_GROUPS_GUARDS) == 0;
        uint32_t a[S::FRAGS_M][4];

#pragma unroll
        for (int i = 0; i < S::FRAGS_M; i++)
            tc_ldmatrix_trans(a[i], lines + (uint32_t)(piece * 16 * PIXEL + i * 32));
        if (job.in_one && __all_sync(UINT32_MAX, there))
            tc_groups_mma_nine<S>(job, channels + pixel.halo, of, a, sum);
        else
            tc_groups_mma_set<S>(job.tap_halo + first, count, there ? channels + pixel.halo : zeros,
                                 there, a, sum);
    }
}

template <class S>
__device__ static inline void tc_groups_wgrad(const tc_groups_params &job, char *memory)
{
    int32_t sets = (job.entries + TC_GROUPS_SET - 1) / TC_GROUPS_SET;
    int32_t channel = (int32_t)blockIdx.x % job.slabs * S::SLAB;
    int32_t first = (int32_t)blockIdx.x / job.slabs % sets * TC_GROUPS_SET;
    int32_t split = (int32_t)blockIdx.x / job.slabs / sets;
    int32_t count = job.entries - first < TC_GROUPS_SET ? job.entries - first : TC_GROUPS_SET;
    int32_t stage = 0, last = 0, next = split;
    uint32_t zeros = tc_shared_address(memory), ring = zeros + (uint32_t)job.ring_at;
    const uint32_t *limits = (const uint32_t *)(memory + job.limits_at);
    const tc_groups_pixel_entry *table = (const tc_groups_pixel_entry *)(memory + job.table_at);
    const tc_groups_lane of = tc_groups_lane_of<S>(job);
    float sum[TC_GROUPS_SET][S::FRAGS_M][S::FRAGS_N][4] = {};

    if (threadIdx.x < TC_GROUPS_ZEROS / 16)
        ((uint4 *)memory)[threadIdx.x] = uint4{0, 0, 0, 0};
    tc_groups_make_tables<S>(job, memory);
    tc_wait_on_dependent_grids();
    __syncthreads();
#pragma unroll 1
    for (; last < job.tile.stages - 1; last++, next += job.splits)
        tc_groups_load_both<S>(job, next, channel, memory, last);
#pragma unroll 1
    for (int32_t tile = split; tile < job.tiles; tile += job.splits, next += job.splits) {
        tc_groups_wait(job);
        tc_groups_load_both<S>(job, next, channel, memory, last);
        tc_groups_mma_tile<S>(job, of, limits[stage], first, count,
                              ring + (uint32_t)(stage * job.stage_bytes), zeros, table, sum);
        stage = tc_groups_next(job, stage);
        last = tc_groups_next(job, last);
    }
    tc_launch_dependent_grids();
    tc_cp_async_wait<0>();
    __syncthreads();
    tc_groups_put_sums<S>((float *)(memory + job.ring_at), sum);
    __syncthreads();
    if (job.partial)
        tc_groups_store_sums<S, true>(job, (const float *)(memory + job.ring_at), split, channel,
                                      first, count);
    else
        tc_groups_store_sums<S, false>(job, (const float *)(memory + job.ring_at), split, channel,
                                       first, count);
}

template <class M, int CHANNELS, int SLAB>
__global__ void __launch_bounds__(TC_GROUPS_THREADS, 2)
    tc_groups_wgrad_kernel(const __grid_constant__ tc_groups_params job)
{
    TC_CODE_FROM(80)
    {
        TC_SHARED(memory);
        tc_groups_wgrad<tc_groups_wgrad_shape<M, CHANNELS, SLAB>>(job, (char *)memory);
    }
}

#endif
