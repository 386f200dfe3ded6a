/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grouped convolutions, direction filter. Positions are what is summed over: a stage of the ring
 * has a tile's pixels of x, its halo, and its lines of dy, and ldmatrix transposes both. A warp
 * keeps the sums of TC_GROUPS_SET taps: of 16 filters with the 16 channels at their side, of which
 * groups of 4 and 8 keep the products within a group, or of all 32 filters of a group with 8
 * channels. The two warps that have the same sums take turns with the pieces of a tile. A position
 * that is not there reads zeros from both sides. Parts of sums lie as a packed filter does.
 */
#ifndef CUDA_TENSORCORE_GROUPS_FILTER_H
#define CUDA_TENSORCORE_GROUPS_FILTER_H

#include "groups_store.h"

/* Numbers of an instantiation: 16 filters times ROWS, 8 channels times COLUMNS a warp. */
template <class M, int CHANNELS> struct tc_groups_filter_shape {
    typedef M math;
    typedef typename M::element element;
    enum {
        GROUP = CHANNELS,
        ROWS = CHANNELS == 32 ? 2 : 1,
        COLUMNS = CHANNELS == 32 ? 1 : 2,
        ACROSS = TC_GROUPS_SLAB / 8 / COLUMNS, /* warps with other channels */
        DOWN = TC_GROUPS_WARPS / ACROSS,       /* warps with the same ones */
        NUMBERS = TC_GROUPS_SET * ROWS * COLUMNS * 4
    };
};

/* A tile's lines of dy, zeros for positions that are not there. */
template <class E>
__device__ static inline void tc_groups_load_dy(const tc_groups_job &job, const tc_groups_at &at,
                                                int32_t channel, const tc_groups_place *table,
                                                uint32_t to)
{
    int32_t chunk = (int32_t)threadIdx.x % 8 * 8;
    int32_t count = job.tile.images * job.tile.h * job.tile.w;
    tc_groups_window window = tc_groups_window_of(job, 0, at);
    const E *dy = (const E *)job.other + (int64_t)at.image * job.y_image + at.h * job.y_h +
                  at.w * job.y_w + channel + chunk;
    bool real = channel + chunk < job.channels;

    for (int32_t i = (int32_t)threadIdx.x / 8; i < count; i += TC_GROUPS_THREADS / 8) {
        const tc_groups_place place = table[i];
        bool there = tc_groups_is_there(window, place) && real;

        tc_copy(to + (uint32_t)(i * TC_GROUPS_PIXEL + chunk * 2), there ? dy + place.from : dy,
                there);
    }
}

template <class S>
__device__ static inline void tc_groups_load_both(const tc_groups_job &job, int32_t tile,
                                                  int32_t channel, const char *memory, uint32_t to)
{
    typedef typename S::element element;

    if (tile < job.tiles) {
        tc_groups_at at = tc_groups_tile_at(job, tile);

        tc_groups_load_halo<element>(job, at, channel,
                                     (const tc_groups_place *)(memory + job.lines_at), to);
        tc_groups_load_dy<element>(job, at, channel,
                                   (const tc_groups_place *)(memory + job.table_at),
                                   to + (uint32_t)job.dy_at);
    }
    tc_copy_commit();
}

/* The products of 16 positions for the taps of a set, `count` of them. */
template <class S>
__device__ static inline void
tc_groups_multiply_set(const int32_t *tap_at, int32_t count, uint32_t pixels, uint32_t there,
                       uint32_t lines, float (&sum)[TC_GROUPS_SET][S::ROWS][S::COLUMNS][4])
{
    typedef typename S::math math;
    int second = (int)threadIdx.x / 8 % 2;
    uint32_t a[S::ROWS][4];

#pragma unroll
    for (int i = 0; i < S::ROWS; i++)
        tc_load_transposed(a[i], lines + (there & (uint32_t)(i * 32)));
    if constexpr (S::COLUMNS == 2) {
#pragma unroll
        for (int t = 0; t < TC_GROUPS_SET; t++) {
            uint32_t from[4];

            if (t >= count)
                break;
            tc_load_transposed(from, pixels + (there & (uint32_t)tap_at[t]));
            const uint32_t b[2][2] = {{from[0], from[2]}, {from[1], from[3]}};
            tc_multiply_all<math>(sum[t], a, b);
        }
    } else {
#pragma unroll
        for (int t = 0; t < TC_GROUPS_SET; t += 2) {
            bool both = t + 1 < TC_GROUPS_SET && t + 1 < count;
            uint32_t from[4];

            if (t >= count)
                break;
            tc_load_transposed(
                from, pixels + (there & (uint32_t)(both && second ? tap_at[t + 1] : tap_at[t])));
            const uint32_t b[1][2] = {{from[0], from[2]}};
            tc_multiply_all<math>(sum[t], a, b);
            if (t + 1 < TC_GROUPS_SET && both) {
                const uint32_t other[1][2] = {{from[1], from[3]}};
                tc_multiply_all<math>(sum[t + 1 < TC_GROUPS_SET ? t + 1 : t], a, other);
            }
        }
    }
}

