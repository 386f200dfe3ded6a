/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise fprop of 3 x 3 taps, and dgrad, with a stride of 1, 16 bits, NHWC, by halo tiles: a
 * block copies x under its tile by cp.async, 16 bytes at a time and zeros outside, to shared
 * memory, where each offset is a constant of its instruction. A thread has two channels of UNIT x
 * UNIT results, and walks down them with a ring of three rows of sums; everything is unrolled.
 */
#include "depthwise_device.h"

/* Results of a thread in each dim, and the elements of x under a row of them. */
enum { UNIT = 7, UNDER = UNIT + 2, BLOCK = 128 };

/* The cut of a block: a slab of 2 LANES channels, of which each unit's threads have two each; X x Y
 * units make a tile, and as many tiles as there are threads for lie one behind the other. */
template <int LANES_, int X_, int Y_> struct halo_shape {
    enum { LANES = LANES_, X = X_, Y = Y_ };
    enum { TILES = BLOCK / LANES / (X * Y), WIDTH = X * UNIT + 2, HEIGHT = Y * UNIT + 2 };
    enum { VECTORS = LANES / 4 }; /* of 16 bytes, at each pixel */
};

/* ------------------------------------------------------------------ copies */

__device__ static inline void copy_async(uint4 *to, const void *from, bool inside)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(inside ? 16 : 0)
                 : "memory");
#else
    *to = inside ? *(const uint4 *)from : uint4{0, 0, 0, 0};
#endif
}

__device__ static inline void wait()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Where a tile begins. */
struct halo_tile {
    int32_t image, y, x;
};

template <class SHAPE>
__device__ static inline halo_tile tile_of(const depthwise_job &job, uint32_t tile)
{
    halo_tile at;

    at.x = depthwise_split(tile, job.by_along, job.along.pieces) * (SHAPE::X * UNIT);
    at.y = depthwise_split(tile, job.by_across, job.across.pieces) * (SHAPE::Y * UNIT);
    at.image = (int32_t)tile;
    return at;
}

/* The x under a tile, which is `there`, from channel `channel` on. */
template <class T, class SHAPE>
__device__ static inline void load_halo(uint4 *halo, const depthwise_job &job,
                                        const halo_tile &tile, int32_t channel)
{
    enum { PIXELS = SHAPE::HEIGHT * SHAPE::WIDTH, STEP = BLOCK / SHAPE::VECTORS };
    int vector = (int)threadIdx.x % SHAPE::VECTORS, pixel = (int)threadIdx.x / SHAPE::VECTORS;
    int32_t row = pixel / SHAPE::WIDTH, column = pixel % SHAPE::WIDTH;
    int32_t y = tile.y + job.across.origin, x = tile.x + job.along.origin;
    const T *from = (const T *)job.data + tile.image * job.x.image + channel + vector * 8;

#pragma unroll
    for (int first = 0; first < PIXELS; first += STEP) {
        int32_t at_y = y + row, at_x = x + column;

        if (first + STEP <= PIXELS || first + pixel < PIXELS)
            copy_async(&halo[first * SHAPE::VECTORS + threadIdx.x],
                       from + (at_y * job.x.across + at_x * job.x.along),
                       (uint32_t)at_y < (uint32_t)job.across.gathered &&
                           (uint32_t)at_x < (uint32_t)job.along.gathered);
        row += STEP / SHAPE::WIDTH;
        column += STEP % SHAPE::WIDTH;
        if (column >= SHAPE::WIDTH) {
            column -= SHAPE::WIDTH;
            row++;
        }
    }
}

/* ------------------------------------------------------------------ sums */

/* Adds a row of x to row r of taps' sums. */
__device__ static inline void add_row(float (&sum)[UNIT][2], const float (&x)[UNDER][2],
                                      const float (&w)[3][2])
{
#pragma unroll
    for (int s = 0; s < 3; s++) {
#pragma unroll
        for (int q = 0; q < UNIT; q++) {
#pragma unroll
            for (int v = 0; v < 2; v++)
                sum[q][v] = fmaf(x[q + s][v], w[s][v], sum[q][v]);
        }
    }
}

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

