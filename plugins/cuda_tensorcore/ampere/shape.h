/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the tile sizes of fprop and dgrad in the family ampere, their shared memory, and a
 * warp's iterators over fragments. Tiles have 128 bytes along K. A warp tile of 64 x 64 reads 4
 * KB of shared memory per step of 32 bytes. This takes 32 cycles, and the mma instructions about
 * 50. Several warps may share a warp tile and process different steps along K, so that small
 * tiles have large warp tiles, too (sliced-K, ampere/sliced_k.h). */
#ifndef CUDA_TENSORCORE_AMPERE_SHAPE_H
#define CUDA_TENSORCORE_AMPERE_SHAPE_H

#include "../common/shape.h"
#include "params.h"

/* A tc_size with the number of slices of K whose warps share results. ALL_CLASSES is 1 if a
 * second kernel runs dgrad with several classes. */
template <int M, int N, int WM, int WN, int STAGES_OF, int RESIDENT, int SLICES = 1,
          int ALL_CLASSES = 1>
struct tc_ampere_size : tc_size<M, N, WM, WN, STAGES_OF, RESIDENT> {
    enum { K_SLICES = SLICES, CLASSES = ALL_CLASSES };
};

/* The largest N of dgrad tiles in which k has no gaps between taps. */
#define TC_PACKED_N 32

template <class MATH, class SIZE, int WHAT>
struct tc_ampere_shape : tc_tiles<MATH, SIZE, TC_AMPERE_K_BYTES, TC_K_MAJOR,
                                  WHAT == TC_FPROP ? TC_K_MAJOR : TC_MN_MAJOR> {
    typedef typename tc_ampere_shape::tc_tiles tiles;
    enum {
        CLASSES = WHAT == TC_DGRAD && SIZE::CLASSES,
        LOAD = TC_LOAD_16_BYTES,
        DIRECTION = WHAT,
        /* 1 if k has no gaps between taps. In dgrad, every line of a filter then is a k with its
         * own tap, so only narrow tiles support it. */
        PACKED = WHAT == TC_FPROP || SIZE::TILE_N <= TC_PACKED_N,
        WARPS = tiles::WARPS_M * tiles::WARPS_N * SIZE::K_SLICES,
        THREADS = WARPS * 32,
        FRAGS_M = SIZE::WARP_M / 16,
        FRAGS_N = SIZE::WARP_N / 8,
        SUM_LINE = SIZE::TILE_N + TC_SUM_PAD,
        /* The bytes per line of results. The 16 extra bytes avoid bank conflicts. */
        RESULT_LINE = SIZE::TILE_N * (int)sizeof(typename MATH::element) + 16,
        SUM_BYTES = SIZE::WARP_M * SUM_LINE * 4,
        RESULT_BYTES = SIZE::TILE_M * RESULT_LINE,
        /* The partial sums that warps of different slices of K exchange. */
        PARTIALS_BYTES = SIZE::TILE_M * SIZE::TILE_N * 4 * (SIZE::K_SLICES - 1),
        MORE_BYTES = SUM_BYTES > RESULT_BYTES ? SUM_BYTES : RESULT_BYTES,
        MOST_BYTES = MORE_BYTES > PARTIALS_BYTES ? MORE_BYTES : PARTIALS_BYTES,
        POSITIONS_AT = (int)tiles::TILES_BYTES > MOST_BYTES ? (int)tiles::TILES_BYTES : MOST_BYTES,
        BLOCK_AT = POSITIONS_AT + SIZE::TILE_M * (int)sizeof(tc_ampere_position),
        VIEW_AT = BLOCK_AT + (int)sizeof(tc_ampere_block), /* only in dgrad */
        TAPS_AT = (VIEW_AT + (WHAT == TC_DGRAD ? (int)sizeof(tc_ampere_view) : 0) + 15) / 16 * 16,
        SHARED_BYTES = TAPS_AT /* without the list of taps */
    };
    static_assert(tiles::TILE_K / tiles::a_tile::STEP % SIZE::K_SLICES == 0 &&
                      FRAGS_M % SIZE::K_SLICES == 0,
                  "slices have as many steps, and as many results to add up");
};

/* The shape after the slices of K are added, when each warp has its own results. */
template <class S> struct tc_ampere_reduced : S {
    enum {
        WARP_M = S::WARP_M / S::K_SLICES,
        WARPS_M = S::WARPS_M * S::K_SLICES,
        FRAGS_M = S::FRAGS_M / S::K_SLICES
    };
};

/* ------------------------------------------------------------------ fragments */

/* The addresses from which a lane reads its warp's fragments. They are those of tc_tile, with
 * all values that do not change in the loop computed before it. The swizzle of a chunk depends
 * on the line's number. Only the lane's part of it matters, because all other parts are
 * multiples of 8. Therefore a step along a line is an exclusive or of the address. MN_FIRST is
 * as in tc_tile::load_four. */
template <class TILE, int MAJOR, bool MN_FIRST> struct tc_ampere_iterator {
    enum { LINE_BYTES = TILE::CHUNKS * 16, BY_WORD = MAJOR == TC_MN_MAJOR && TILE::SIZE == 4 };
    uint32_t at;

    /* Sets the start: `first` is the warp's first m or n, and `k` its first k of a tile. */
    __device__ void begin(int first, int k)
    {
        int lane = (int)threadIdx.x % 32, block = lane / 8;
        int k_block = MN_FIRST ? block >> 1 : block & 1,
            mn_block = MN_FIRST ? block & 1 : block >> 1;

        if (MAJOR == TC_K_MAJOR)
            at = (uint32_t)TILE::chunk_at(first + mn_block * 8 + lane % 8, k_block);
        else if (BY_WORD)
            at = (uint32_t)(TILE::chunk_at(lane % 4, first / TILE::EACH + lane / 16) +
                            lane / 4 % 4 * 4);
        else
            at = (uint32_t)TILE::chunk_at(k_block * 8 + lane % 8, first / TILE::EACH + mn_block);
        at =
            MAJOR == TC_K_MAJOR ? at ^ (uint32_t)(k * TILE::SIZE) : at + (uint32_t)(k * LINE_BYTES);
    }

    /* Loads the fragment that lies `mn` further along M or N and `k` further along K, from the
     * tile at an address. */
    __device__ void load(uint32_t to[4], uint32_t tile, int mn, int k) const
    {
        if (MAJOR == TC_K_MAJOR) {
            tc_ldmatrix(to,
                        ((tile + at) ^ (uint32_t)(k * TILE::SIZE)) + (uint32_t)(mn * LINE_BYTES));
        } else if (BY_WORD) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                int mn_at = mn + (MN_FIRST ? i & 1 : i >> 1) * 8;
                int line = k + (MN_FIRST ? i >> 1 : i & 1) * 4;

                to[i] = tc_load_word(((tile + at) ^ (uint32_t)(mn_at * TILE::SIZE)) +
                                     (uint32_t)(line * LINE_BYTES));
            }
        } else {
            tc_ldmatrix_trans(to, ((tile + at) ^ (uint32_t)(mn * TILE::SIZE)) +
                                      (uint32_t)(k * LINE_BYTES));
        }
        if (TILE::ROUNDS) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                to[i] = tc_round_tf32(to[i]);
        }
    }
};

#endif
