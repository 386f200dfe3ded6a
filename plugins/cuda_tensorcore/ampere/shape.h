/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of an instantiation of the family taps, and how its shared memory is divided. Tiles
 * have 128 bytes along the sum: with 64 x 64 results a warp, a step of 32 bytes reads 4 KB of
 * shared memory in 32 cycles for products of about 50. So that small tiles, too, have warps of
 * many results, several warps may share the same results and take different steps of every tile;
 * they are joined at the end (ampere/sliced_k.h). */
#ifndef CUDA_TENSORCORE_AMPERE_SHAPE_H
#define CUDA_TENSORCORE_AMPERE_SHAPE_H

#include "../common/shape.h"
#include "params.h"

/* A tc_size, how many warps share results, and whether direction data with several classes is
 * taken, which is a kernel more. */
template <int R, int C, int WR, int WC, int N, int B, int J = 1, int K = 1>
struct tc_taps_size : tc_size<R, C, WR, WC, N, B> {
    enum { SHARERS = J, CLASSES = K };
};

template <class MATH, class SIZE, int WHAT>
struct tc_taps_shape : tc_tiles<MATH, SIZE, TC_TAPS_BYTES, TC_LINE_IS_ROW,
                                WHAT == TC_FORWARD ? TC_LINE_IS_ROW : TC_LINE_IS_TERM> {
    typedef typename tc_taps_shape::tc_tiles tiles;
    enum {
        CLASSES = WHAT == TC_DATA && SIZE::CLASSES,
        HOW = TC_BY_16,
        DIRECTION = WHAT,
        /* Terms follow each other without gaps between taps. To the data every line of a filter is
         * a term then, with a tap of its own: narrow tiles alone have few. */
        PACKED = WHAT == TC_FORWARD || SIZE::COLUMNS <= TC_PACKED_COLUMNS,
        WARPS = tiles::WARPS_DOWN * tiles::WARPS_RIGHT * SIZE::SHARERS,
        THREADS = WARPS * 32,
        DOWN = SIZE::WARP_ROWS / 16,
        RIGHT = SIZE::WARP_COLUMNS / 8,
        SUM_LINE = SIZE::COLUMNS + TC_SUM_PAD,
        /* In bytes; 16 more against bank conflicts. */
        RESULT_LINE = SIZE::COLUMNS * (int)sizeof(typename MATH::element) + 16,
        SUM_BYTES = SIZE::WARP_ROWS * SUM_LINE * 4,
        RESULT_BYTES = SIZE::ROWS * RESULT_LINE,
        /* That sharers leave each other. */
        PARTS_BYTES = SIZE::ROWS * SIZE::COLUMNS * 4 * (SIZE::SHARERS - 1),
        MORE_BYTES = SUM_BYTES > RESULT_BYTES ? SUM_BYTES : RESULT_BYTES,
        MOST_BYTES = MORE_BYTES > PARTS_BYTES ? MORE_BYTES : PARTS_BYTES,
        PLACES_AT = (int)tiles::TILES_BYTES > MOST_BYTES ? (int)tiles::TILES_BYTES : MOST_BYTES,
        BLOCK_AT = PLACES_AT + SIZE::ROWS * (int)sizeof(tc_taps_place),
        VIEW_AT = BLOCK_AT + (int)sizeof(tc_taps_block), /* direction data */
        TAPS_AT = (VIEW_AT + (WHAT == TC_DATA ? (int)sizeof(tc_taps_view) : 0) + 15) / 16 * 16,
        SHARED_BYTES = TAPS_AT /* without the taps */
    };
    static_assert(tiles::TERMS / tiles::gathered_tile::STEP % SIZE::SHARERS == 0 &&
                      DOWN % SIZE::SHARERS == 0,
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
