/* SPDX-License-Identifier: Apache-2.0 */
/* Implements grouped convolutions, fprop and dgrad. The filters stay in shared memory in units
 * of 8 k: 8 channels of each n in fprop, and 8 n of each k in dgrad. A unit covers one tap and 8
 * channels of a group; ldmatrix reads both kinds. A step of 16 k is one tap of 16 channels, or
 * two taps of groups of 8 channels. groups/gemm_c4.h implements groups of 4. */
#ifndef CUDA_TENSORCORE_GROUPS_GEMM_H
#define CUDA_TENSORCORE_GROUPS_GEMM_H

#include "gemm_c4.h"

/* ------------------------------------------------------------------ filters */

/* Loads the units of filters. In each warp, 8 threads go along the lines, and 4 along contiguous
 * data. If a lane's n are to be adjacent, lines have the order of N in the products: two of each
 * lane, then two more of each. */
template <class S>
__device__ static inline void tc_groups_load_filters(const tc_groups_params &job, int32_t channel,
                                                     char *to)
{
    typedef typename S::element element;
    enum { WARPS = S::SLAB / 8, STEP = TC_GROUPS_WARPS / WARPS * 4, N_PER_LANE = S::WARP_N / 4 };
    int32_t warp = (int32_t)(threadIdx.x / 32);
    int32_t line = warp % WARPS * 8 + (int32_t)(threadIdx.x % 8), n = line;

    if (S::IN_ORDER)
        n = line / S::WARP_N * S::WARP_N + line % 8 / 2 * N_PER_LANE + line % S::WARP_N / 8 * 2 +
            line % 2;
    int32_t number = channel + n;
    const element *from = (const element *)job.b + number / S::GROUP * job.conv.tap_group +
                          number % S::GROUP * job.tap_line;

#pragma unroll 4
    for (int32_t unit = (int32_t)(threadIdx.x / 8) % 4 + warp / WARPS * 4;
         unit < job.entries * S::UNITS; unit += STEP) {
        int32_t tap = job.tap_b[unit / S::UNITS];
        bool there = tap >= 0 && number < job.channels;

        tc_copy(to + unit * tc_groups_unit(S::SLAB) + line * 16,
                there ? from + tap + unit % S::UNITS * 8 : (const element *)job.b, there);
    }
}

/* Returns the address of a lane's row of filters, without the offset of a step. */
template <class S>
__device__ static inline uint32_t tc_groups_filter_address(const char *memory, int32_t n)
{
    int32_t lane = (int32_t)(threadIdx.x % 32), low = lane / 8 % 2, high = lane / 16;
    int32_t line = S::IS_DGRAD && !S::PAIRS ? low : high;

    return tc_shared_address(memory) + (uint32_t)((n + line * 8 + lane % 8) * 16 +
                                                  (low + high - line) * tc_groups_unit(S::SLAB));
}

/* Loads the filters of step `half` of a tap. The tap's units begin at `address`. */
template <class S>
__device__ static inline void tc_groups_read_filters(uint32_t address, int half,
                                                     uint32_t (&b)[S::FRAGS_N][2])
{
#pragma unroll
    for (int f = 0; f < S::FRAGS_N; f += 2) {
        if (S::IS_DGRAD)
            tc_ldmatrix_trans(b[f], address + (uint32_t)(f * tc_groups_unit(S::SLAB) + half * 256));
        else
            tc_ldmatrix(b[f], address + (uint32_t)(f * 128 + half * 2 * tc_groups_unit(S::SLAB)));
    }
}

/* ------------------------------------------------------------------ products */

/* Adds the products of one tap, for groups of 16 channels and more. `at` is the offset of the
 * tap in the halo. */