/* The pieces of a tile that are the warp's. */
template <class S>
__device__ static inline void
tc_groups_multiply_tile(const tc_groups_job &job, const tc_groups_at &at, const int32_t *tap_at,
                        int32_t count, uint32_t stage, uint32_t zeros, const tc_groups_place *table,
                        float (&sum)[TC_GROUPS_SET][S::ROWS][S::COLUMNS][4])
{
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, across = warp % S::ACROSS;
    uint32_t second = (uint32_t)(lane / 8 % 2 * 16);
    uint32_t channels = (uint32_t)(across * S::COLUMNS * 16) + (S::COLUMNS == 2 ? second : 0);
    uint32_t filters = (uint32_t)(across * S::COLUMNS * 8 / (S::ROWS * 16) * S::ROWS * 32) + second;
    tc_groups_window window = tc_groups_window_of(job, 0, at);

    for (int piece = warp / S::ACROSS; piece < job.pieces; piece += S::DOWN) {
        int i = piece * 16 + lane / 16 * 8 + lane % 8;
        const tc_groups_place place = table[i];
        bool there = tc_groups_is_there(window, place);
        uint32_t pixels = there ? stage + (uint32_t)place.halo + channels : zeros;
        uint32_t lines =
            there ? stage + (uint32_t)(job.dy_at + i * TC_GROUPS_PIXEL) + filters : zeros;

        tc_groups_multiply_set<S>(tap_at, count, pixels, there ? UINT32_MAX : 0, lines, sum);
    }
}

/* Adds the sums of the second warps to those of the first ones, through shared memory. */
template <class S>
__device__ static inline void tc_groups_join(float *memory,
                                             float (&sum)[TC_GROUPS_SET][S::ROWS][S::COLUMNS][4])
{
    int warp = (int)threadIdx.x / 32;
    float *at = memory + warp % S::ACROSS * S::NUMBERS * 32 + threadIdx.x % 32;

    tc_copy_wait<0>();
    __syncthreads();
#pragma unroll
    for (int n = 0; n < S::NUMBERS; n++) {
        if (warp >= S::ACROSS)
            at[n * 32] = sum[n / (S::ROWS * S::COLUMNS * 4)][n / (S::COLUMNS * 4) % S::ROWS]
                            [n / 4 % S::COLUMNS][n % 4];
    }
    __syncthreads();
#pragma unroll
    for (int n = 0; n < S::NUMBERS; n++) {
        if (warp < S::ACROSS)
            sum[n / (S::ROWS * S::COLUMNS * 4)][n / (S::COLUMNS * 4) % S::ROWS][n / 4 % S::COLUMNS]
               [n % 4] += at[n * 32];
    }
}

/* To the parts, or to the filter itself where there is one part. */
template <class S>
__device__ static inline void tc_groups_store_tap(const tc_groups_job &job, int32_t split,
                                                  int32_t tap, int32_t k, int32_t c, float sum)
{
    typedef typename S::element element;
    int32_t within = c % S::GROUP;

    if (k / S::GROUP != c / S::GROUP || k >= job.channels)
        return;
    if (job.partial)
        ((float *)
             job.partial)[(((int64_t)split * job.channels + k) * job.entries + tap) * S::GROUP +
                          within] = sum;
    else
        cuda_blend_store((element *)job.output.data + k / S::GROUP * job.conv.tap_group +
                             k % S::GROUP * job.conv.tap_column + job.tap_w[tap] +
                             within * job.conv.tap_depth,
                         sum, job.output.blend);
}

