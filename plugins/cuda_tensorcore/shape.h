/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of one instantiation, and how its shared memory is divided. */
#ifndef CUDA_TENSORCORE_SHAPE_H
#define CUDA_TENSORCORE_SHAPE_H

#include "job.h"
#include "tile.h"

/* Bytes of a tile's row along the sum. */
#define TC_TERM_BYTES 64
/* Floats between the ends of neighbouring rows of sums in shared memory. */
#define TC_SUM_PAD 4

/* Which way lines go in the tiles of the operands, by direction; what is read element by element
 * is free to lie as it likes. */
enum { TC_FORWARD, TC_DATA, TC_FILTER, TC_ANY };

/* A block's tile, a warp's part of it, tiles in flight, blocks that registers are kept free for. */
template <int R, int C, int WR, int WC, int N, int B> struct tc_size {
    enum { ROWS = R, COLUMNS = C, WARP_ROWS = WR, WARP_COLUMNS = WC, STAGES = N, RESIDENT = B };
};

template <class MATH, class SIZE, int WHAT> struct tc_shape {
    typedef MATH math;
    typedef typename MATH::element element;
    enum {
        ROWS = SIZE::ROWS,
        COLUMNS = SIZE::COLUMNS,
        WARP_ROWS = SIZE::WARP_ROWS,
        WARP_COLUMNS = SIZE::WARP_COLUMNS,
        STAGES = SIZE::STAGES,
        RESIDENT = SIZE::RESIDENT,
        HOW = WHAT == TC_ANY ? TC_BY_ELEMENT : TC_BY_16,
        GATHERED_LINE = WHAT == TC_FILTER ? TC_LINE_IS_TERM : TC_LINE_IS_ROW,
        OTHER_LINE = WHAT == TC_FILTER || WHAT == TC_DATA ? TC_LINE_IS_TERM : TC_LINE_IS_ROW,
        TERMS = TC_TERM_BYTES / (int)sizeof(element),
        UNIT = WHAT == TC_FORWARD || WHAT == TC_DATA ? 16 / (int)sizeof(element) : 1,
        PLACES = TERMS / UNIT, /* of terms, for a tile */
        WARPS_DOWN = ROWS / WARP_ROWS,
        WARPS_RIGHT = COLUMNS / WARP_COLUMNS,
        WARPS = WARPS_DOWN * WARPS_RIGHT,
        THREADS = WARPS * 32
    };
    typedef tc_tile<MATH, ROWS, TERMS, GATHERED_LINE> gathered_tile;
    typedef tc_tile<MATH, COLUMNS, TERMS, OTHER_LINE> other_tile;
    enum {
        STAGE_BYTES = gathered_tile::BYTES + other_tile::BYTES,
        SUM_LINE = COLUMNS + TC_SUM_PAD, /* in shared memory, WARP_ROWS of them at a time */
        TILES_BYTES = STAGES * STAGE_BYTES,
        SUM_BYTES = WARP_ROWS * SUM_LINE * 4,
        ROW_PLACES_AT = TILES_BYTES > SUM_BYTES ? TILES_BYTES : SUM_BYTES,
        TERM_PLACES_AT = ROW_PLACES_AT + ROWS * (int)sizeof(conv_place),
        BLOCK_AT = TERM_PLACES_AT + STAGES * PLACES * (int)sizeof(conv_place),
        SHARED_BYTES = (BLOCK_AT + (int)sizeof(tc_block) + 15) / 16 * 16
    };
};

#endif