template <class S>
__device__ static inline void
tc_groups_mma_tap(uint32_t at, const uint32_t (&halo)[S::PIECES], uint32_t filters,
                  float (&sum)[S::SUB_GEMMS][S::PIECES][S::SUB_FRAGS_N][4])
{
#pragma unroll
    for (int half = 0; half < S::STEPS; half++) {
        uint32_t a[S::PIECES][4], b[S::FRAGS_N][2];

        tc_groups_read_filters<S>(filters, half, b);
#pragma unroll
        for (int i = 0; i < S::PIECES; i++)
            tc_ldmatrix(a[i], halo[i] + at + (uint32_t)(half * 32));
        tc_mma_all<typename S::math>(sum[0], a, b);
    }
}

/* Adds the products of two taps, for two groups of 8 channels. If `lone` is true, there is only
 * one tap. */
template <class S>
__device__ static inline void
tc_groups_mma_pair(uint32_t at, bool lone, const uint32_t (&halo)[S::PIECES], uint32_t filters,
                   float (&sum)[S::SUB_GEMMS][S::PIECES][S::SUB_FRAGS_N][4])
{
    uint32_t b[S::FRAGS_N][2];

    tc_groups_read_filters<S>(filters, 0, b);
#pragma unroll
    for (int f = 0; f < 2; f++) {
        uint32_t a[S::PIECES][4], b_of_tap[1][2] = {{b[f][0], b[f][1]}};

#pragma unroll
        for (int i = 0; i < S::PIECES; i++) {
            tc_ldmatrix(a[i], halo[i] + at + (uint32_t)(f * 16));
            if (lone)
                a[i][2] = a[i][3] = 0;
        }
        tc_mma_all<typename S::math>(sum[f], a, b_of_tap);
    }
}

/* Adds the products of all taps of a class. If there are 9 taps, the loop is unrolled. */
template <class S>
__device__ static inline void
tc_groups_mma_taps(const tc_groups_params &job, const tc_groups_class &of,
                   const uint32_t (&halo)[S::PIECES], uint32_t filters,
                   float (&sum)[S::SUB_GEMMS][S::PIECES][S::SUB_FRAGS_N][4])
{
    enum { STEP = S::PAIRS ? 2 : 1, BYTES = S::UNITS * tc_groups_unit(S::SLAB) };
    bool first = threadIdx.x % 32 < 16;

    if (job.in_one) {
#pragma unroll
        for (int tap = 0; tap < TC_GROUPS_SET; tap += STEP) {
            if constexpr (S::PAIRS)
                tc_groups_mma_pair<S>((uint32_t)(first ? job.tap_halo[tap] : job.tap_halo[tap + 1]),
                                      tap + 1 == TC_GROUPS_SET, halo,
                                      filters + (uint32_t)(tap * BYTES), sum);
            else
                tc_groups_mma_tap<S>((uint32_t)job.tap_halo[tap], halo,
                                     filters + (uint32_t)(tap * BYTES), sum);
        }
        return;
    }
#pragma unroll 1
    for (int tap = of.tap; tap < of.tap + of.taps; tap += STEP) {
        if constexpr (S::PAIRS)
            tc_groups_mma_pair<S>((uint32_t)(first ? job.tap_halo[tap] : job.tap_halo[tap + 1]),
                                  job.tap_b[tap + 1] < 0, halo, filters + (uint32_t)(tap * BYTES),
                                  sum);
        else
            tc_groups_mma_tap<S>((uint32_t)job.tap_halo[tap], halo,
                                 filters + (uint32_t)(tap * BYTES), sum);
    }
}

