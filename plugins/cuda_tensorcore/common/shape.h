/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of one instantiation, and how its shared memory is divided. */
#ifndef CUDA_TENSORCORE_COMMON_SHAPE_H
#define CUDA_TENSORCORE_COMMON_SHAPE_H

#include "job.h"
#include "tile.h"

/* Bytes of a tile along the sum, if its terms are neighbours: in the family mma, and in taps. */
#define TC_TERM_BYTES 64
#define TC_TAPS_BYTES 128
/* Floats between the ends of neighbouring rows of sums in shared memory. */
#define TC_SUM_PAD 4

/* Which way lines go in the tiles of the operands, by direction; what is read element by element
 * is free to lie as it likes. */
enum { TC_FORWARD, TC_DATA, TC_FILTER, TC_ANY };

/* A block's tile, a warp's part of it, tiles in flight, blocks that registers are kept free for. */
template <int R, int C, int WR, int WC, int N, int B> struct tc_size {
    enum { ROWS = R, COLUMNS = C, WARP_ROWS = WR, WARP_COLUMNS = WC, STAGES = N, RESIDENT = B };
};

/* What every instantiation has: the numbers of a size, tiles of both operands with so many bytes
 * along the sum, whose lines lie as they are told to, and a ring of them. */
template <class MATH, class SIZE, int BYTES, int GATHERED_IS, int OTHER_IS> struct tc_tiles : SIZE {
    typedef MATH math;
    typedef typename MATH::element element;
    enum {
        GATHERED_LINE = GATHERED_IS,
        OTHER_LINE = OTHER_IS,
        EACH = 16 / (int)sizeof(element), /* elements of a chunk */
        TERMS = BYTES / (int)sizeof(element),
        WARPS_DOWN = SIZE::ROWS / SIZE::WARP_ROWS,
        WARPS_RIGHT = SIZE::COLUMNS / SIZE::WARP_COLUMNS
    };
    typedef tc_tile<MATH, SIZE::ROWS, TERMS, GATHERED_IS> gathered_tile;
    typedef tc_tile<MATH, SIZE::COLUMNS, TERMS, OTHER_IS> other_tile;
    enum {
        STAGE_BYTES = gathered_tile::BYTES + other_tile::BYTES,
        TILES_BYTES = SIZE::STAGES * STAGE_BYTES
    };
};

template <class MATH, class SIZE, int WHAT>
struct tc_shape
    : tc_tiles<MATH, SIZE, TC_TERM_BYTES, WHAT == TC_FILTER ? TC_LINE_IS_TERM : TC_LINE_IS_ROW,
               WHAT == TC_FILTER || WHAT == TC_DATA ? TC_LINE_IS_TERM : TC_LINE_IS_ROW> {
    typedef typename tc_shape::tc_tiles tiles;
    enum {
        HOW = WHAT == TC_ANY ? TC_BY_ELEMENT : TC_BY_16,
        UNIT = WHAT == TC_FORWARD || WHAT == TC_DATA ? (int)tiles::EACH : 1,
        PLACES = tiles::TERMS / UNIT, /* of terms, for a tile */
        WARPS = tiles::WARPS_DOWN * tiles::WARPS_RIGHT,
        THREADS = WARPS * 32,
        SUM_LINE = SIZE::COLUMNS + TC_SUM_PAD, /* in shared memory, WARP_ROWS of them at a time */
        SUM_BYTES = SIZE::WARP_ROWS * SUM_LINE * 4,
        ROW_PLACES_AT = (int)tiles::TILES_BYTES > SUM_BYTES ? (int)tiles::TILES_BYTES : SUM_BYTES,
        TERM_PLACES_AT = ROW_PLACES_AT + SIZE::ROWS * (int)sizeof(conv_place),
        BLOCK_AT = TERM_PLACES_AT + SIZE::STAGES * PLACES * (int)sizeof(conv_place),
        SHARED_BYTES = (BLOCK_AT + (int)sizeof(tc_block) + 15) / 16 * 16
    };
};

#endif
