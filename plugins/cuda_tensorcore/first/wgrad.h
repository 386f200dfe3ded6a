/* SPDX-License-Identifier: Apache-2.0 */
/* Implements wgrad of first layers. A warp computes a row of the filter, 8 taps of 4 channels,
 * for 64 filters. A block iterates over tiles of TC_FIRST_WGRAD_P output rows and accumulates
 * their sums. The sums run over positions. The lines of both operands are positions, and
 * ldmatrix transposes them. The length of a row is a multiple of 16, so that no tile has
 * positions outside the image. A zero at such a position, times an infinity of the image, would
 * be NaN. */
#ifndef CUDA_TENSORCORE_FIRST_WGRAD_H
#define CUDA_TENSORCORE_FIRST_WGRAD_H

#include "../ampere/wgrad_params.h"
#include "fprop.h"

/* Loads the rows of dy from `p` on, for the filters from `filter` on, with a line of 128 bytes
 * per position. */
template <class E>
__device__ static inline void tc_first_load_dy(const tc_first_params &job, int32_t image, int32_t p,
                                               int32_t filter, uint32_t to)
{
    int32_t chunk = (int32_t)threadIdx.x % 8;
    bool has_chunk = filter + chunk * 8 < job.filters;

#pragma unroll
    for (int row = 0; row < TC_FIRST_WGRAD_P; row++) {
        bool inside = has_chunk && p + row < job.out_height;
        const E *dy = (const E *)job.b + (int64_t)image * job.y_image + (p + row) * job.y_h +
                      filter + chunk * 8;

        for (int32_t q = (int32_t)threadIdx.x / 8; q < job.out_width;
             q += (int32_t)blockDim.x / 8) {
            int32_t line = row * job.out_width + q;

            tc_copy(to + (uint32_t)((line * 8 + (chunk ^ (line & 7))) * 16), dy + q * job.y_w,
                    inside);
        }
    }
}

/* Stores a sum as a partial sum, or in the filter itself if there is only one split. */
template <class E>
__device__ static inline void tc_first_store_tap(const tc_first_params &job, int32_t split,
                                                 int32_t r, int32_t s, int32_t c, int32_t k,
                                                 float sum)
{
    const auto &conv = job.conv;
    int64_t at = conv.tap_first + k * conv.tap_n + r * conv.dim[CONV_DIMS_MAX - 2].tap +
                 s * conv.dim[CONV_DIMS_MAX - 1].tap + c * conv.tap_channel;

    if (job.partial)
        ((float *)job.partial)[tc_wgrad_partial_at(conv.groups, conv.n, job.m, split, 0, k,
                                                   (r * job.taps_w + s) * job.channels + c)] = sum;
    else
        cuda_blend_store((E *)job.output.data + at, sum, job.output.blend);
}

template <class M, int CHANNELS>
__device__ static inline void tc_first_wgrad(const tc_first_params &job, char *memory)
{
    typedef typename M::element element;
    enum { FRAGS_M = TC_FIRST_FILTERS / 16, FRAGS_N = TC_FIRST_WGRAD_M / 8 };
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int32_t filter = (int32_t)blockIdx.x % job.n_tiles * TC_FIRST_FILTERS;
    int32_t split = (int32_t)blockIdx.x / job.n_tiles, width = job.out_width;
    int32_t count = tc_first_pixels(width);
    int32_t rows = (TC_FIRST_WGRAD_P - 1) * job.stride_h + job.taps_h;
    char *image = memory + TC_FIRST_WGRAD_P * width * 128;
    uint32_t dy = tc_shared_address(memory);
    uint32_t from =
        dy + (uint32_t)((lane % 8 + lane / 16 * 8) * 128 + ((lane / 8 % 2) ^ (lane % 8)) * 16);
    uint32_t pixels =
        tc_shared_address(image) + (uint32_t)((lane % 16 * 2 + lane / 16 * 2) * TC_FIRST_PIXEL);
    float sum[FRAGS_M][FRAGS_N][4] = {};

    for (int32_t tile = split; tile < job.tiles; tile += job.splits) {
        int32_t p = tile % job.tiles_h * TC_FIRST_WGRAD_P, n = tile / job.tiles_h;

        __syncthreads();
        tc_first_load_dy<element>(job, n, p, filter, dy);
        tc_cp_async_commit();
        tc_first_load_rows<element, CHANNELS>(job, n, p * job.stride_h - job.pad_h, -job.pad_w,
                                              rows, count, image);
        tc_cp_async_wait<0>();
        __syncthreads();
        for (int32_t row = 0; row < TC_FIRST_WGRAD_P && p + row < job.out_height; row++) {
            uint32_t dy_row = from + (uint32_t)(row * width * 128);
            uint32_t x_row =
                pixels + (uint32_t)((row * job.stride_h + warp) * count * TC_FIRST_PIXEL);

            for (int32_t q = 0; q < width; q += 16) {
                uint32_t a[FRAGS_M][4], b[FRAGS_N][2];

#pragma unroll
                for (int i = 0; i < FRAGS_M; i++)
                    tc_ldmatrix_trans(a[i], (dy_row ^ (uint32_t)(i * 32)) + (uint32_t)(q * 128));
#pragma unroll
                for (int j = 0; j < FRAGS_N; j += 2)
                    tc_ldmatrix_trans(b[j], x_row + (uint32_t)((q * 2 + j * 2) * TC_FIRST_PIXEL));
                tc_mma_all<M>(sum, a, b);
            }
        }
    }

#pragma unroll
    for (int e = 0; e < FRAGS_M * FRAGS_N * 4; e++) {
        int32_t k = filter + e / (FRAGS_N * 4) * 16 + lane / 4 + (e & 2) * 4;
        int32_t m = e / 4 % FRAGS_N * 8 + lane % 4 * 2 + (e & 1), s = m / 4, c = m % 4;

        if (k < job.filters && s < job.taps_w && c < CHANNELS)
            tc_first_store_tap<element>(job, split, warp, s, c, k,
                                        sum[e / (FRAGS_N * 4)][e / 4 % FRAGS_N][e & 3]);
    }
}

template <class M, int CHANNELS>
__global__ void __launch_bounds__(TC_FIRST_TAPS_H * 32, 2)
    tc_first_wgrad_kernel(const __grid_constant__ tc_first_params job)
{
    TC_CODE_FROM(80)
    {
        TC_SHARED(memory);
        tc_wait_on_dependent_grids();
        tc_first_wgrad<M, CHANNELS>(job, (char *)memory);
    }
}

#endif
