/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the tile sizes of wgrad in the family ampere, its shared memory, and a warp's
 * iterators over fragments. M counts taps and channels, and N filters. The instruction has
 * filters as rows, and taps and channels as columns, so that neighbors in a filter are in the
 * same lane. Both operands are MN-major: a line is a position. */
#ifndef CUDA_TENSORCORE_AMPERE_WGRAD_SHAPE_H
#define CUDA_TENSORCORE_AMPERE_WGRAD_SHAPE_H

#include "../common/shape.h"
#include "wgrad_params.h"

/* The source of a copy: an offset and, for A, a mask of the taps that are inside. The mask has
 * TC_AMPERE_BITS bits per dim, from the low bits on. */
struct alignas(8) tc_ampere_wgrad_offset {
    int32_t at;
    uint32_t inside;
};

/* A position: its offset in A under the first tap, and its offset in B in chunks of 16 bytes.
 * The offset in B is < 0 if the position does not exist. */
struct alignas(16) tc_ampere_wgrad_position {
    tc_ampere_wgrad_offset a;
    int32_t b, unused;
};

template <class MATH, class SIZE>
struct tc_ampere_wgrad_shape : tc_tiles<MATH, SIZE, TC_AMPERE_K_BYTES, TC_MN_MAJOR, TC_MN_MAJOR> {
    typedef typename tc_ampere_wgrad_shape::tc_tiles tiles;
    enum {
        STEP = tiles::a_tile::STEP,
        STEPS = tiles::TILE_K / STEP,
        THREADS = tiles::WARPS_M * tiles::WARPS_N * 32,
        /* The fragments of a warp. The rows are filters. */
        FRAGS_M = SIZE::WARP_N / 16,
        FRAGS_N = SIZE::WARP_M / 8,
        /* The positions in shared memory. Each thread computes one position of a batch of tiles
         * at a time. Two batches alternate. */
        BATCH = THREADS / tiles::TILE_K,
        POSITIONS_AT = tiles::TILES_BYTES,
        /* The data of the epilogue: the block, and the offsets in a filter of the tile's chunks
         * of m. */
        BLOCK_AT = POSITIONS_AT + 2 * THREADS * (int)sizeof(tc_ampere_wgrad_position),
        RESULTS_AT = BLOCK_AT + (int)sizeof(tc_ampere_wgrad_block),
        SHARED_BYTES = (RESULTS_AT + tiles::a_tile::CHUNKS * 4 + 15) / 16 * 16
    };
    static_assert(THREADS % tiles::TILE_K == 0 && 2 * BATCH >= SIZE::STAGES,
                  "positions are there before their tile");
};

/* The addresses from which a lane reads fragments, 16 filters or m at a time. FIRST selects the
 * fragments of the instruction's a, otherwise those of its b. 16-bit numbers are transposed by
 * the load. 32-bit numbers are read as stored, those of a in pairs. Rows g and g + 8 of a matrix
 * are filters 2 g and 2 g + 1 of 16 (n_of); no register has to move. */
template <class TILE, bool FIRST> struct tc_ampere_wgrad_iterator {
    enum { WORDS = TILE::SIZE == 4, LINE = TILE::CHUNKS * 16 };
    uint32_t at;

    __device__ void begin(int first)
    {
        int lane = (int)threadIdx.x % 32, block = lane / 8, group = lane / 4;
        int k_block = FIRST ? block >> 1 : block & 1, mn_block = FIRST ? block & 1 : block >> 1;

        if (!WORDS)
            at = (uint32_t)TILE::chunk_at(k_block * 8 + lane % 8, first / TILE::EACH + mn_block);
        else if (FIRST)
            at = (uint32_t)(TILE::chunk_at(lane % 4, first / TILE::EACH + group / 2) +
                            group % 2 * 8);
        else
            at = (uint32_t)(TILE::chunk_at(lane % 4, first / TILE::EACH + group / 4) +
                            group % 4 * 4);
    }

    /* Loads 16 m or n from `mn` on, `k` further along K, from the tile at an address. The
     * swizzle affects only the last 128 bytes of a line. */
    __device__ void load(uint32_t (&to)[4], uint32_t tile, int mn, int k) const
    {
        uint32_t bytes = (uint32_t)(mn * TILE::SIZE), line = tile + (uint32_t)(k * LINE);

        if constexpr (!WORDS) {
            tc_ldmatrix_trans(to, line + (at ^ bytes % 128) + bytes / 128 * 128);
        } else if constexpr (FIRST) {
#pragma unroll
            for (int half = 0; half < 2; half++)
                tc_load_pair(to + half * 2,
                             line + (at ^ bytes % 128) + bytes / 128 * 128 + half * 4 * LINE);
        } else {
#pragma unroll
            for (int n = 0; n < 4; n++)
                to[n] = tc_load_word(line + (at ^ (bytes % 128 + n / 2 * 32)) + bytes / 128 * 128 +
                                     n % 2 * 4 * LINE);
        }
        if (TILE::ROUNDS) {
#pragma unroll
            for (int n = 0; n < 4; n++)
                to[n] = tc_round_tf32(to[n]);
        }
    }
};

/* The fragments that a warp holds at a time: filters of one step along K, and taps and channels
 * of two steps. */
template <class S> struct tc_ampere_wgrad_fragments {
    uint32_t a[S::FRAGS_M][4], b[2][S::FRAGS_N][2];
};

template <class S> struct tc_ampere_wgrad_iterators {
    enum { WORDS = sizeof(typename S::element) == 4 };
    static_assert(S::WARP_M % 16 == 0 && S::WARP_N % 16 == 0, "they are read by 16");

    tc_ampere_wgrad_iterator<typename S::b_tile, true> mma_a;
    tc_ampere_wgrad_iterator<typename S::a_tile, false> mma_b;
    int first_m, first_n; /* the warp's first ones in the tile */

    __device__ void begin()
    {
        int warp = (int)threadIdx.x / 32;

        first_m = warp % S::WARPS_M * S::WARP_M;
        first_n = warp / S::WARPS_M * S::WARP_N;
        mma_a.begin(first_n);
        mma_b.begin(first_m);
    }

    /* Loads fragments j and j + 1. */
    __device__ void load_b(tc_ampere_wgrad_fragments<S> &to, int set, uint32_t stage, int j,
                           int k) const
    {
        uint32_t words[4];

        mma_b.load(words, stage, j * 8, k);
#pragma unroll
        for (int n = 0; n < 4; n++)
            to.b[set][j + n / 2][n % 2] = words[n];
    }

    __device__ void load_a(tc_ampere_wgrad_fragments<S> &to, uint32_t stage, int i, int k) const
    {
        mma_a.load(to.a[i], stage + S::a_tile::BYTES, i * 16, k);
    }

    /* Returns the n in the tile of sums [i][...][2 half] and of the next one. */
    __device__ int n_of(int i, int half) const
    {
        int group = (int)threadIdx.x % 32 / 4;

        return first_n + i * 16 + (WORDS ? group * 2 + half : half * 8 + group);
    }

    /* Returns the m in the tile of sums [...][j][0] and [...][j][2]. The other two sums belong
     * to the next m. */
    __device__ int m_of(int j) const
    {
        return first_m + j * 8 + (int)threadIdx.x % 4 * 2;
    }
};

#endif
