/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Direction filter of the family taps (taps_job.h): rows are taps of channels, channels inside;
 * terms are positions. A thread copies the same chunk of every line, so its tap and channels stay
 * what they are; places of positions are worked out a tile ahead of its copies, a thread each.
 */
#ifndef CUDA_TENSORCORE_TAPS_FILTER_H
#define CUDA_TENSORCORE_TAPS_FILTER_H

#include "taps_store.h"

template <class S> struct tc_taps_filter_loader {
    typedef typename S::element element;
    typedef typename S::gathered_tile gathered_tile;
    typedef typename S::other_tile other_tile;
    enum {
        GATHERED_APART = S::THREADS / gathered_tile::CHUNKS, /* lines */
        OTHER_APART = S::THREADS / other_tile::CHUNKS,
        GATHERED = (S::TERMS + GATHERED_APART - 1) / GATHERED_APART,
        OTHERS = (S::TERMS + OTHER_APART - 1) / OTHER_APART
    };
    static_assert(S::THREADS % gathered_tile::CHUNKS == 0 && S::THREADS % other_tile::CHUNKS == 0,
                  "a thread's chunks lie in one column");

    const element *gathered, *other;
    uint32_t memory, inside; /* bits of the thread's tap */
    bool has_row, has_column;

    __device__ void begin(const tc_taps_job &job, const tc_taps_view &view,
                          const tc_taps_block &block, uint32_t shared)
    {
        const conv &conv = job.conv;
        int32_t row = block.first_row + (int)threadIdx.x % gathered_tile::CHUNKS * S::EACH;
        int32_t column = block.first_column + (int)threadIdx.x % other_tile::CHUNKS * S::EACH;
        int32_t tap = row / (int32_t)conv.depth;
        int64_t at = block.group * conv.depth + row - tap * conv.depth;

        memory = shared;
        inside = 0;
#pragma unroll
        for (int d = CONV_DIMS - 1; d >= 0; d--) {
            int32_t taps = view.view.dim[d].taps, t = tap % taps;

            tap /= taps;
            at += t * view.tap_x[d];
            inside |= 1u << (TC_TAPS_BITS * d + t);
        }
        has_row = row < view.view.taps;
        has_column = column < (int32_t)conv.columns;
        gathered = (const element *)job.x + at;
        other = (const element *)job.other + block.group * conv.columns + column;
    }

    __device__ void fetch_gathered(const tc_taps_job &job, const tc_taps_place *places,
                                   uint32_t stage)
    {
#pragma unroll
        for (int i = 0; i < GATHERED; i++) {
            int line = (int)threadIdx.x / gathered_tile::CHUNKS + i * GATHERED_APART;

            if (S::TERMS % GATHERED_APART != 0 && line >= S::TERMS)
                break;
            const tc_taps_place place = places[line];
            bool in = has_row && (place.inside & inside) == inside;

            tc_copy(memory + stage +
                        (uint32_t)gathered_tile::chunk_at(line,
                                                          (int)threadIdx.x % gathered_tile::CHUNKS),
                    in ? gathered + place.x : (const element *)job.x, in);
        }
    }

    __device__ void fetch_other(const tc_taps_job &job, const tc_taps_place *places, uint32_t stage)
    {
#pragma unroll
        for (int i = 0; i < OTHERS; i++) {
            int line = (int)threadIdx.x / other_tile::CHUNKS + i * OTHER_APART;

            if (S::TERMS % OTHER_APART != 0 && line >= S::TERMS)
                break;
            int64_t position = places[line].position;
            bool in = has_column && position >= 0;

            tc_copy(memory + stage + gathered_tile::BYTES +
                        (uint32_t)other_tile::chunk_at(line, (int)threadIdx.x % other_tile::CHUNKS),
                    in ? other + position : (const element *)job.other, in);
        }
    }
};

/* The sums of a block, of tiles `begin` to `end`; turns as in tc_taps_sum. Two tiles' places are
 * kept, by turns: those of the tile that is copied, and those of the one behind it. */
template <class S>
__device__ static inline void
tc_taps_filter_sum(float (&sum)[S::DOWN][S::RIGHT][4], const tc_taps_job &job,
                   const tc_taps_view &view, tc_taps_filter_loader<S> &load, tc_taps_place *places,
                   uint32_t memory, int32_t begin, int32_t end)
{
    enum { STAGES = S::STAGES, STEP = S::gathered_tile::STEP, STEPS = S::TERMS / STEP };
    int warp = (int)threadIdx.x / 32;
    tc_taps_readers<S> read;
    tc_taps_fragments<S> fragments[2];
    uint32_t from = memory, to = (STAGES - 1) * S::STAGE_BYTES;
    int32_t next = begin;

    auto of = [&](int32_t tile) { return places + tile % 2 * S::TERMS; };
    auto place = [&](int32_t tile) {
        if (threadIdx.x < (unsigned)S::TERMS && tile < end)
            of(tile)[threadIdx.x] =
                tc_taps_place_at(job.conv, view, tile * S::TERMS + (int)threadIdx.x);
    };

    read.begin(warp / S::WARPS_RIGHT * S::WARP_ROWS, warp % S::WARPS_RIGHT * S::WARP_COLUMNS);
    place(begin);
#pragma unroll
    for (int t = 0; t < STAGES - 1; t++) {
        __syncthreads();
        place(next + 1);
        if (next < end) {
            load.fetch_gathered(job, of(next), (uint32_t)(t * S::STAGE_BYTES));
            load.fetch_other(job, of(next), (uint32_t)(t * S::STAGE_BYTES));
        }
        next++;
        tc_copy_commit();
    }
    tc_copy_wait<STAGES - 2>();
    __syncthreads();
    read.load(fragments[0], from, 0);
    for (int32_t t = begin; t < end; t++) {
#pragma unroll
        for (int k = 0; k < STEPS; k++) {
            if (k == STEPS - 1) {
                tc_copy_wait<STAGES - 2>();
                __syncthreads();
                from += S::STAGE_BYTES;
                if (from == memory + S::TILES_BYTES)
                    from = memory;
            }
            read.load(fragments[(k + 1) % 2], from, (k + 1) % STEPS * STEP);
            if (k == 0 && next < end)
                load.fetch_gathered(job, of(next), to);
            if (k == 1) {
                if (next < end)
                    load.fetch_other(job, of(next), to);
                next++;
                tc_copy_commit();
                to = to + S::STAGE_BYTES == S::TILES_BYTES ? 0 : to + S::STAGE_BYTES;
            }
            if (k == 2)
                place(next);
            tc_multiply_all<typename S::math>(sum, fragments[k % 2].a, fragments[k % 2].b);
        }
    }
    tc_copy_wait<0>();
}

