/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of an instantiation of the family taps, and how its shared memory is divided. Tiles
 * have 128 bytes along the sum: with 64 x 64 results a warp, a step of 32 bytes reads 4 KB of
 * shared memory in 32 cycles for products of about 50. */
#ifndef CUDA_TENSORCORE_TAPS_SHAPE_H
#define CUDA_TENSORCORE_TAPS_SHAPE_H

#include "shape.h"
#include "taps_job.h"

#define TC_TAPS_BYTES 128

template <class MATH, class SIZE, int WHAT> struct tc_taps_shape {
    typedef MATH math;
    typedef typename MATH::element element;
    enum {
        ROWS = SIZE::ROWS,
        COLUMNS = SIZE::COLUMNS,
        WARP_ROWS = SIZE::WARP_ROWS,
        WARP_COLUMNS = SIZE::WARP_COLUMNS,
        STAGES = SIZE::STAGES,
        RESIDENT = SIZE::RESIDENT,
        HOW = TC_BY_16,
        DIRECTION = WHAT,
        GATHERED_LINE = TC_LINE_IS_ROW,
        OTHER_LINE = WHAT == TC_FORWARD ? TC_LINE_IS_ROW : TC_LINE_IS_TERM,
        EACH = 16 / (int)sizeof(element),
        TERMS = TC_TAPS_BYTES / (int)sizeof(element),
        WARPS_DOWN = ROWS / WARP_ROWS,
        WARPS_RIGHT = COLUMNS / WARP_COLUMNS,
        WARPS = WARPS_DOWN * WARPS_RIGHT,
        THREADS = WARPS * 32,
        DOWN = WARP_ROWS / 16,
        RIGHT = WARP_COLUMNS / 8
    };
    typedef tc_tile<MATH, ROWS, TERMS, GATHERED_LINE> gathered_tile;
    typedef tc_tile<MATH, COLUMNS, TERMS, OTHER_LINE> other_tile;
    enum {
        STAGE_BYTES = gathered_tile::BYTES + other_tile::BYTES,
        SUM_LINE = COLUMNS + TC_SUM_PAD,
        RESULT_LINE =
            COLUMNS * (int)sizeof(element) + 16, /* bytes; 16 more against bank conflicts */
        TILES_BYTES = STAGES * STAGE_BYTES,
        SUM_BYTES = WARP_ROWS * SUM_LINE * 4,
        RESULT_BYTES = ROWS * RESULT_LINE,
        MORE_BYTES = SUM_BYTES > RESULT_BYTES ? SUM_BYTES : RESULT_BYTES,
        PLACES_AT = TILES_BYTES > MORE_BYTES ? TILES_BYTES : MORE_BYTES,
        BLOCK_AT = PLACES_AT + ROWS * (int)sizeof(tc_taps_place),
        VIEW_AT = BLOCK_AT + (int)sizeof(tc_taps_block), /* direction data */
        SHARED_BYTES = VIEW_AT + (WHAT == TC_DATA ? (int)sizeof(tc_taps_view) : 0)
    };
};

/* ------------------------------------------------------------------ fragments */

/*
 * Where a lane reads the fragments of its warp: tc_tile's places, with what does not change in the
 * loop worked out before it. The chunk's place in a line is turned by the line's number, of which
 * only what the lane adds counts, since everything else adds multiples of 8; so steps along a line
 * are exclusive ors of the address. `ROWS_FIRST` as in tc_tile::load_four.
 */
template <class TILE, int LINE_IS, bool ROWS_FIRST> struct tc_taps_reader {
    enum {
        LINE_BYTES = TILE::CHUNKS * 16,
        BY_WORD = LINE_IS == TC_LINE_IS_TERM && TILE::SIZE == 4
    };
    uint32_t at;

    /* `first`: row or column of the warp. */
    __device__ void begin(int first)
    {
        int lane = (int)threadIdx.x % 32, block = lane / 8;
        int right = ROWS_FIRST ? block >> 1 : block & 1, down = ROWS_FIRST ? block & 1 : block >> 1;

        if (LINE_IS == TC_LINE_IS_ROW)
            at = (uint32_t)TILE::chunk_at(first + down * 8 + lane % 8, right);
        else if (BY_WORD)
            at = (uint32_t)(TILE::chunk_at(lane % 4, first / TILE::EACH + lane / 16) +
                            lane / 4 % 4 * 4);
        else
            at = (uint32_t)TILE::chunk_at(right * 8 + lane % 8, first / TILE::EACH + down);
    }

    /* The fragment `row` rows and `term` terms further on, of the tile at an address. */
    __device__ void load(uint32_t to[4], uint32_t tile, int row, int term) const
    {
        if (LINE_IS == TC_LINE_IS_ROW) {
            tc_load_matrices(to, ((tile + at) ^ (uint32_t)(term * TILE::SIZE)) +
                                     (uint32_t)(row * LINE_BYTES));
        } else if (BY_WORD) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                int along = row + (ROWS_FIRST ? i & 1 : i >> 1) * 8;
                int line = term + (ROWS_FIRST ? i >> 1 : i & 1) * 4;

                to[i] = tc_load_word(((tile + at) ^ (uint32_t)(along * TILE::SIZE)) +
                                     (uint32_t)(line * LINE_BYTES));
            }
        } else {
            tc_load_transposed(to, ((tile + at) ^ (uint32_t)(row * TILE::SIZE)) +
                                       (uint32_t)(term * LINE_BYTES));
        }
        if (TILE::ROUNDS) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                to[i] = tc_round_tf32(to[i]);
        }
    }
};

/* Both operands' fragments of a step along the sum. */
template <class S> struct tc_taps_fragments {
    uint32_t a[S::DOWN][4], b[S::RIGHT][2];
};

template <class S> struct tc_taps_readers {
    tc_taps_reader<typename S::gathered_tile, S::GATHERED_LINE, true> gathered;
    tc_taps_reader<typename S::other_tile, S::OTHER_LINE, false> other;

    __device__ void begin(int row, int column)
    {
        gathered.begin(row);
        other.begin(column);
    }

    __device__ void load(tc_taps_fragments<S> &to, uint32_t stage, int term) const
    {
#pragma unroll
        for (int i = 0; i < S::DOWN; i++)
            gathered.load(to.a[i], stage, i * 16, term);
#pragma unroll
        for (int j = 0; j < S::RIGHT; j += 2)
            other.load(to.b[j], stage + S::gathered_tile::BYTES, j * 8, term);
    }
};

#endif
