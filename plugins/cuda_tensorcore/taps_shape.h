/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of an instantiation of the family taps, and how its shared memory is divided. Tiles
 * have 128 bytes along the sum: with 64 x 64 results a warp, a step of 32 bytes reads 4 KB of
 * shared memory in 32 cycles for products of about 50. So that small tiles, too, have warps of
 * many results, several warps may share the same results and take different steps of every tile;
 * they are joined at the end (taps_join.h). */
#ifndef CUDA_TENSORCORE_TAPS_SHAPE_H
#define CUDA_TENSORCORE_TAPS_SHAPE_H

#include "shape.h"
#include "taps_job.h"

#define TC_TAPS_BYTES 128

/* A tc_size, how many warps share results, and whether direction data with several classes is
 * taken, which is a kernel more. */
template <int R, int C, int WR, int WC, int N, int B, int J = 1, int K = 1>
struct tc_taps_size : tc_size<R, C, WR, WC, N, B> {
    enum { SHARERS = J, CLASSES = K };
};

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
        SHARERS = SIZE::SHARERS,
        CLASSES = WHAT == TC_DATA && SIZE::CLASSES,
        HOW = TC_BY_16,
        DIRECTION = WHAT,
        GATHERED_LINE = TC_LINE_IS_ROW,
        OTHER_LINE = WHAT == TC_FORWARD ? TC_LINE_IS_ROW : TC_LINE_IS_TERM,
        /* Terms follow each other without gaps between taps. To the data every line of a filter is
         * a term then, with a tap of its own: narrow tiles alone have few. */
        PACKED = WHAT == TC_FORWARD || COLUMNS <= TC_PACKED_COLUMNS,
        EACH = 16 / (int)sizeof(element),
        TERMS = TC_TAPS_BYTES / (int)sizeof(element),
        WARPS_DOWN = ROWS / WARP_ROWS,
        WARPS_RIGHT = COLUMNS / WARP_COLUMNS,
        WARPS = WARPS_DOWN * WARPS_RIGHT * SHARERS,
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
        PARTS_BYTES = ROWS * COLUMNS * 4 * (SHARERS - 1), /* that sharers leave each other */
        MORE_BYTES = SUM_BYTES > RESULT_BYTES ? SUM_BYTES : RESULT_BYTES,
        MOST_BYTES = MORE_BYTES > PARTS_BYTES ? MORE_BYTES : PARTS_BYTES,
        PLACES_AT = TILES_BYTES > MOST_BYTES ? TILES_BYTES : MOST_BYTES,
        BLOCK_AT = PLACES_AT + ROWS * (int)sizeof(tc_taps_place),
        VIEW_AT = BLOCK_AT + (int)sizeof(tc_taps_block), /* direction data */
        TAPS_AT = (VIEW_AT + (WHAT == TC_DATA ? (int)sizeof(tc_taps_view) : 0) + 15) / 16 * 16,
        SHARED_BYTES = TAPS_AT /* without the taps */
    };
    static_assert(TERMS / gathered_tile::STEP % SHARERS == 0 && DOWN % SHARERS == 0,
                  "sharers have as many steps, and as many results to join");
};

/* The same after sharers have been joined: each has its own results. */
template <class S> struct tc_taps_joined : S {
    enum {
        WARP_ROWS = S::WARP_ROWS / S::SHARERS,
        WARPS_DOWN = S::WARPS_DOWN * S::SHARERS,
        DOWN = S::DOWN / S::SHARERS
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

    /* `first`: row or column of the warp; `term`: its first one of a tile. */
    __device__ void begin(int first, int term)
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
        at = LINE_IS == TC_LINE_IS_ROW ? at ^ (uint32_t)(term * TILE::SIZE)
                                       : at + (uint32_t)(term * LINE_BYTES);
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

#endif
