/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the kernel of a convolution and the number of splits. */
#ifndef CUDA_SIMT_CONV_CHOICE_H
#define CUDA_SIMT_CONV_CHOICE_H

#include "../../cuda_common/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The results of a thread along M and N, by the number of the tile. A block has 16 times as many in
 * each dimension. */
#define CONV_TILES 4
#define CONV_TILE_SIZES                                                                            \
    {                                                                                              \
        {8, 8}, {8, 4}, {8, 2},                                                                    \
        {                                                                                          \
            4, 4                                                                                   \
        }                                                                                          \
    }
/* Length of a tile along K. */
#define CONV_TILE_K 16
/* The size of a wgrad block without tiles. CONV_WGRAD_TAPS is its number of taps of one channel.
 * CONV_WGRAD_LANES is the least number of filters if their dy is adjacent in memory. */
#define CONV_WGRAD_TAPS      8
#define CONV_WGRAD_LANES     32
#define CONV_WGRAD_LANES_MAX 256

enum { CONV_BY_TILES, CONV_DIRECTLY };

struct conv_choice {
    int32_t kernel;
    int32_t tile;        /* CONV_BY_TILES: number of the tile */
    int32_t lanes;       /* CONV_DIRECTLY in wgrad: filters of a block */
    int32_t splits;      /* 1 unless the target permits more */
    int32_t k_per_split; /* length of a split along K, in tiles; without tiles, in k */
    int32_t m_tiles, n_tiles, m;
    int64_t workspace; /* bytes of partial sums; 0 for one split */
};

/* The inputs of the choice beside the geometry. */
struct conv_target {
    int32_t splits; /* 1 if sums may be split */
    int32_t multiprocessors;
};

/* Returns 1 if 32 bits can number all results of the kernel without tiles. Wgrad has no such
 * limit. */
int conv_counts_directly(const struct conv *conv);

/* Chooses the kernel for a narrow geometry. */
void conv_choose(const struct conv *conv, const struct conv_target *target,
                 struct conv_choice *choice);

#ifdef __cplusplus
}
#endif

#endif
