/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel runs a convolution, and in how many splits. */
#ifndef CUDA_SIMT_CONV_CHOICE_H
#define CUDA_SIMT_CONV_CHOICE_H

#include "../../cuda_common/conv.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Results of a thread along M and N, by the tile's number; a block has 16 times as many. */
#define CONV_TILES 4
#define CONV_TILE_SIZES                                                                            \
    {                                                                                              \
        {8, 8}, {8, 4}, {8, 2},                                                                    \
        {                                                                                          \
            4, 4                                                                                   \
        }                                                                                          \
    }
/* Of a tile. */
#define CONV_TILE_K 16
/* Without tiles, in wgrad, a block works on so many taps of one channel, and on up to so
 * many filters; on a warp's, where they are neighbours. */
#define CONV_WGRAD_TAPS      8
#define CONV_WGRAD_LANES     32
#define CONV_WGRAD_LANES_MAX 256

enum { CONV_BY_TILES, CONV_DIRECTLY };

struct conv_choice {
    int32_t kernel;
    int32_t tile;        /* CONV_BY_TILES: its number */
    int32_t lanes;       /* CONV_DIRECTLY in wgrad: filters of a block */
    int32_t splits;      /* 1 unless asked for more */
    int32_t k_per_split; /* tiles along K, or without tiles k, of a split */
    int32_t m_tiles, n_tiles, m;
    int64_t workspace; /* bytes of partial sums; 0 for one split */
};

/* What the choice depends on beside the geometry. */
struct conv_target {
    int32_t splits; /* splits can be had */
    int32_t multiprocessors;
};

/* Whether 32 bits number all results of a kernel without tiles. */
int conv_counts_directly(const struct conv *conv);

/* Of a narrow geometry. */
void conv_choose(const struct conv *conv, const struct conv_target *target,
                 struct conv_choice *choice);

#ifdef __cplusplus
}
#endif

#endif
