/* SPDX-License-Identifier: Apache-2.0 */
/* Implements fprop of first layers. A block computes TC_FIRST_FPROP_P output rows of an image,
 * 16 positions of each row per warp, for 64 filters. The filters stay in shared memory for all
 * tiles of the block. */
#ifndef CUDA_TENSORCORE_FIRST_FPROP_H
#define CUDA_TENSORCORE_FIRST_FPROP_H

#include "params.h"

/* Loads the filters from `first` on, as rows of 8 taps of 4 channels. */
template <class E, int CHANNELS>
__device__ static inline void tc_first_load_filters(const tc_first_params &job, int32_t first,
                                                    char *to)
{
    const auto &conv = job.conv;

    for (int i = (int)threadIdx.x; i < TC_FIRST_FILTERS * job.taps_h * TC_FIRST_TAPS;
         i += (int)blockDim.x) {
        int32_t tap = i % (job.taps_h * TC_FIRST_TAPS), k = i / (job.taps_h * TC_FIRST_TAPS);
        int32_t r = tap / TC_FIRST_TAPS, s = tap % TC_FIRST_TAPS;
        const E *w = (const E *)job.b + conv.tap_first + (first + k) * conv.tap_n +
                     r * conv.dim[CONV_DIMS_MAX - 2].tap + s * conv.dim[CONV_DIMS_MAX - 1].tap;
        union {
            uint2 word;
            E element[4];
        } taps = {{0, 0}};

        if (s < job.taps_w && first + k < job.filters) {
            for (int c = 0; c < CHANNELS; c++)
                taps.element[c] = w[c * conv.tap_channel];
        }
        *(uint2 *)(to + k * tc_first_filter_bytes(job.taps_h) + tap * TC_FIRST_PIXEL) = taps.word;
    }
}

/* Stores the results of 16 positions of one row, from q on. They are rounded in registers, and
 * go through the warp's own shared memory by 16 bytes. */
template <class E>
__device__ static inline void
tc_first_store_packed(const tc_first_params &job, int64_t row, int32_t q, int32_t filter,
                      const float (&sum)[TC_FIRST_FILTERS / 8][4], char *results)
{
    int lane = (int)threadIdx.x % 32;

    __syncwarp();
#pragma unroll
    for (int j = 0; j < TC_FIRST_FILTERS / 8; j++) {
        char *to = results + lane / 4 * TC_FIRST_RESULT + j * 16 + lane % 4 * 4;

        tc_ampere_put_pair<E>(to, sum[j][0], sum[j][1]);
        tc_ampere_put_pair<E>(to + 8 * TC_FIRST_RESULT, sum[j][2], sum[j][3]);
    }
    __syncwarp();
    filter += lane % 8 * 8;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        int position = e * 4 + lane / 8;

        if (q + position < job.out_width && filter < job.filters)
            *(uint4 *)((E *)job.output.data + row + (q + position) * job.y_w + filter) =
                *(const uint4 *)(results + position * TC_FIRST_RESULT + lane % 8 * 16);
    }
}

/* Stores the same results one by one, with any epilogue. They go through the same memory as
 * floats, half of the filters at a time. */
template <class E>
__device__ static inline void
tc_first_store_any(const tc_first_params &job, int64_t row, int64_t z_row, int32_t q,
                   int32_t filter, const float (&sum)[TC_FIRST_FILTERS / 8][4], char *results)
{
    enum { HALF = TC_FIRST_FILTERS / 2, LINE = TC_FIRST_RESULT / 4 };
    int lane = (int)threadIdx.x % 32;
    float *floats = (float *)results;

#pragma unroll
    for (int j = 0; j < TC_FIRST_FILTERS / 8; j++) {
        float *to = floats + lane / 4 * LINE + j * 8 % HALF + lane % 4 * 2;

        if (j * 8 % HALF == 0)
            __syncwarp();
        *(float2 *)to = {sum[j][0], sum[j][1]};
        *(float2 *)(to + 8 * LINE) = {sum[j][2], sum[j][3]};
        if ((j + 1) * 8 % HALF != 0)
            continue;
        __syncwarp();
#pragma unroll 1
        for (int e = lane; e < 16 * HALF; e += 32) {
            int position = job.c_is_m_major ? e % 16 : e / HALF;
            int line = job.c_is_m_major ? e / 16 : e % HALF;
            int32_t number = filter + (j + 1) * 8 - HALF + line, q_at = q + position;

            if (q_at < job.out_width && number < job.filters)
                conv_store<E>(job.output, row + q_at * job.y_w + number * job.conv.position.step,
                              z_row + q_at * job.conv.dim[CONV_DIMS_MAX - 1].z +
                                  number * job.conv.z.step,
                              number, floats[position * LINE + line]);
        }
    }
}

