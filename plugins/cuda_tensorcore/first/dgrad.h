/* SPDX-License-Identifier: Apache-2.0 */
/* Implements dgrad of first layers with strides of 2. Positions of dx form pairs in both dims.
 * Each of the four classes of a pair has its own N of 8, its channels. All classes read the same
 * window of dy. A block loads it into shared memory for 4 rows of pairs, with 16 pairs per warp.
 * A tap belongs to one class. The filters are in shared memory, too, in the layout of fragments. */
#ifndef CUDA_TENSORCORE_FIRST_DGRAD_H
#define CUDA_TENSORCORE_FIRST_DGRAD_H

#include "fprop.h"

/* Loads the filters into shared memory as fragments. The two words of a lane, for each tap and
 * step, are those of b[] in common/mma.h. */
template <class E>
__device__ static inline void tc_first_load_fragments(const tc_first_params &job, char *to)
{
    const auto &conv = job.conv;
    int32_t taps = job.taps_h * job.taps_w;

    for (int i = (int)threadIdx.x; i < taps * TC_FIRST_TAP_BYTES / 8; i += (int)blockDim.x) {
        int32_t lane = i % 32, step = i / 32 % 4, tap = i / 128;
        int32_t k = step * 16 + lane % 4 * 2, c = lane / 4;
        const E *w = (const E *)job.b + conv.tap_first + c * conv.tap_n +
                     tap / job.taps_w * conv.dim[CONV_DIMS_MAX - 2].tap +
                     tap % job.taps_w * conv.dim[CONV_DIMS_MAX - 1].tap;
        union {
            uint2 word;
            E element[4];
        } words = {{0, 0}};

        if (c < job.channels) {
            for (int e = 0; e < 4; e++)
                words.element[e] = w[(k + e / 2 * 8 + e % 2) * conv.tap_channel];
        }
        ((uint2 *)to)[i] = words.word;
    }
}

/* Loads the window of dy for the pairs from (h, w) on, with a line of 128 bytes per position. */
template <class E>
__device__ static inline void tc_first_load_window(const tc_first_params &job, int32_t image,
                                                   int32_t h, int32_t w, int32_t window_p,
                                                   int32_t window_q, uint32_t to)
{
    int32_t chunk = (int32_t)threadIdx.x % 8;
    const E *dy = (const E *)job.a;

    for (int32_t line = (int32_t)threadIdx.x / 8; line < window_p * window_q;
         line += (int32_t)blockDim.x / 8) {
        int32_t p = h + job.dy_h + line / window_q, q = w + job.dy_w + line % window_q;
        bool inside =
            (uint32_t)p < (uint32_t)job.out_height && (uint32_t)q < (uint32_t)job.out_width;
        int64_t at = (int64_t)image * job.y_image + p * job.y_h + q * job.y_w + chunk * 8;

        tc_copy(to + (uint32_t)((line * 8 + (chunk ^ (line & 7))) * 16), inside ? dy + at : dy,
                inside);
    }
}

/* Adds the products of window position (a, b). In class (u, v), pair j reads dy[j + dy_h + a]
 * through tap u + pad - 2 (dy_h + a). The same holds along the width. */
template <class M>
__device__ static inline void tc_first_mma_window(const tc_first_params &job, uint32_t window,
                                                  int32_t window_q, const uint2 *filters, int32_t a,
                                                  int32_t b, float (&sum)[4][TC_FIRST_PAIRS][1][4])
{
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int32_t r = job.pad_h - 2 * (job.dy_h + a), s = job.pad_w - 2 * (job.dy_w + b);

#pragma unroll
    for (int step = 0; step < 4; step++) {
        uint32_t dy[TC_FIRST_PAIRS][4];

#pragma unroll
        for (int i = 0; i < TC_FIRST_PAIRS; i++) {
            int32_t line = (i + a) * window_q + warp * 16 + lane % 16 + b;

            tc_ldmatrix(dy[i],
                        window +
                            (uint32_t)((line * 8 + ((step * 2 + lane / 16) ^ (line & 7))) * 16));
        }
#pragma unroll
        for (int c = 0; c < 4; c++) {
            int32_t tap_h = r + c / 2, tap_w = s + c % 2;
            uint32_t w[1][2];

            if ((uint32_t)tap_h >= (uint32_t)job.taps_h || (uint32_t)tap_w >= (uint32_t)job.taps_w)
                continue;
            uint2 words = filters[((tap_h * job.taps_w + tap_w) * 4 + step) * 32 + lane];

            w[0][0] = words.x;
            w[0][1] = words.y;
            tc_mma_all<M>(sum[c], dy, w);
        }
    }
}

