/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the tile sizes, stages and warps of an instantiation, and the layout of its shared
 * memory. */
#ifndef CUDA_TENSORCORE_COMMON_SHAPE_H
#define CUDA_TENSORCORE_COMMON_SHAPE_H

#include "job.h"
#include "tile.h"

/* The extent of a tile along K in bytes, in the families mma and ampere. */
#define TC_MMA_K_BYTES    64
#define TC_AMPERE_K_BYTES 128
/* The padding between rows of sums in shared memory, in floats. */
#define TC_SUM_PAD 4

/* The layouts of operand tiles, by direction. TC_ANY loads single elements, and supports any
 * layout. */
enum { TC_FPROP, TC_DGRAD, TC_WGRAD, TC_ANY };

/* A size: a block's tile, a warp's tile, the stages, and the number of resident blocks that
 * limits the registers. */
template <int M, int N, int WM, int WN, int STAGES_OF, int RESIDENT> struct tc_size {
    enum {
        TILE_M = M,
        TILE_N = N,
        WARP_M = WM,
        WARP_N = WN,
        STAGES = STAGES_OF,
        OCCUPANCY = RESIDENT
    };
};

/* The properties of every instantiation: a size, tiles of both operands with BYTES bytes along K
 * and the given line directions, and a pipeline of these tiles. */
template <class MATH, class SIZE, int BYTES, int A_IS, int B_IS> struct tc_tiles : SIZE {
    typedef MATH math;
    typedef typename MATH::element element;
    enum {
        A_MAJOR = A_IS,
        B_MAJOR = B_IS,
        EACH = 16 / (int)sizeof(element), /* elements per chunk */
        TILE_K = BYTES / (int)sizeof(element),
        WARPS_M = SIZE::TILE_M / SIZE::WARP_M,
        WARPS_N = SIZE::TILE_N / SIZE::WARP_N
    };
    typedef tc_tile<MATH, SIZE::TILE_M, TILE_K, A_IS> a_tile;
    typedef tc_tile<MATH, SIZE::TILE_N, TILE_K, B_IS> b_tile;
    enum { STAGE_BYTES = a_tile::BYTES + b_tile::BYTES, TILES_BYTES = SIZE::STAGES * STAGE_BYTES };
};

template <class MATH, class SIZE, int WHAT>
struct tc_shape : tc_tiles<MATH, SIZE, TC_MMA_K_BYTES, WHAT == TC_WGRAD ? TC_MN_MAJOR : TC_K_MAJOR,
                           WHAT == TC_WGRAD || WHAT == TC_DGRAD ? TC_MN_MAJOR : TC_K_MAJOR> {
    typedef typename tc_shape::tc_tiles tiles;
    enum {
        LOAD = WHAT == TC_ANY ? TC_LOAD_ELEMENTS : TC_LOAD_16_BYTES,
        UNIT = WHAT == TC_FPROP || WHAT == TC_DGRAD ? (int)tiles::EACH : 1,
        K_COORDS = tiles::TILE_K / UNIT, /* coordinates along K per tile */
        WARPS = tiles::WARPS_M * tiles::WARPS_N,
        THREADS = WARPS * 32,
        SUM_LINE = SIZE::TILE_N + TC_SUM_PAD, /* floats; WARP_M lines at a time */
        SUM_BYTES = SIZE::WARP_M * SUM_LINE * 4,
        M_COORDS_AT = (int)tiles::TILES_BYTES > SUM_BYTES ? (int)tiles::TILES_BYTES : SUM_BYTES,
        K_COORDS_AT = M_COORDS_AT + SIZE::TILE_M * (int)sizeof(conv_coords),
        BLOCK_AT = K_COORDS_AT + SIZE::STAGES * K_COORDS * (int)sizeof(conv_coords),
        SHARED_BYTES = (BLOCK_AT + (int)sizeof(tc_block) + 15) / 16 * 16
    };
};

#endif
