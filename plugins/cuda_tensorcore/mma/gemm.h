/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A convolution as a product of matrices on matrix units: result[row][column] is the sum over terms
 * of gathered[row][term] * other[term][column]; rows are positions and terms are taps of channels,
 * or in direction filter the reverse (conv_view.h). A block works on a tile of rows and columns of
 * one group, class and split. Tiles along the sum go through a ring of STAGES in shared memory:
 * while one is multiplied, the others are on their way. Places of a tile's terms are worked out by
 * one warp a turn before the tile is asked for.
 */
#ifndef CUDA_TENSORCORE_MMA_GEMM_H
#define CUDA_TENSORCORE_MMA_GEMM_H

#include "../common/epilogue.h"
#include "../common/launch.h"
#include "load.h"

/* Outside every tensor, whatever it is added to. */
__device__ static inline conv_place tc_nowhere()
{
    conv_place place = {};

    place.at[0] = CONV_NOWHERE;
    return place;
}

/* Rows behind the last one gather nothing and are not stored. */
template <class S>
__device__ static inline void tc_place_rows(const tc_job &job, const tc_block &block,
                                            conv_place *rows)
{
    for (int r = (int)threadIdx.x; r < S::ROWS; r += S::THREADS) {
        int32_t row = block.first_row + r;

        if (row < block.rows)
            conv_place_any(&rows[r], job, block.view, row, conv_rows_are_taps(job));
        else
            rows[r] = tc_nowhere();
    }
}

/* The places of tile t, by the lanes of one warp. */
template <class S>
__device__ static inline void tc_place_terms(const tc_job &job, const tc_block &block,
                                             conv_place *terms, int32_t t)
{
    for (int p = (int)threadIdx.x % 32; p < S::PLACES; p += 32) {
        int32_t index = t * S::TERMS + p * S::UNIT;
        conv_place *to = terms + t % S::STAGES * S::PLACES + p;

        if (index < block.summed)
            conv_place_any(to, job, block.view, index, !conv_rows_are_taps(job));
        else
            *to = tc_nowhere();
    }
}

/* Adds up the product of a tile to a warp's sums. */
template <class S, int DOWN, int RIGHT>
__device__ static inline void tc_multiply_tile(typename S::math::sum (&sum)[DOWN][RIGHT][4],
                                               const char *gathered, const char *other, int row,
                                               int column)
{
    typedef typename S::gathered_tile gathered_tile;
    typedef typename S::other_tile other_tile;

#pragma unroll
    for (int term = 0; term < S::TERMS; term += gathered_tile::STEP) {
        uint32_t a[DOWN][4], b[RIGHT][2];

#pragma unroll
        for (int i = 0; i < DOWN; i++)
            gathered_tile::load_a(a[i], gathered, row + i * 16, term);
#pragma unroll
        for (int j = 0; j < RIGHT; j += 2)
            other_tile::load_b(b[j], other, column + j * 8, term);
        tc_multiply_all<typename S::math>(sum, a, b);
    }
}

template <class S> __device__ static inline void tc_gemm_block(const tc_job &job, char *memory)
{
    enum { DOWN = S::WARP_ROWS / 16, RIGHT = S::WARP_COLUMNS / 8, STAGES = S::STAGES };
    conv_place *rows = (conv_place *)(memory + S::ROW_PLACES_AT);
    conv_place *terms = (conv_place *)(memory + S::TERM_PLACES_AT);
    tc_block &block = *(tc_block *)(memory + S::BLOCK_AT);
    int warp = (int)threadIdx.x / 32;
    int row = warp / S::WARPS_RIGHT * S::WARP_ROWS,
        column = warp % S::WARPS_RIGHT * S::WARP_COLUMNS;
    tc_gathered<typename S::gathered_tile, S, S::GATHERED_LINE, S::HOW> gathered;
    tc_other<typename S::other_tile, S, S::OTHER_LINE, S::HOW> other;
    typename S::math::sum sum[DOWN][RIGHT][4] = {};

    if (threadIdx.x == 0)
        tc_block_at(&block, job, (int32_t)blockIdx.x, S::ROWS, S::COLUMNS, S::TERMS);
    __syncthreads();
    if (block.first_row >= block.rows)
        return;
    int32_t begin = block.begin, end = block.end;

    auto stage = [&](int32_t t) { return memory + t % STAGES * S::STAGE_BYTES; };
    auto fetch = [&](int32_t t) {
        tc_places places = {&block, rows, terms + t % STAGES * S::PLACES};

        if (t < end) {
            gathered.fetch(job, places, stage(t));
            other.fetch(job, places, t * S::TERMS, stage(t) + S::gathered_tile::BYTES);
        }
        tc_copy_commit();
    };
    auto put = [&](int32_t t) {
        if (t < end) {
            gathered.put(job, stage(t));
            other.put(job, stage(t) + S::gathered_tile::BYTES);
        }
    };

    tc_place_rows<S>(job, block, rows);
    for (int32_t t = begin + warp; t < begin + STAGES; t += S::WARPS)
        tc_place_terms<S>(job, block, terms, t);
    __syncthreads();
    for (int32_t t = begin; t < begin + STAGES - 1; t++) {
        fetch(t);
        put(t);
    }
    for (int32_t t = begin; t < end; t++) {
        tc_copy_wait<STAGES - 2>();
        __syncthreads();
        fetch(t + STAGES - 1);
        tc_multiply_tile<S>(sum, stage(t), stage(t) + S::gathered_tile::BYTES, row, column);
        put(t + STAGES - 1);
        if (warp == t % S::WARPS)
            tc_place_terms<S>(job, block, terms, t + STAGES);
    }
    tc_copy_wait<0>();

    if (job.output.z) {
        for (int r = (int)threadIdx.x; r < S::ROWS; r += S::THREADS)
            rows[r].x = conv_view_position(job.conv, block.view,
                                           conv_least(block.first_row + r, block.rows - 1), true);
    }
#pragma unroll
    for (int piece = 0; piece < S::WARPS_DOWN; piece++) {
        __syncthreads();
        if (row == piece * S::WARP_ROWS)
            tc_put_sums<S>((typename S::math::sum *)memory, sum, column);
        __syncthreads();
        tc_store<S>(job, block, rows, (const typename S::math::sum *)memory, piece * S::WARP_ROWS);
    }
}

template <class S>
__global__ void __launch_bounds__((int)S::THREADS, (int)S::RESIDENT)
    tc_gemm_kernel(const tc_job job)
{
    TC_CODE_FROM(S::math::CAPABILITY)
    {
        TC_SHARED(memory);
        tc_wait_for_last();
        tc_gemm_block<S>(job, (char *)memory);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class S> static void tc_gemm_step(struct tc_step *step, const struct tc_job *job)
{
    static uint8_t asked[TC_DEVICES_SEEN];

    tc_step_make(step, tc_gemm_kernel<S>, asked, S::THREADS, S::SHARED_BYTES, tc_blocks(*job),
                 *job);
}

/* A row of a table of kernels. */
template <class S>
constexpr struct tc_kernel tc_row(int32_t number, int32_t type, int32_t direction, double part,
                                  int32_t (*takes)(const struct conv *conv,
                                                   const struct tc_wish *wish) = nullptr)
{
    return {number,         type,       direction, S::HOW,          S::math::CAPABILITY,
            S::ROWS,        S::COLUMNS, S::TERMS,  S::THREADS,      S::SHARED_BYTES,
            S::RESIDENT,    part,       takes,     tc_gemm_step<S>, nullptr,
            S::math::SPLITS};
}

#endif
