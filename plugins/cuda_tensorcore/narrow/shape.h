/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the tile of a block for layers with few channels, and its shared memory: a halo of
 * pixels, then all filters. A line of the halo is one pixel with all channels. A line of the
 * filters is one tap of one result. Lines consist of chunks of 8 channels. The chunks of a line
 * are swizzled, so that 8 consecutive lines use different banks. */
#ifndef CUDA_TENSORCORE_NARROW_SHAPE_H
#define CUDA_TENSORCORE_NARROW_SHAPE_H

#include "../common/mma.h"

/* The pixels of a tile's row and of a fragment, the channels of a chunk, and N of a fragment. */
#define TC_NARROW_WIDTH      32
#define TC_NARROW_FRAGMENT   16
#define TC_NARROW_CHUNK      8
#define TC_NARROW_FRAGMENT_N 8

/* The shape of a kernel: the most channels of A and of the results, taps along either dim, rows
 * of results per warp, and warps. RESIDENT is the number of resident blocks that limits the
 * registers. */
template <class MATH, int CHANNELS_OF, int N_OF, int TAPS_OF, int ROWS_OF, int WARPS_OF,
          int RESIDENT>
struct tc_narrow_shape {
    typedef MATH math;
    typedef typename MATH::element element;
    enum {
        CHANNELS = CHANNELS_OF,
        N = N_OF,
        TAPS = TAPS_OF,
        ROWS = ROWS_OF,
        OCCUPANCY = RESIDENT,
        THREADS = WARPS_OF * 32,
        HEIGHT = ROWS_OF * WARPS_OF,
        FRAGS_M = ROWS_OF * (TC_NARROW_WIDTH / TC_NARROW_FRAGMENT),
        FRAGS_N = N_OF / TC_NARROW_FRAGMENT_N,
        CHUNKS = CHANNELS_OF / TC_NARROW_CHUNK,
        STEPS = CHANNELS_OF / 16,
        /* 1 if a block may process several tiles and load the filters only once. If there are
         * few filters, the loop costs more than it saves. */
        STAYS = TAPS_OF > 1 && CHANNELS_OF + N_OF > 32,
        LINE_BYTES = CHANNELS_OF * 2,
        /* The size of the halo in pixels, and the lines from row to row, a multiple of 8 for the
         * swizzle. */
        HALO_WIDTH = TC_NARROW_WIDTH + TAPS_OF - 1,
        HALO_HEIGHT = HEIGHT + TAPS_OF - 1,
        HALO_PITCH = (HALO_WIDTH + 7) / 8 * 8,
        HALO_BYTES = HALO_PITCH * HALO_HEIGHT * LINE_BYTES,
        FILTER_BYTES = TAPS_OF * TAPS_OF * N_OF * LINE_BYTES,
        /* The layout of a fragment's sums when they go through shared memory as floats. */
        SUM_LINE = N_OF + 4,
        SUM_BYTES = WARPS_OF * TC_NARROW_FRAGMENT * SUM_LINE * 4,
        FILTERS_AT = (int)HALO_BYTES > (int)SUM_BYTES ? (int)HALO_BYTES : (int)SUM_BYTES,
        SHARED_BYTES = FILTERS_AT + FILTER_BYTES,
        TILE_M = HEIGHT * TC_NARROW_WIDTH,
        TILE_N = N_OF,
        TILE_K = TAPS_OF * TAPS_OF * CHANNELS_OF
    };
};

/* Returns the byte offset of a chunk. Lines that are a multiple of 8 apart have the same
 * swizzle. */
template <class S> CUDA_BOTH int32_t tc_narrow_chunk_at(int32_t line, int32_t chunk)
{
    int32_t swizzle = line / (8 / (int)S::CHUNKS) % (int)S::CHUNKS;

    return (line * (int)S::CHUNKS + (chunk ^ swizzle)) * 16;
}

/* These functions map an n of the fragments to a result, and a result to an n. A lane holds n =
 * 2 t and 2 t + 1 of every fragment. The mapping makes all of its results contiguous in memory. */
template <class S> CUDA_BOTH int32_t tc_narrow_result_of(int32_t n)
{
    return n % 8 / 2 * 2 * (int)S::FRAGS_N + n / 8 * 2 + n % 2;
}

template <class S> CUDA_BOTH int32_t tc_narrow_n_of(int32_t result)
{
    int32_t of_lane = 2 * (int)S::FRAGS_N, rest = result % of_lane;

    return rest / 2 * 8 + result / of_lane * 2 + rest % 2;
}

#endif