template <class S>
__device__ static inline void tc_groups_filter(const tc_groups_job &job, char *memory)
{
    int lane = (int)threadIdx.x % 32, across = (int)threadIdx.x / 32 % S::ACROSS;
    int32_t sets = (job.entries + TC_GROUPS_SET - 1) / TC_GROUPS_SET;
    int32_t channel = (int32_t)blockIdx.x % job.slabs * TC_GROUPS_SLAB;
    int32_t first = (int32_t)blockIdx.x / job.slabs % sets * TC_GROUPS_SET;
    int32_t split = (int32_t)blockIdx.x / job.slabs / sets;
    int32_t count = job.entries - first < TC_GROUPS_SET ? job.entries - first : TC_GROUPS_SET;
    int32_t stage = 0, last = 0, next = split;
    uint32_t zeros = tc_shared_address(memory), ring = zeros + (uint32_t)job.ring_at;
    const tc_groups_place *table = (const tc_groups_place *)(memory + job.table_at);
    float sum[TC_GROUPS_SET][S::ROWS][S::COLUMNS][4] = {};

    if (threadIdx.x < TC_GROUPS_ZEROS / 16)
        ((uint4 *)memory)[threadIdx.x] = uint4{0, 0, 0, 0};
    tc_groups_make_tables(job, memory);
    __syncthreads();
    for (; last < job.tile.stages - 1; last++, next += job.splits)
        tc_groups_load_both<S>(job, next, channel, memory,
                               ring + (uint32_t)(last * job.stage_bytes));
    for (int32_t tile = split; tile < job.tiles; tile += job.splits, next += job.splits) {
        tc_groups_wait(job);
        tc_groups_load_both<S>(job, next, channel, memory,
                               ring + (uint32_t)(last * job.stage_bytes));
        tc_groups_multiply_tile<S>(job, tc_groups_tile_at(job, tile), job.tap_at + first, count,
                                   ring + (uint32_t)(stage * job.stage_bytes), zeros, table, sum);
        stage = tc_groups_next(job, stage);
        last = tc_groups_next(job, last);
    }
    if (S::DOWN > 1) {
        tc_groups_join<S>((float *)(memory + job.ring_at), sum);
        if ((int)threadIdx.x / 32 >= S::ACROSS)
            return;
    }
#pragma unroll
    for (int t = 0; t < TC_GROUPS_SET; t++) {
#pragma unroll
        for (int n = 0; n < S::ROWS * S::COLUMNS * 4; n++) {
            int i = n / (S::COLUMNS * 4), j = n / 4 % S::COLUMNS;
            int32_t c = channel + (across * S::COLUMNS + j) * 8 + lane % 4 * 2 + n % 2;
            int32_t k = channel + across * S::COLUMNS * 8 / (S::ROWS * 16) * S::ROWS * 16 + i * 16 +
                        lane / 4 + n / 2 % 2 * 8;

            if (t < count)
                tc_groups_store_tap<S>(job, split, first + t, k, c, sum[t][i][j][n % 4]);
        }
    }
}

template <class M, int CHANNELS>
__global__ void __launch_bounds__(TC_GROUPS_THREADS, 2)
    tc_groups_filter_kernel(const __grid_constant__ tc_groups_job job)
{
#ifdef __CUDA_ARCH__
    if constexpr (TC_CAPABILITY < 80)
        return;
    else
#endif
    {
        TC_SHARED(memory);
        tc_groups_filter<tc_groups_filter_shape<M, CHANNELS>>(job, (char *)memory);
    }
}

/* ------------------------------------------------------------------ adding up */

/* Elements of the filter, which are added up in order: a thread goes along every LINES-th part,
 * then one of them adds what they have. */
#define TC_GROUPS_ADD_LINES 8
#define TC_GROUPS_ADD_EACH  (TC_GROUPS_THREADS / TC_GROUPS_ADD_LINES)

template <class E>
static __global__ void __launch_bounds__(TC_GROUPS_THREADS)
    tc_groups_add_kernel(const __grid_constant__ tc_groups_job job)
{
    __shared__ double sums[TC_GROUPS_ADD_LINES][TC_GROUPS_ADD_EACH];
    int32_t depth = (int32_t)job.conv.depth, count = job.channels * job.entries * depth;
    int32_t x = (int32_t)threadIdx.x % TC_GROUPS_ADD_EACH;
    int32_t line = (int32_t)threadIdx.x / TC_GROUPS_ADD_EACH;
    int32_t at = (int32_t)blockIdx.x * TC_GROUPS_ADD_EACH + x;
    double sum = 0;

    if (at < count) {
        const float *from = (const float *)job.partial + at;

#pragma unroll 8
        for (int32_t split = line; split < job.splits; split += TC_GROUPS_ADD_LINES)
            sum += (double)from[(int64_t)split * count];
    }
    sums[line][x] = sum;
    __syncthreads();
    if (line > 0 || at >= count)
        return;
    for (int other = 1; other < TC_GROUPS_ADD_LINES; other++)
        sum += sums[other][x];
    int32_t c = at % depth, tap = at / depth % job.entries, k = at / depth / job.entries;
    cuda_blend_store((E *)job.output.data + k / depth * job.conv.tap_group +
                         k % depth * job.conv.tap_column + job.tap_w[tap] + c * job.conv.tap_depth,
                     sum, job.output.blend);
}

#endif
