/* SPDX-License-Identifier: Apache-2.0 */
/* Divisive normalization of packed tensors by tiles: divisive_tile.cu without means,
 * divisive_tile_means.cu with means. */
#ifndef CUDA_SIMT_NORMALIZATION_DIVISIVE_TILE_H
#define CUDA_SIMT_NORMALIZATION_DIVISIVE_TILE_H

#include "window_sums.h"

/* The dims of a packed tensor, from the slowest to the fastest. Windows extend over `along`: h if
 * rows run along w, w if rows are of channels. In rows along w, they also extend over the row. In
 * rows of channels, h is `across`. */
enum { DIVISIVE_IMAGE, DIVISIVE_DEPTH, DIVISIVE_ACROSS, DIVISIVE_ALONG, DIVISIVE_ROW };
#define DIVISIVE_DIMS 5

/* The passes: sums of x^2 for y; sums of x^2 for the factors of the gradient; sums of these
 * factors. */
enum { DIVISIVE_FORWARD, DIVISIVE_FACTORS, DIVISIVE_GRADIENT };

struct divisive_tiles {
    const void *x, *means, *dy;
    void *out, *dmeans;
    float *shared, *direct; /* dy x s^(-b-1) and dy s^-b of every element, at x's offsets */
    cuda_blend blend;
    lrn_factors f;
    float through;      /* 2 alpha beta */
    int32_t along_rows; /* 1 if rows run along w */
    int32_t vectors;    /* 1 if rows can be read 16 bytes at a time */
    int64_t dims[DIVISIVE_DIMS], strides[DIVISIVE_DIMS];
    int32_t before[DIVISIVE_DIMS], after[DIVISIVE_DIMS]; /* reach of the windows */
    /* The shape of a tile: 2^log_positions positions along. Its lanes hold runs of rows: 2^runs of
     * one row, next to those of other rows across. A block iterates over the tiles of its extent
     * along. */
    int32_t log_positions, runs;
    int64_t extent[DIVISIVE_DIMS]; /* extent of a block */
    uint32_t tiles[DIVISIVE_DIMS]; /* blocks along each dim */
    int32_t multiprocessors;
};

/* ------------------------------------------------------------------ on the device */

/* Returns the lanes of a tile: each thread has one run of positions in one lane. */
__device__ static inline int divisive_lanes_of(const divisive_tiles &p)
{
    return CUDA_THREADS * LRN_RUN >> p.log_positions;
}

/* Computes the first index of a block's first tile along each dim. */
__device__ static inline void divisive_find_tile(const divisive_tiles &p,
                                                 int64_t origin[DIVISIVE_DIMS])
{
    uint32_t left = blockIdx.x;

#pragma unroll
    for (int d = DIVISIVE_DIMS - 1; d >= 0; d--) {
        uint32_t next = d > 0 ? left / p.tiles[d] : 0;

        origin[d] = (int64_t)(left - next * p.tiles[d]) * p.extent[d];
        left = next;
    }
}

/* Returns the index along at which the block's tiles end. */
__device__ static inline int64_t divisive_last_tile(const divisive_tiles &p, const int64_t origin[])
{
    int64_t end = origin[DIVISIVE_ALONG] + p.extent[DIVISIVE_ALONG];

    return end < p.dims[DIVISIVE_ALONG] ? end : p.dims[DIVISIVE_ALONG];
}

/* Adds the position of lane `lane` of a tile to `at`. */
__device__ static inline void divisive_find_lane(const divisive_tiles &p, int lane, int64_t at[])
{
    int run = lane / LRN_RUN;

    at[DIVISIVE_ACROSS] += run >> p.runs;
    at[DIVISIVE_ROW] += (run & ((1 << p.runs) - 1)) * LRN_RUN + lane % LRN_RUN;
}

__device__ static inline int64_t divisive_offset_of(const divisive_tiles &p, const int64_t at[])
{
    int64_t offset = at[DIVISIVE_ROW];

#pragma unroll
    for (int d = 0; d < DIVISIVE_ROW; d++)
        offset += at[d] * p.strides[d];
    return offset;
}

__device__ static inline int64_t divisive_window_begin(const divisive_tiles &p, int d, int64_t at)
{
    return at > p.before[d] ? at - p.before[d] : 0;
}

__device__ static inline int64_t divisive_window_end(const divisive_tiles &p, int d, int64_t at)
{
    return at + p.after[d] < p.dims[d] ? at + p.after[d] + 1 : p.dims[d];
}

/* ------------------------------------------------------------------ on the host */

/* Returns 1 if tiles accept the problem, and fills `tiles` except pointers and factors. `tensor`
 * has out, x, backward dy. */
int divisive_tiles_prepare(struct divisive_tiles *tiles, const cuda_lrn &lrn,
                           const struct anydnn_plugin_tensor *const tensor[], int32_t tensors,
                           int32_t multiprocessors);

int64_t divisive_blocks(const struct divisive_tiles *tiles);

/* Changes `tiles` for the pass that sums factors into gradients: windows are reversed, and the
 * summands are not scaled. */
void divisive_reverse_windows(struct divisive_tiles *tiles);

/* Launches the kernels; `tiles` has pointers and factors. */
int32_t divisive_tiles_run(struct divisive_tiles *tiles, int32_t type, int backward,
                           const cuda_call *call);
/* Returns 1 if divisive_tiles_run uses whole planes (divisive_planes.cu); the second function
 * launches them. */
int divisive_planes_take(const struct divisive_tiles *tiles, int backward);
int32_t divisive_planes_run(const struct divisive_tiles *tiles, int32_t type, int backward,
                            const cuda_call *call);
/* The same two functions for rows of channels (divisive_channels.cu). */
int divisive_channels_take(const struct divisive_tiles *tiles, int backward);
int32_t divisive_channels_run(const struct divisive_tiles *tiles, int32_t type, int backward,
                              const cuda_call *call);
int32_t divisive_means_run(struct divisive_tiles *tiles, int32_t type, int backward,
                           const cuda_call *call);

#endif
