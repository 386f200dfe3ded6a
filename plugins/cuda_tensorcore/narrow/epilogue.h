/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the epilogue of layers with few channels. A lane holds adjacent results of a pixel.
 * If they are only rounded, or first get a bias and a ReLU, the lane stores them from registers.
 * All other results go through shared memory as floats, and conv_store finishes them. */
#ifndef CUDA_TENSORCORE_NARROW_EPILOGUE_H
#define CUDA_TENSORCORE_NARROW_EPILOGUE_H

#include "params.h"
#include "shape.h"

/* A tile: its image, and the position of its first result. */
struct tc_narrow_tile {
    int32_t image, p, q;
};

/* Stores a lane's results from registers, by up to 16 bytes. */
template <class S>
__device__ static inline void tc_narrow_put(typename S::element *to, int32_t left,
                                            const uint32_t (&pairs)[S::FRAGS_N])
{
    if constexpr (S::FRAGS_N == 2) {
        if (left > 0)
            *(uint2 *)to = {pairs[0], pairs[1]};
    } else {
#pragma unroll
        for (int32_t j = 0; j < S::FRAGS_N; j += 4) {
            if (left > 2 * j)
                *(uint4 *)(to + 2 * j) = {pairs[j], pairs[j + 1], pairs[j + 2], pairs[j + 3]};
        }
    }
}

template <class S, class F>
__device__ static inline void
tc_narrow_store_packed(const tc_narrow_params &job, const tc_narrow_tile &tile,
                       const float (&sum)[S::FRAGS_M][S::FRAGS_N][4], const F &with)
{
    typedef typename S::element element;
    const auto &conv = job.conv;
    int32_t lane = (int32_t)threadIdx.x % 32, warp = (int32_t)threadIdx.x / 32;
    int32_t n = lane % 4 * 2 * S::FRAGS_N, left = (int32_t)conv.n - n;
    element *out = (element *)job.output.data + tile.image * conv.position_image + n;
    float2 bias[S::FRAGS_N];

#pragma unroll
    for (int32_t j = 0; j < S::FRAGS_N; j++)
        bias[j] = with.bias(n + 2 * j);
#pragma unroll
    for (int32_t i = 0; i < 2 * S::FRAGS_M; i++) {
        int32_t p = tile.p + warp * S::ROWS + i / 4, q = tile.q + i % 4 * 8 + lane / 4;
        uint32_t pairs[S::FRAGS_N];

#pragma unroll
        for (int32_t j = 0; j < S::FRAGS_N; j++)
            pairs[j] = tc_round_pair(
                element(), with.finish(element(), sum[i / 2][j][i % 2 * 2], bias[j].x),
                with.finish(element(), sum[i / 2][j][i % 2 * 2 + 1], bias[j].y));
        if (p < job.out_height && q < job.out_width)
            tc_narrow_put<S>(out + p * conv.dim[CONV_DIMS_MAX - 2].position +
                                 q * conv.dim[CONV_DIMS_MAX - 1].position,
                             left, pairs);
    }
}

/* Stores the sums of 16 pixels of a row, which are floats in shared memory. */
template <class S>
__device__ static inline void tc_narrow_store_any(const tc_narrow_params &job, int32_t image,
                                                  int32_t p, int32_t q, const float *sums)
{
    typedef typename S::element element;
    const auto &conv = job.conv;
    const tc_conv_dim &height = conv.dim[CONV_DIMS_MAX - 2], &width = conv.dim[CONV_DIMS_MAX - 1];
    int64_t at = image * conv.position_image + p * height.position;
    int64_t z = image * conv.z_image + p * height.z;
    int32_t n = (int32_t)conv.n;

#pragma unroll 1
    for (int32_t e = (int32_t)threadIdx.x % 32; e < TC_NARROW_FRAGMENT * n; e += 32) {
        int32_t pixel = job.c_is_m_major ? e % TC_NARROW_FRAGMENT : e / n;
        int32_t number = job.c_is_m_major ? e / TC_NARROW_FRAGMENT : e % n;

        if (p < job.out_height && q + pixel < job.out_width)
            conv_store<element>(job.output,
                                at + (q + pixel) * width.position + number * conv.position.step,
                                z + (q + pixel) * width.z + number * conv.z.step, number,
                                sums[pixel * S::SUM_LINE + number]);
    }
}

/* Stores results through shared memory. It overwrites the halo, which is no longer read. */
template <class S>
__device__ static inline void
tc_narrow_store_blended(const tc_narrow_params &job, const tc_narrow_tile &tile,
                        const float (&sum)[S::FRAGS_M][S::FRAGS_N][4], char *memory)
{
    int32_t lane = (int32_t)threadIdx.x % 32, warp = (int32_t)threadIdx.x / 32;
    float *sums = (float *)memory + warp * TC_NARROW_FRAGMENT * S::SUM_LINE;

    __syncthreads();
#pragma unroll
    for (int32_t i = 0; i < S::FRAGS_M; i++) {
        __syncwarp();
#pragma unroll
        for (int32_t j = 0; j < S::FRAGS_N; j++) {
            float *to = sums + lane / 4 * S::SUM_LINE + lane % 4 * 2 * S::FRAGS_N + 2 * j;

            *(float2 *)to = {sum[i][j][0], sum[i][j][1]};
            *(float2 *)(to + 8 * S::SUM_LINE) = {sum[i][j][2], sum[i][j][3]};
        }
        __syncwarp();
        tc_narrow_store_any<S>(job, tile.image, tile.p + warp * S::ROWS + i / 2,
                               tile.q + i % 2 * TC_NARROW_FRAGMENT, sums);
    }
}

template <class S>
__device__ static inline void
tc_narrow_epilogue(const tc_narrow_params &job, const tc_narrow_tile &tile,
                   const float (&sum)[S::FRAGS_M][S::FRAGS_N][4], char *memory)
{
    typedef typename S::element element;

    if (job.results == TC_NARROW_ROUNDED)
        tc_narrow_store_packed<S>(job, tile, sum, tc_as_they_are());
    else if (job.results == TC_NARROW_BIASED)
        tc_narrow_store_packed<S>(
            job, tile, sum, tc_biased<element>{job.output, job.bounds, 0, (int32_t)job.conv.n});
    else
        tc_narrow_store_blended<S>(job, tile, sum, memory);
}

#endif
