/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the halo and the filters of a layer with few channels into shared memory. */
#ifndef CUDA_TENSORCORE_NARROW_LOAD_H
#define CUDA_TENSORCORE_NARROW_LOAD_H

#include "params.h"
#include "shape.h"

template <class E> union tc_narrow_chunk {
    uint4 all;
    E element[TC_NARROW_CHUNK];
};

/* Returns up to 8 elements that are `step` apart. Missing elements are zeros. */
template <class E>
__device__ static inline uint4 tc_narrow_gather(const E *from, int64_t step, int32_t count)
{
    tc_narrow_chunk<E> chunk;

    chunk.all = {0, 0, 0, 0};
#pragma unroll
    for (int32_t i = 0; i < TC_NARROW_CHUNK; i++) {
        if (i < count)
            chunk.element[i] = from[i * step];
    }
    return chunk.all;
}

/* Loads the halo, from row `top` and column `left` of an image on. Pixels outside the image and
 * channels beyond the last one are zeros. */
template <class S>
__device__ static inline void tc_narrow_load_halo(const tc_narrow_params &job, int32_t image,
                                                  int32_t top, int32_t left, char *memory)
{
    typedef typename S::element element;
    const auto &conv = job.conv;
    const tc_conv_dim &height = conv.dim[CONV_DIMS_MAX - 2], &width = conv.dim[CONV_DIMS_MAX - 1];
    const element *a = (const element *)job.a + (int64_t)image * conv.a_image;

    for (int32_t e = (int32_t)threadIdx.x; e < S::HALO_WIDTH * S::HALO_HEIGHT * S::CHUNKS;
         e += S::THREADS) {
        int32_t chunk = e % S::CHUNKS, pixel = e / S::CHUNKS;
        int32_t row = pixel / S::HALO_WIDTH, column = pixel % S::HALO_WIDTH;
        int32_t h = top + row, w = left + column,
                left_over = conv.channels - chunk * TC_NARROW_CHUNK;
        bool inside = (uint32_t)h < (uint32_t)height.a_extent &&
                      (uint32_t)w < (uint32_t)width.a_extent && left_over > 0;
        const element *from = a + (inside ? h * height.a + w * width.a : 0);
        char *to = memory + tc_narrow_chunk_at<S>(row * S::HALO_PITCH + column, chunk);

        if (job.a_by_16)
            tc_copy(to, from + (inside ? chunk * TC_NARROW_CHUNK : 0), inside);
        else
            *(uint4 *)to =
                tc_narrow_gather(from + (inside ? chunk * TC_NARROW_CHUNK * job.a_step : 0),
                                 job.a_step, inside ? left_over : 0);
    }
}

/* Loads filters with contiguous channels, or single elements. A line is one result of one tap;
 * its chunks are channels of A. */
template <class S>
__device__ static inline void tc_narrow_load_k_major(const tc_narrow_params &job, char *memory)
{
    typedef typename S::element element;
    const auto &conv = job.conv;
    const element *b = (const element *)job.b + conv.tap_first;

    for (int32_t e = (int32_t)threadIdx.x; e < S::TAPS * S::TAPS * S::N * S::CHUNKS;
         e += S::THREADS) {
        int32_t chunk = e % S::CHUNKS, line = e / S::CHUNKS, tap = line / S::N;
        int32_t n = tc_narrow_result_of<S>(line % S::N), k = chunk * TC_NARROW_CHUNK;
        bool inside = n < (int32_t)conv.n && k < conv.channels;
        const element *from = b;
        char *to = memory + tc_narrow_chunk_at<S>(line, chunk);

        if (inside)
            from += tap / S::TAPS * conv.dim[CONV_DIMS_MAX - 2].tap +
                    tap % S::TAPS * conv.dim[CONV_DIMS_MAX - 1].tap + n * conv.tap_n +
                    k * conv.tap_channel;
        if (job.filters == TC_NARROW_K_MAJOR)
            tc_copy(to, from, inside);
        else
            *(uint4 *)to = tc_narrow_gather(from, conv.tap_channel, inside ? conv.channels - k : 0);
    }
}

/* The units that a thread loads before it stores the first one. */
#define TC_NARROW_ASKED 2

/* Loads filters with contiguous results. A unit is two channels of A with 8 results. The
 * elements of both channels form words. */
template <class S>
__device__ static inline void tc_narrow_load_n_major(const tc_narrow_params &job, char *memory)
{
    typedef typename S::element element;
    enum {
        CHUNKS = S::N / TC_NARROW_CHUNK,
        PAIRS = S::CHANNELS / 2,
        UNITS = S::TAPS * S::TAPS * PAIRS * CHUNKS
    };
    struct alignas(4) pair {
        element first, second;
    };
    const auto &conv = job.conv;
    const element *b = (const element *)job.b + conv.tap_first;

    for (int32_t unit = (int32_t)threadIdx.x; unit < UNITS; unit += TC_NARROW_ASKED * S::THREADS) {
        tc_narrow_chunk<element> of[TC_NARROW_ASKED][2];

#pragma unroll
        for (int32_t u = 0; u < TC_NARROW_ASKED; u++) {
            int32_t e = unit + u * S::THREADS, tap = e / CHUNKS / PAIRS;
            int32_t n = e % CHUNKS * TC_NARROW_CHUNK, k = e / CHUNKS % PAIRS * 2;
            const element *from = b + tap / S::TAPS * conv.dim[CONV_DIMS_MAX - 2].tap +
                                  tap % S::TAPS * conv.dim[CONV_DIMS_MAX - 1].tap + n +
                                  k * conv.tap_channel;

#pragma unroll
            for (int32_t i = 0; i < 2; i++) {
                of[u][i].all = {0, 0, 0, 0};
                if (e < UNITS && n < (int32_t)conv.n && k + i < conv.channels)
                    of[u][i].all = *(const uint4 *)(from + i * conv.tap_channel);
            }
        }
#pragma unroll
        for (int32_t u = 0; u < TC_NARROW_ASKED; u++) {
            int32_t e = unit + u * S::THREADS, tap = e / CHUNKS / PAIRS;
            int32_t n = e % CHUNKS * TC_NARROW_CHUNK, k = e / CHUNKS % PAIRS * 2;

            if (e >= UNITS)
                break;
#pragma unroll
            for (int32_t i = 0; i < TC_NARROW_CHUNK; i++) {
                int32_t line = tap * S::N + tc_narrow_n_of<S>(n + i);
                char *to = memory + tc_narrow_chunk_at<S>(line, k / TC_NARROW_CHUNK) +
                           k % TC_NARROW_CHUNK * (int32_t)sizeof(element);

                *(pair *)to = {of[u][0].element[i], of[u][1].element[i]};
            }
        }
    }
}

#endif