/* A part of a split sum goes out from registers; two neighbours at a time fill whole sectors. */
template <class S>
__device__ static inline void tc_taps_store_part(const tc_taps_job &job, const tc_taps_view &view,
                                                 const tc_taps_block &block,
                                                 const float (&sum)[S::DOWN][S::RIGHT][4])
{
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int32_t row = block.first_row + warp / S::WARPS_RIGHT * S::WARP_ROWS + lane / 4;
    int32_t column = block.first_column + warp % S::WARPS_RIGHT * S::WARP_COLUMNS + lane % 4 * 2;

#pragma unroll
    for (int i = 0; i < S::DOWN * 2; i++) {
        float *to = (float *)job.partial +
                    conv_partial_at(job, block.split, block.group, row + i * 8, column);

        if (row + i * 8 >= view.view.taps)
            break;
#pragma unroll
        for (int j = 0; j < S::RIGHT; j++) {
            if (column + j * 8 < (int32_t)job.conv.columns)
                *(float2 *)(to + j * 8) = {sum[i / 2][j][i % 2 * 2], sum[i / 2][j][i % 2 * 2 + 1]};
        }
    }
}

/* Sums that were not split: floats in shared memory, a line of warps at a time, to the output. */
template <class S>
__device__ static inline void
tc_taps_store_filter(const tc_taps_job &job, const tc_taps_view &view, const tc_taps_block &block,
                     const float (&sum)[S::DOWN][S::RIGHT][4], char *memory)
{
    typedef typename S::element element;
    const conv &conv = job.conv;
    int warp = (int)threadIdx.x / 32;

#pragma unroll 1
    for (int line = 0; line < S::WARPS_DOWN; line++) {
        __syncthreads();
        if (warp / S::WARPS_RIGHT == line)
            tc_put_sums<S>((float *)memory, sum, warp % S::WARPS_RIGHT * S::WARP_COLUMNS);
        __syncthreads();
        for (int e = (int)threadIdx.x; e < S::WARP_ROWS * S::COLUMNS; e += S::THREADS) {
            int r = e % S::WARP_ROWS, c = e / S::WARP_ROWS;
            int32_t row = block.first_row + line * S::WARP_ROWS + r;
            int32_t column = block.first_column + c;
            conv_place place;

            if (row >= view.view.taps || column >= (int32_t)conv.columns)
                continue;
            conv_place_tap(&place, conv, view.view, row, true);
            cuda_blend_store((element *)job.output.data + place.other +
                                 block.group * conv.tap_group + column * conv.tap_column,
                             ((const float *)memory)[r * S::SUM_LINE + c], job.output.blend);
        }
    }
}

template <class S>
__device__ static inline void tc_taps_filter(const tc_taps_job &job, char *memory)
{
    tc_taps_block block = tc_taps_block_at(job, (int32_t)blockIdx.x, S::ROWS, S::COLUMNS);
    const tc_taps_view &view = job.class_of[0];
    int32_t tiles = (view.view.positions + S::TERMS - 1) / S::TERMS;
    int32_t each = (tiles + job.splits - 1) / job.splits;
    int32_t begin = conv_least(block.split * each, tiles), end = conv_least(begin + each, tiles);
    float sum[S::DOWN][S::RIGHT][4] = {};
    tc_taps_filter_loader<S> load;

    load.begin(job, view, block, tc_shared_address(memory));
    tc_taps_filter_sum<S>(sum, job, view, load, (tc_taps_place *)(memory + S::PLACES_AT),
                          tc_shared_address(memory), begin, end);
    if (job.partial)
        tc_taps_store_part<S>(job, view, block, sum);
    else
        tc_taps_store_filter<S>(job, view, block, sum, memory);
}

template <class S>
__global__ void __launch_bounds__((int)S::THREADS, (int)S::RESIDENT)
    tc_taps_filter_kernel(const __grid_constant__ tc_taps_job job)
{
#ifdef __CUDA_ARCH__
    if constexpr (TC_CAPABILITY < 80)
        return;
    else
#endif
    {
        TC_SHARED(memory);
        tc_taps_filter<S>(job, (char *)memory);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class S>
static int32_t tc_taps_filter_launch(const struct cuda_call *call, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];
    tc_taps_job taps;

    tc_taps_prepare(&taps, *job, (int32_t)sizeof(typename S::element));
    return tc_launch(call, tc_taps_filter_kernel<S>, S::THREADS, S::SHARED_BYTES, asked,
                     tc_blocks(*job), taps);
}

#endif