/* Stores the pixels of a tile's rows. If stores_by_16 is set, they go through shared memory by
 * 16 bytes. Otherwise they are stored one by one from registers. */
template <class E>
__device__ static inline void
tc_first_store_pixels(const tc_first_params &job, int32_t image, int32_t h, int32_t w,
                      const float (&sum)[4][TC_FIRST_PAIRS][1][4], char *memory)
{
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int32_t width = (int32_t)blockDim.x * job.channels; /* 16 pairs per warp */
    E *out = (E *)memory;

    __syncthreads();
#pragma unroll
    for (int c = 0; c < 4; c++) {
#pragma unroll
        for (int e = 0; e < TC_FIRST_PAIRS * 4; e++) {
            int32_t channel = lane % 4 * 2 + (e & 1), row = e / 4 * 2 + c / 2;
            int32_t pixel = (warp * 16 + lane / 4 + (e & 2) * 4) * 2 + c % 2;
            int64_t at = (int64_t)image * job.x_image + (2 * h + row) * job.x_h +
                         (2 * w + pixel) * job.conv.dim[CONV_DIMS_MAX - 1].position +
                         channel * job.conv.position.step;

            if (channel >= job.channels)
                continue;
            if (job.stores_by_16)
                cuda_store(&out[row * width + pixel * job.channels + channel],
                           sum[c][e / 4][0][e & 3]);
            else if (2 * h + row < job.height && 2 * w + pixel < job.width)
                conv_store<E>(job.output, at, 0, channel, sum[c][e / 4][0][e & 3]);
        }
    }
    __syncthreads();
    if (!job.stores_by_16)
        return;
    int32_t left = conv_least(width, (job.width - 2 * w) * job.channels) / 8;
    for (int32_t row = warp; row < 2 * TC_FIRST_PAIRS && 2 * h + row < job.height;
         row += (int32_t)blockDim.x / 32) {
        uint4 *to = (uint4 *)((E *)job.output.data + (int64_t)image * job.x_image +
                              (2 * h + row) * job.x_h + 2 * w * job.channels);

        for (int32_t i = lane; i < left; i += 32)
            to[i] = ((const uint4 *)(out + row * width))[i];
    }
}

template <class M>
__device__ static inline void tc_first_dgrad(const tc_first_params &job, char *memory)
{
    typedef typename M::element element;
    char *window = memory + job.taps_h * job.taps_w * TC_FIRST_TAP_BYTES;
    int32_t pairs = (int32_t)blockDim.x / 2;
    int32_t window_p = TC_FIRST_PAIRS + job.window_h - 1, window_q = pairs + job.window_w - 1;

    tc_first_load_fragments<element>(job, memory);
    for (int32_t tile = (int32_t)blockIdx.x; tile < job.tiles; tile += (int32_t)gridDim.x) {
        int32_t w = tile % job.tiles_w * pairs;
        int32_t h = tile / job.tiles_w % job.tiles_h * TC_FIRST_PAIRS;
        int32_t n = tile / job.tiles_w / job.tiles_h;
        float sum[4][TC_FIRST_PAIRS][1][4] = {};

        __syncthreads();
        tc_first_load_window<element>(job, n, h, w, window_p, window_q, tc_shared_address(window));
        tc_cp_async_commit();
        tc_cp_async_wait<0>();
        __syncthreads();
        for (int32_t a = 0; a < job.window_h; a++) {
            for (int32_t b = 0; b < job.window_w; b++)
                tc_first_mma_window<M>(job, tc_shared_address(window), window_q,
                                       (const uint2 *)memory, a, b, sum);
        }
        tc_first_store_pixels<element>(job, n, h, w, sum, window);
    }
}

template <class M>
__global__ void __launch_bounds__(TC_FIRST_WARPS * 32, 1)
    tc_first_dgrad_kernel(const __grid_constant__ tc_first_params job)
{
    TC_CODE_FROM(80)
    {
        TC_SHARED(memory);
        tc_wait_on_dependent_grids();
        tc_first_dgrad<M>(job, (char *)memory);
    }
}

#endif
