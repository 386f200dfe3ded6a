/* SPDX-License-Identifier: Apache-2.0 */
/* Defines a tile of A or B in shared memory, and the fragments that ldmatrix loads from it. A
 * tile is M (or N) by K. Its lines run along K (K-major) or along M or N (MN-major), whichever
 * is contiguous in memory. Lines consist of 16-byte chunks. The swizzle permutes the chunks of a
 * line depending on the line's number. The eight lanes that access shared memory at a time then
 * use different banks. */
#ifndef CUDA_TENSORCORE_COMMON_TILE_H
#define CUDA_TENSORCORE_COMMON_TILE_H

#include "mma.h"

/* The direction of a line. */
enum { TC_K_MAJOR, TC_MN_MAJOR };

template <class M, int TILE_M, int TILE_K, int MAJOR> struct tc_tile {
    typedef typename M::element element;
    enum {
        SIZE = (int)sizeof(element),
        EACH = 16 / SIZE, /* elements per chunk */
        LINES = MAJOR == TC_K_MAJOR ? TILE_M : TILE_K,
        CHUNKS = (MAJOR == TC_K_MAJOR ? TILE_K : TILE_M) / EACH, /* chunks per line */
        BYTES = LINES * CHUNKS * 16,
        STEP = TC_STEP_BYTES / SIZE, /* k per fragment */
        ROUNDS = M::ROUNDS
    };
    static_assert(CHUNKS >= 8 || MAJOR == TC_K_MAJOR || (CHUNKS == 4 && SIZE == 2),
                  "lines of k have 128 bytes or more, of 16-bit numbers 64");

    /* Returns the byte offset of a chunk. MN-major fragments of 32-bit numbers are read word by
     * word, eight words from each of four lines. */
    __device__ static int chunk_at(int line, int chunk)
    {
        int swizzled;

        if constexpr (MAJOR == TC_MN_MAJOR && SIZE == 4)
            swizzled = chunk ^ ((line & 3) << 1);
        else if constexpr (CHUNKS >= 8)
            swizzled = chunk ^ (line & 7);
        else
            swizzled = chunk ^ ((line / (8 / CHUNKS)) & (CHUNKS - 1));
        return (line * CHUNKS + swizzled) * 16;
    }

    __device__ static uint32_t word_at(const char *tile, int line, int along)
    {
        return *(const uint32_t *)(tile + chunk_at(line, along / 4) + along % 4 * 4);
    }

    /* Loads four blocks of 8 m or n by 16 bytes along K, two along each dim. The blocks are
     * ordered along m or n first if mn_first is true, otherwise along K first. */
    __device__ static void load_four(uint32_t to[4], const char *tile, int mn, int k, bool mn_first)
    {
        int lane = (int)threadIdx.x % 32, block = lane / 8;
        int k_block = mn_first ? block >> 1 : block & 1,
            mn_block = mn_first ? block & 1 : block >> 1;

        if (MAJOR == TC_K_MAJOR) {
            tc_ldmatrix(to, tile + chunk_at(mn + mn_block * 8 + lane % 8, k / EACH + k_block));
        } else if (SIZE == 2) {
            tc_ldmatrix_trans(to,
                              tile + chunk_at(k + k_block * EACH + lane % 8, mn / EACH + mn_block));
        } else {
#pragma unroll
            for (int i = 0; i < 4; i++)
                to[i] = word_at(tile, k + (mn_first ? i >> 1 : i & 1) * EACH + lane % 4,
                                mn + (mn_first ? i & 1 : i >> 1) * 8 + lane / 4);
        }
        if (ROUNDS) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                to[i] = tc_round_tf32(to[i]);
        }
    }

    /* These functions load the fragment of m to m + 15, and the two fragments of n to n + 15. */
    __device__ static void load_a(uint32_t (&a)[4], const char *tile, int m, int k)
    {
        load_four(a, tile, m, k, true);
    }

    __device__ static void load_b(uint32_t *b, const char *tile, int n, int k)
    {
        load_four(b, tile, n, k, false);
    }
};

#endif
