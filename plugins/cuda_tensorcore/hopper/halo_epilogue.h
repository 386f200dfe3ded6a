/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the tile, shared memory and epilogue of the halo kernel (hopper/halo.h). A thread's
 * accumulators are those of two filters at many pixels. They are stored as one line of filters
 * per pixel. */
#ifndef CUDA_TENSORCORE_HOPPER_HALO_EPILOGUE_H
#define CUDA_TENSORCORE_HOPPER_HALO_EPILOGUE_H

#include "halo_params.h"
#include "pipeline.h"

/* The shape of the kernel. A_IS_MN_MAJOR is 1 in dgrad, where the M of filters are contiguous. */
template <class MATH, int A_IS_MN_MAJOR> struct tc_hopper_halo_shape {
    typedef MATH math;
    typedef typename MATH::element element;
    enum {
        TAPS = TC_HOPPER_HALO_TAPS,
        A_MN_MAJOR = A_IS_MN_MAJOR,
        STAGES = 3, /* halos */
        CONSUMERS = 2,
        THREADS = (1 + CONSUMERS) * TC_WARPGROUP,
        WARPS_OF_A_STAGE = 1,                                /* the warp that stored */
        PIXELS = TC_HOPPER_HALO_TILE_H * TC_HOPPER_HALO_W,   /* includes unused pixels */
        TAP_BYTES = TC_HOPPER_HALO_CHANNELS * TC_LINE_BYTES, /* all filters of one tap */
        FILTERS_BYTES = TAPS * TAPS * TAP_BYTES,
        HALO_BYTES = TC_HOPPER_HALO_H * TC_HOPPER_HALO_W * TC_LINE_BYTES,
        /* The last tap of the last pixels, which are unused, lies behind the halo. */
        STAGE_BYTES = (HALO_BYTES + (TAPS - 1) * TC_LINE_BYTES + TC_SWIZZLE_BYTES - 1) /
                      TC_SWIZZLE_BYTES * TC_SWIZZLE_BYTES,
        STAGES_AT = FILTERS_BYTES,
        BARRIERS_AT = STAGES_AT + STAGES * STAGE_BYTES,
        FILTERS_BARRIER_AT = (2 * STAGES + CONSUMERS) * 8, /* after the others */
        SHARED_BYTES = BARRIERS_AT + FILTERS_BARRIER_AT + 8,
        /* The choice regards pixels as M, as in the other families. */
        TILE_M = TC_HOPPER_HALO_TILE_H * TC_HOPPER_HALO_TILE_W,
        TILE_N = TC_HOPPER_HALO_CHANNELS,
        TILE_K = TC_HOPPER_HALO_CHANNELS
    };
};

template <class S> struct tc_hopper_halo_barriers : tc_hopper_barriers<S> {
    __device__ uint32_t filters() const
    {
        return this->first + (uint32_t)S::FILTERS_BARRIER_AT;
    }
};

/* A tile of a block. Tiles along W vary fastest, then tiles along H, then images, so that rows
 * shared by two tiles stay in caches. */
struct tc_hopper_halo_tile {
    int32_t image, h, w; /* position of its first result */

    __device__ tc_hopper_halo_tile(const tc_hopper_halo_params &job, int32_t id)
    {
        w = id % job.tiles_w * TC_HOPPER_HALO_TILE_W;
        id /= job.tiles_w;
        h = id % job.tiles_h * TC_HOPPER_HALO_TILE_H;
        image = id / job.tiles_h;
    }
};

/* Stores results rounded to 16 bits. They go to shared memory, 8 filters of 16 pixels at a time,
 * and the copy engine stores them. */
