/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tile sizes, stages and warps of one instantiation, and how its shared memory is divided.
 */
#ifndef CUDA_TENSORCORE_COMMON_SHAPE_H
#define CUDA_TENSORCORE_COMMON_SHAPE_H

#include "job.h"
#include "tile.h"

/* Bytes of a tile along K, if they are neighbours: in the family mma, and in ampere. */
#define TC_MMA_K_BYTES    64
#define TC_AMPERE_K_BYTES 128
/* Floats between the ends of neighbouring rows of sums in shared memory. */
#define TC_SUM_PAD 4

/* Which way lines go in the tiles of the operands, by direction; what is read element by element
 * is free to lie as it likes. */
enum { TC_FPROP, TC_DGRAD, TC_WGRAD, TC_ANY };

/* A block's tile, a warp's tile, stages, blocks that registers are kept free for. */
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

/* What every instantiation has: the numbers of a size, tiles of both operands with so many bytes
 * along the sum, whose lines lie as they are told to, and a pipeline of them. */
template <class MATH, class SIZE, int BYTES, int A_IS, int B_IS> struct tc_tiles : SIZE {
    typedef MATH math;
    typedef typename MATH::element element;
    enum {
        A_MAJOR = A_IS,
        B_MAJOR = B_IS,
        EACH = 16 / (int)sizeof(element), /* elements of a chunk */
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
        K_COORDS = tiles::TILE_K / UNIT, /* along K, for a tile */
        WARPS = tiles::WARPS_M * tiles::WARPS_N,
        THREADS = WARPS * 32,
        SUM_LINE = SIZE::TILE_N + TC_SUM_PAD, /* in shared memory, WARP_M of them at a time */
        SUM_BYTES = SIZE::WARP_M * SUM_LINE * 4,
        M_COORDS_AT = (int)tiles::TILES_BYTES > SUM_BYTES ? (int)tiles::TILES_BYTES : SUM_BYTES,
        K_COORDS_AT = M_COORDS_AT + SIZE::TILE_M * (int)sizeof(conv_coords),
        BLOCK_AT = K_COORDS_AT + SIZE::STAGES * K_COORDS * (int)sizeof(conv_coords),
        SHARED_BYTES = (BLOCK_AT + (int)sizeof(tc_block) + 15) / 16 * 16
    };
};

#endif