/* Computes and stores the positions of a tile that belong to a warp, for one class. */
template <class S>
__device__ static inline void
tc_groups_mma(const tc_groups_params &job, int32_t number, const tc_groups_at &at, uint32_t halo,
              uint32_t filters, uint32_t zeros, int32_t channel, const tc_groups_pixel_entry *table)
{
    int lane = (int)(threadIdx.x % 32), warp = (int)(threadIdx.x / 32);
    int n = warp % S::WARPS_N * S::WARP_N;
    const tc_groups_class &of = job.class_of[number];
    tc_groups_window window = tc_groups_window_of(job, number, at);

    halo += (uint32_t)(n * 2 + (S::PAIRS ? 0 : lane / 16 * 16));
#pragma unroll 1
    for (int piece = warp / S::WARPS_N * S::PIECES; piece < job.pieces;
         piece += S::WARPS_M * S::PIECES) {
        const tc_groups_pixel_entry *positions = table + piece * 16;
        float sum[S::SUB_GEMMS][S::PIECES][S::SUB_FRAGS_N][4] = {};

        if constexpr (S::GROUP == 4) {
            tc_groups_mma_c4<S>(job, of, positions, halo, filters, zeros, sum);
        } else {
            uint32_t from[S::PIECES];

#pragma unroll
            for (int i = 0; i < S::PIECES; i++)
                from[i] = halo + positions[i * 16 + lane % 16].halo;
            tc_groups_mma_taps<S>(job, of, from, filters, sum);
        }
        if (S::PACKS && window.whole && (piece + S::PIECES) * 16 <= job.positions)
            tc_groups_epilogue<S, S::PACKS>(job, window, positions, channel + n, sum);
        else
            tc_groups_epilogue<S, false>(job, window, positions, channel + n, sum);
    }
}

template <class S>
__device__ static inline void tc_groups_gemm(const tc_groups_params &job, char *memory)
{
    int n = (int)(threadIdx.x / 32) % S::WARPS_N * S::WARP_N;
    int32_t channel = (int32_t)blockIdx.x % job.slabs * S::SLAB;
    int32_t blocks = (int32_t)gridDim.x / job.slabs, first = (int32_t)blockIdx.x / job.slabs;
    int32_t stage = 0, last = 0, next = first;
    uint32_t ring = tc_shared_address(memory + job.ring_at);
    uint32_t zeros = tc_shared_address(memory + job.zeros_at);
    uint32_t filters =
        S::GROUP == 4 ? tc_groups_c4_address(memory, n) : tc_groups_filter_address<S>(memory, n);
    const tc_groups_pixel_entry *table = (const tc_groups_pixel_entry *)(memory + job.table_at);

    /* The filters are loaded together with the first tile. */
    tc_groups_make_tables<S>(job, memory);
    tc_wait_on_dependent_grids();
    if constexpr (S::GROUP == 4)
        tc_groups_load_c4<S>(job, channel, memory);
    else
        tc_groups_load_filters<S>(job, channel, memory);
    __syncthreads();
#pragma unroll 1
    for (; last < job.tile.stages - 1; last++, next += blocks) {
        if (next < job.tiles)
            tc_groups_load_halo<S>(job, tc_groups_tile_at(job, next), channel, memory,
                                   ring + (uint32_t)(last * job.stage_bytes));
        tc_cp_async_commit();
    }
#pragma unroll 1
    for (int32_t tile = first; tile < job.tiles; tile += blocks, next += blocks) {
        tc_groups_at at = tc_groups_tile_at(job, tile);

        tc_groups_wait(job);
        if (next < job.tiles)
            tc_groups_load_halo<S>(job, tc_groups_tile_at(job, next), channel, memory,
                                   ring + (uint32_t)(last * job.stage_bytes));
        tc_cp_async_commit();
        if (channel + n < job.channels) {
            for (int c = 0; c < job.classes; c++)
                tc_groups_mma<S>(job, c, at, ring + (uint32_t)(stage * job.stage_bytes), filters,
                                 zeros, channel, table);
        }
        stage = tc_groups_next(job, stage);
        last = tc_groups_next(job, last);
    }
}

template <class M, int CHANNELS, bool DGRAD, bool STORES_BY_8, int SLAB>
__global__ void __launch_bounds__(TC_GROUPS_THREADS, 2)
    tc_groups_gemm_kernel(const __grid_constant__ tc_groups_params job)
{
    TC_CODE_FROM(80)
    {
        TC_SHARED(memory);
        tc_groups_gemm<tc_groups_shape<M, CHANNELS, DGRAD, STORES_BY_8, SLAB>>(job, (char *)memory);
    }
}

#endif