template <class S, class F>
__device__ static inline void
tc_hopper_halo_store(const tc_hopper_halo_params &job, const tc_hopper_halo_tile &tile, char *halo,
                     int32_t consumer, const float (&sum)[S::PIXELS / 2], const F &with)
{
    typedef typename S::element element;
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t filter = thread / 32 * 16 + lane / 4, chunk = thread / 32 * 2 + lane / 8 % 2;
    uint32_t from = tc_shared_address(halo);
    uint32_t to = from + (lane / 16 * 8 + lane % 8) * TC_LINE_BYTES + ((chunk ^ lane % 8) << 4);
    float bias[2];

#pragma unroll
    for (int32_t half = 0; half < 2; half++) {
        float2 two = with.bias((filter + half * 8) & ~1);

        bias[half] = filter % 2 ? two.y : two.x;
    }
#pragma unroll
    for (int32_t pixel = 0; pixel < S::PIXELS; pixel += 16) {
        uint32_t pairs[4] = {};

#pragma unroll
        for (int32_t i = 0; i < 4; i++) {
            int32_t at = pixel / 2 + i * 2;

            if (pixel + i / 2 * 8 < S::PIXELS)
                pairs[i] = tc_round_pair(element(), with.finish(element(), sum[at], bias[i % 2]),
                                         with.finish(element(), sum[at + 1], bias[i % 2]));
        }
        tc_stmatrix_trans(to + pixel * TC_LINE_BYTES, pairs);
    }
    tc_fence_proxy_async();
    tc_warpgroup_sync(1 + consumer);
    if (thread == 0) {
#pragma unroll 1
        for (int32_t row = 0; row < TC_HOPPER_HALO_TILE_H; row++)
            if (tile.h + row < job.dim[TC_HOPPER_HEIGHT].positions)
                tc_tma_store(&job.c[0], from + row * TC_HOPPER_HALO_W * TC_LINE_BYTES, 0, tile.w,
                             tile.h + row, tile.image);
    }
}

/* Stores results that are blended or need another activation. The sums go to shared memory
 * unchanged, half of the pixels at a time. A thread then handles the results of one filter. */
template <class S>
__device__ static inline void
tc_hopper_halo_blend(const tc_hopper_halo_params &job, const tc_hopper_halo_tile &tile, char *halo,
                     int32_t consumer, const float (&sum)[S::PIXELS / 2])
{
    enum { HALF = (S::PIXELS / 8 + 1) / 2 * 8, FILTERS = TC_HOPPER_HALO_CHANNELS };
    int32_t thread = (int32_t)threadIdx.x % TC_WARPGROUP, lane = thread % 32;
    int32_t filter = thread / 32 * 16 + lane / 4, mine = thread % FILTERS;
    int32_t height = job.dim[TC_HOPPER_HEIGHT].positions;
    int32_t width = job.dim[TC_HOPPER_WIDTH].positions;
    float *sums = (float *)halo;

    static_assert(HALF * FILTERS * 4 <= (int)S::STAGE_BYTES, "half of the sums fit");
#pragma unroll
    for (int32_t first = 0; first < S::PIXELS; first += HALF) {
#pragma unroll
        for (int32_t i = first / 2; i < (first + HALF) / 2 && i < S::PIXELS / 2; i++) {
            int32_t pixel = i / 4 * 8 + lane % 4 * 2 + i % 2 - first;

            sums[pixel * FILTERS + ((filter + i / 2 % 2 * 8) ^ pixel / 2 % 4 * 8)] = sum[i];
        }
        tc_warpgroup_sync(1 + consumer);
#pragma unroll 1
        for (int32_t i = thread / FILTERS; i < HALF; i += TC_WARPGROUP / FILTERS) {
            int32_t line = first + i, h = tile.h + line / TC_HOPPER_HALO_W;
            int32_t column = line % TC_HOPPER_HALO_W, w = tile.w + column;
            int64_t at = (((int64_t)tile.image * height + h) * width + w) * job.pitch + mine;
            int64_t z_at =
                tile.image * job.z_image + h * job.z_height + w * job.z_width + mine * job.z_step;

            if (line < S::PIXELS && column < TC_HOPPER_HALO_TILE_W && h < height && w < width &&
                mine < job.n)
                conv_store<typename S::element>(job.output, at, z_at, mine,
                                                sums[i * FILTERS + (mine ^ i / 2 % 4 * 8)]);
        }
        tc_warpgroup_sync(1 + consumer);
    }
    tc_fence_proxy_async();
}

#endif