template <class T, class SHAPE>
__global__ void __launch_bounds__(BLOCK, 5)
    depthwise_halo_kernel(const __grid_constant__ depthwise_job job)
{
    enum { TILE_VECTORS = SHAPE::HEIGHT * SHAPE::WIDTH * SHAPE::VECTORS };
    __shared__ uint4 halo[SHAPE::TILES * TILE_VECTORS];
    uint32_t left = blockIdx.x;
    int32_t slab = depthwise_split(left, job.by_first, job.first) * (2 * SHAPE::LANES);
    int32_t lane = (int32_t)threadIdx.x % SHAPE::LANES, unit = (int32_t)threadIdx.x / SHAPE::LANES;
    int32_t channel = slab + 2 * lane, own = unit / (SHAPE::X * SHAPE::Y);
    int32_t unit_y = unit / SHAPE::X % SHAPE::Y * UNIT, unit_x = unit % SHAPE::X * UNIT;
    float sum[3][UNIT][2] = {}, w[3][3][2];

#pragma unroll
    for (int t = 0; t < SHAPE::TILES; t++) {
        uint32_t tile = left * SHAPE::TILES + t;

        if (tile < (uint32_t)job.tiles)
            load_halo<T, SHAPE>(halo + t * TILE_VECTORS, job, tile_of<SHAPE>(job, tile), slab);
    }
    depthwise_filters<T, 2, 3>(w, job, job.tap_first + channel * job.tap_channel);
    wait();
    __syncthreads();
    if (left * SHAPE::TILES + own >= (uint32_t)job.tiles)
        return;

    halo_tile tile = tile_of<SHAPE>(job, left * SHAPE::TILES + own);
    const uint32_t *x = (const uint32_t *)(halo + own * TILE_VECTORS) +
                        (unit_y * SHAPE::WIDTH + unit_x) * SHAPE::LANES + lane;
    T *y = (T *)job.output.data + tile.image * job.out.image + channel +
           (int64_t)(tile.y + unit_y) * job.out.across + (int64_t)(tile.x + unit_x) * job.out.along;

#pragma unroll
    for (int row = 0; row < UNDER; row++) {
        float column[UNDER][2];

#pragma unroll
        for (int i = 0; i < UNDER; i++) {
            depthwise_lanes<T, 2> read;

            read.whole = x[(row * SHAPE::WIDTH + i) * SHAPE::LANES];
#pragma unroll
            for (int v = 0; v < 2; v++)
                column[i][v] = cuda_load(read.lane[v]);
        }
#pragma unroll
        for (int r = 0; r < 3; r++) {
            if (row >= r && row - r < UNIT)
                add_row(sum[(row - r + 3) % 3], column, w[r]);
        }
        if (row >= 2) {
            store_row(y, job.out.along, sum[(row - 2) % 3]);
            y += job.out.across;
        }
    }
}

/* ------------------------------------------------------------------ on the host */

#define SHAPE_OF(...)                                                                              \
    {                                                                                              \
        __VA_ARGS__ ::LANES, __VA_ARGS__ ::X, __VA_ARGS__ ::Y, __VA_ARGS__ ::TILES,                \
            depthwise_halo_kernel<cuda_half, __VA_ARGS__>,                                         \
            depthwise_halo_kernel<cuda_bfloat16, __VA_ARGS__>                                      \
    }

/* The widest slabs that divide the channels are first: their lines are longer. */
static const struct {
    int32_t lanes, x, y, tiles;
    void (*half)(depthwise_job);
    void (*bfloat16)(depthwise_job);
} shapes[] = {
    SHAPE_OF(halo_shape<32, 2, 2>),
    SHAPE_OF(halo_shape<32, 1, 1>),
    SHAPE_OF(halo_shape<16, 4, 2>),
    SHAPE_OF(halo_shape<8, 4, 4>),
};

int depthwise_halo_prepare(depthwise_state *state, int64_t images)
{
    depthwise_job *job = &state->job;
    int64_t tiles;

    if (job->across.step != 1 || job->along.step != 1 || job->across.stride != 1 ||
        job->along.stride != 1 || job->x.image % 8 || job->x.across % 8 || job->x.along % 8)
        return 0;
    for (int s = 0; s < (int)(sizeof shapes / sizeof *shapes); s++) {
        int32_t width = shapes[s].x * UNIT, height = shapes[s].y * UNIT;

        if (job->channels % (2 * shapes[s].lanes) || job->along.positions % width ||
            job->across.positions % height)
            continue;
        job->along.pieces = job->along.positions / width;
        job->across.pieces = job->across.positions / height;
        job->by_along = cuda_divisor_of(job->along.pieces);
        job->by_across = cuda_divisor_of(job->across.pieces);
        job->first = job->channels / (2 * shapes[s].lanes);
        job->by_first = cuda_divisor_of(job->first);
        tiles = images * job->along.pieces * job->across.pieces;
        job->threads = cuda_ceil_div(tiles, shapes[s].tiles) * job->first * BLOCK;
        job->tiles = (int32_t)tiles;
        state->shape = s;
        return job->threads < INT64_C(1) << 30;
    }
    return 0;
}

int32_t depthwise_halo(const depthwise_state *state, const cuda_call *call,
                       const depthwise_job &job)
{
    return cuda_launch_threads(call,
                               state->type == ANYDNN_PLUGIN_HALF ? shapes[state->shape].half
                                                                 : shapes[state->shape].bfloat16,
                               job.threads / BLOCK, 1, BLOCK, job);
}