/* Adds the products of a tile. `pixels` is the address of this lane's first pixel. */
template <class M>
__device__ static inline void tc_first_mma(const tc_first_params &job, uint32_t pixels,
                                           uint32_t filters, int32_t count,
                                           float (&sum)[TC_FIRST_FPROP_P][TC_FIRST_FILTERS / 8][4])
{
    int32_t filter_bytes = tc_first_filter_bytes(job.taps_h), word = (int)threadIdx.x % 4 / 2;

    for (int r = 0; r < job.taps_h; r++) {
#pragma unroll
        for (int s = 0; s < TC_FIRST_TAPS; s += 4) {
            uint32_t a[TC_FIRST_FPROP_P][4], b[TC_FIRST_FILTERS / 8][2];

            if (s >= job.taps_w)
                break;
#pragma unroll
            for (int i = 0; i < TC_FIRST_FPROP_P; i++) {
                tc_ldmatrix(a[i], pixels + (uint32_t)(((i * job.stride_h + r) * count + s) *
                                                      TC_FIRST_PIXEL));
                if (s + word >= job.taps_w)
                    a[i][0] = a[i][1] = 0;
                if (s + 2 + word >= job.taps_w)
                    a[i][2] = a[i][3] = 0;
            }
#pragma unroll
            for (int j = 0; j < TC_FIRST_FILTERS / 8; j += 2)
                tc_ldmatrix(b[j], filters + (uint32_t)(j * 8 * filter_bytes +
                                                       (r * TC_FIRST_TAPS + s) * TC_FIRST_PIXEL));
            tc_mma_all<M>(sum, a, b);
        }
    }
}

template <class M, int CHANNELS>
__device__ static inline void tc_first_fprop(const tc_first_params &job, char *memory)
{
    typedef typename M::element element;
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    int32_t q_tile = (int32_t)blockDim.x / 2, count = tc_first_pixels(q_tile);
    int32_t rows = (TC_FIRST_FPROP_P - 1) * job.stride_h + job.taps_h;
    int32_t filter = (int32_t)blockIdx.x % job.n_tiles * TC_FIRST_FILTERS;
    int32_t filter_bytes = tc_first_filter_bytes(job.taps_h);
    char *image = memory + TC_FIRST_FILTERS * filter_bytes;
    char *results =
        image + (rows * count * TC_FIRST_PIXEL + 15) / 16 * 16 + warp * 16 * TC_FIRST_RESULT;
    uint32_t pixels = tc_shared_address(image) +
                      (uint32_t)(((warp * 16 + lane % 16) * 2 + lane / 16 * 2) * TC_FIRST_PIXEL);
    uint32_t filters = tc_shared_address(memory) +
                       (uint32_t)((lane % 8 + lane / 16 * 8) * filter_bytes + lane / 8 % 2 * 16);

    tc_first_load_filters<element, CHANNELS>(job, filter, memory);
    for (int32_t tile = (int32_t)blockIdx.x / job.n_tiles; tile < job.tiles;
         tile += (int32_t)gridDim.x / job.n_tiles) {
        int32_t q = tile % job.tiles_w * q_tile;
        int32_t p = tile / job.tiles_w % job.tiles_h * TC_FIRST_FPROP_P;
        int32_t n = tile / job.tiles_w / job.tiles_h;
        float sum[TC_FIRST_FPROP_P][TC_FIRST_FILTERS / 8][4] = {};

        __syncthreads();
        tc_first_load_rows<element, CHANNELS>(job, n, p * job.stride_h - job.pad_h,
                                              q * 2 - job.pad_w, rows, count, image);
        __syncthreads();
        tc_first_mma<M>(job, pixels, filters, count, sum);
#pragma unroll
        for (int i = 0; i < TC_FIRST_FPROP_P; i++) {
            int64_t row = (int64_t)n * job.y_image + (p + i) * job.y_h;
            int64_t z_row = n * job.conv.z_image + (p + i) * job.conv.dim[CONV_DIMS_MAX - 2].z;

            if (p + i >= job.out_height)
                break;
            if (job.stores_by_16)
                tc_first_store_packed<element>(job, row, q + warp * 16, filter, sum[i], results);
            else
                tc_first_store_any<element>(job, row, z_row, q + warp * 16, filter, sum[i],
                                            results);
        }
    }
}

template <class M, int CHANNELS>
__global__ void __launch_bounds__(TC_FIRST_WARPS * 32, 2)
    tc_first_fprop_kernel(const __grid_constant__ tc_first_params job)
{
    TC_CODE_FROM(80)
    {
        TC_SHARED(memory);
        tc_wait_on_dependent_grids();
        tc_first_fprop<M, CHANNELS>(job, (char *)memory);
    }
}

#endif
