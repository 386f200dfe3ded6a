/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the halo tiles of depthwise convolutions: how blocks are cut, and how x is copied to
 * shared memory. */
#ifndef CUDA_SIMT_CONV_DEPTHWISE_HALO_H
#define CUDA_SIMT_CONV_DEPTHWISE_HALO_H

#include "../shared/copy_async.h"
#include "depthwise_device.h"

/* Results of a thread in each dim. */
enum { UNIT = 7 };

/* The shape of a block of THREADS threads. The block has a slab of 2 LANES channels, two for each
 * thread of a unit. A tile has X x Y units. The block has as many consecutive tiles as its threads
 * can process. A row of a unit uses UNDER elements of x. WGRAD_BLOCKS is the number of resident
 * blocks in wgrad on a multiprocessor with 227 KB of shared memory. Registers limit it with a
 * stride of 1, shared memory with a stride of 2. */
template <int LANES_, int X_, int Y_, int STRIDE_ = 1, int THREADS_ = 128> struct halo_shape {
    enum { LANES = LANES_, X = X_, Y = Y_, STRIDE = STRIDE_, THREADS = THREADS_ };
    enum { UNDER = (UNIT - 1) * STRIDE + 3, TILES = THREADS / LANES / (X * Y) };
    enum { WIDTH = (X * UNIT - 1) * STRIDE + 3, HEIGHT = (Y * UNIT - 1) * STRIDE + 3 };
    enum { VECTORS = LANES / 4 }; /* vectors of 16 bytes per pixel */
    enum { TILE_VECTORS = HEIGHT * WIDTH * VECTORS };
    enum {
        WGRAD_BLOCKS =
            STRIDE == 1 ? 512 / THREADS : (227 << 10) / (TILES * TILE_VECTORS * 16 + (1 << 10))
    };
};

/* The shapes for each stride, as arguments of a template. The first one that fits a problem is
 * used, so slabs with longer lines come first. If the stride is 1, the slab of 48 channels precedes
 * only the one with 32 bytes per line. If the stride is 2, a block is one warp, or three quarters
 * of one for 48 channels. */
#define HALO_SHAPES(OF)                                                                            \
    OF<halo_shape<32, 2, 2>>, OF<halo_shape<32, 1, 1>>, OF<halo_shape<16, 4, 2>>,                  \
        OF<halo_shape<24, 2, 2, 1, 96>>, OF<halo_shape<8, 4, 4>>
#define HALO_SHAPES_STRIDE2(OF)                                                                    \
    OF<halo_shape<32, 1, 1, 2, 32>>, OF<halo_shape<24, 1, 1, 2, 24>>,                              \
        OF<halo_shape<16, 1, 1, 2, 32>>, OF<halo_shape<8, 1, 1, 2, 32>>

/* ------------------------------------------------------------------ tiles */

/* The position of a tile's first result. */
struct halo_tile {
    int32_t image, y, x;
};

template <class SHAPE>
__device__ static inline halo_tile tile_of(const depthwise_job &job, uint32_t tile,
                                           int32_t height = SHAPE::Y * UNIT)
{
    halo_tile at;

    at.x = depthwise_split(tile, job.by_along, job.along.pieces) * (SHAPE::X * UNIT);
    at.y = depthwise_split(tile, job.by_across, job.across.pieces) * height;
    at.image = (int32_t)tile;
    return at;
}

/* Starts to copy the elements of x that a tile uses, from channel `channel` on. The tile must
 * exist. */
template <class T, class SHAPE>
__device__ static inline void load_halo(uint4 *halo, const depthwise_job &job,
                                        const halo_tile &tile, int32_t channel)
{
    enum { PIXELS = SHAPE::HEIGHT * SHAPE::WIDTH, STEP = SHAPE::THREADS / SHAPE::VECTORS };
    int vector = (int)threadIdx.x % SHAPE::VECTORS, pixel = (int)threadIdx.x / SHAPE::VECTORS;
    int32_t row = pixel / SHAPE::WIDTH, column = pixel % SHAPE::WIDTH;
    int32_t y = tile.y + job.across.origin, x = tile.x + job.along.origin;
    const T *from = (const T *)job.a + tile.image * job.x.image + channel + vector * 8;

#pragma unroll
    for (int first = 0; first < PIXELS; first += STEP) {
        int32_t at_y = y + row, at_x = x + column;

        if (first + STEP <= PIXELS || first + pixel < PIXELS)
            copy_async<16>(&halo[first * SHAPE::VECTORS + threadIdx.x],
                           from + (at_y * job.x.across + at_x * job.x.along),
                           (uint32_t)at_y < (uint32_t)job.across.a_extent &&
                               (uint32_t)at_x < (uint32_t)job.along.a_extent);
        row += STEP / SHAPE::WIDTH;
        column += STEP % SHAPE::WIDTH;
        if (column >= SHAPE::WIDTH) {
            column -= SHAPE::WIDTH;
            row++;
        }
    }
}

/* Starts to copy the tiles of a group, which a block processes together. */
template <class T, class SHAPE>
__device__ static inline void load_group(uint4 *halo, const depthwise_job &job, uint32_t group,
                                         int32_t channel)
{
#pragma unroll
    for (int t = 0; t < SHAPE::TILES; t++) {
        uint32_t tile = group * SHAPE::TILES + t;

        if (tile < (uint32_t)job.tiles)
            load_halo<T, SHAPE>(halo + t * SHAPE::TILE_VECTORS, job, tile_of<SHAPE>(job, tile),
                                channel);
    }
}

/* The part of a thread in each group: two channels of one unit of a tile. */
template <class SHAPE> struct halo_unit {
    int32_t lane, own; /* `own` is the tile's number in the group */
    int32_t y, x;      /* of the unit in its tile */

    __device__ halo_unit()
    {
        int32_t unit = (int32_t)threadIdx.x / SHAPE::LANES;

        lane = (int32_t)threadIdx.x % SHAPE::LANES;
        own = unit / (SHAPE::X * SHAPE::Y);
        y = unit / SHAPE::X % SHAPE::Y * UNIT;
        x = unit % SHAPE::X * UNIT;
    }

    __device__ const uint32_t *under(const uint4 *halo) const
    {
        return (const uint32_t *)(halo + own * SHAPE::TILE_VECTORS) +
               (y * SHAPE::WIDTH + x) * SHAPE::STRIDE * SHAPE::LANES + lane;
    }

    /* Returns the offset of the first result. */
    __device__ int64_t at(const depthwise_job &job, const halo_tile &tile, int32_t channel) const
    {
        return tile.image * job.out.image + channel + (int64_t)(tile.y + y) * job.out.across +
               (int64_t)(tile.x + x) * job.out.along;
    }
};

/* Reads row `row` of the elements that a unit uses. */
template <class T, class SHAPE>
__device__ static inline void read_row(float (&to)[SHAPE::UNDER][2], const uint32_t *under, int row)
{
#pragma unroll
    for (int i = 0; i < SHAPE::UNDER; i++) {
        depthwise_lanes<T, 2> read;

        read.whole = under[(row * SHAPE::WIDTH + i) * SHAPE::LANES];
#pragma unroll
        for (int v = 0; v < 2; v++)
            to[i][v] = cuda_load(read.lane[v]);
    }
}

/* ------------------------------------------------------------------ sums */

/* Adds the products of a row of x and a row of taps to a row of sums. */
template <class SHAPE>
__device__ static inline void add_row(float (&sum)[UNIT][2], const float (&x)[SHAPE::UNDER][2],
                                      const float (&w)[3][2])
{
#pragma unroll
    for (int s = 0; s < 3; s++) {
#pragma unroll
        for (int q = 0; q < UNIT; q++) {
#pragma unroll
            for (int v = 0; v < 2; v++)
                sum[q][v] = fmaf(x[q * SHAPE::STRIDE + s][v], w[s][v], sum[q][v]);
        }
    }
}

/* Stores a row of sums and sets them to zero. */
template <class T>
__device__ static inline void store_row(T *to, int32_t along, float (&sum)[UNIT][2])
{
#pragma unroll
    for (int q = 0; q < UNIT; q++) {
        depthwise_lanes<T, 2> out;

#pragma unroll
        for (int v = 0; v < 2; v++) {
            cuda_store(&out.lane[v], sum[q][v]);
            sum[q][v] = 0;
        }
        *(decltype(out.whole) *)(to + q * along) = out.whole;
    }
}

/* ------------------------------------------------------------------ on the host */

typedef void halo_kernel(depthwise_job job);

template <class SHAPE>
static int32_t halo_launch(const depthwise_state *state, const cuda_call *call,
                           const depthwise_job &job, halo_kernel *half, halo_kernel *bfloat16)
{
    return cuda_launch_threads(call, state->type == ANYDNN_PLUGIN_HALF ? half : bfloat16,
                               job.threads / SHAPE::THREADS, 1, SHAPE::THREADS, job);
}

#endif
