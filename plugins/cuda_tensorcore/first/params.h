/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First layers: images of 3 or 4 channels, filters that step by 2 along a row. Pixels are kept in
 * shared memory with 4 channels each, so that 8 taps of a filter's row are 32 neighbours along
 * K, and the first pixel of every position has an even number: 16 bytes at an address that
 * ldmatrix takes. What is padded, in channels and behind the filter's row, never meets a number of
 * the image other than as 0 times 0, or in results that nobody stores.
 */
#ifndef CUDA_TENSORCORE_FIRST_PARAMS_H
#define CUDA_TENSORCORE_FIRST_PARAMS_H

#include "../ampere/epilogue.h"

/* Taps of a filter's row and their bytes, pixels of 4 channels; filter rows, and filters a block.
 */
#define TC_FIRST_TAPS   8
#define TC_FIRST_PIXEL  8
#define TC_FIRST_TAPS_H 8
/* Warps of a block that has positions of a row: 16 each, as many as an image of 224 pixels has use
 * for. */
#define TC_FIRST_WARPS   7
#define TC_FIRST_FILTERS 64

/* The image x (dx in dgrad), and the tensor by position of the forward convolution. */
struct tc_first_params : tc_slim_params {
    int32_t images, channels, height, width, filters, taps_h, taps_w, pad_h, pad_w, stride_h;
    int32_t out_height, out_width;
    /* What is read has pixels as neighbours in x, channels in y; results lie anywhere. */
    int32_t x_image, x_h;
    int32_t y_image, y_h, y_w;
    int32_t dy_h, dy_w;              /* dgrad: the first p and q of dy, less those of */
    int32_t window_h, window_w;      /* positions by twos; and the window of a pair in dy */
    int32_t tiles_h, tiles_w, tiles; /* a block goes from tile to tile */
};

/* Output rows of a block in fprop, and bytes between the results of neighbouring
 * positions there; output rows in wgrad, and its M: 8 taps of 4 channels; rows of
 * pairs of positions in dgrad, and bytes of a tap's filters, 64 of 8 channels. */
#define TC_FIRST_FPROP_P   2
#define TC_FIRST_RESULT    (TC_FIRST_FILTERS * 2 + 16)
#define TC_FIRST_WGRAD_P   4
#define TC_FIRST_WGRAD_M   32
#define TC_FIRST_PAIRS     4
#define TC_FIRST_TAP_BYTES 1024

/* Bytes from filter to filter; odd numbers of 16 go to different banks. */
CUDA_BOTH int32_t tc_first_filter_bytes(int32_t taps_h)
{
    return taps_h * TC_FIRST_TAPS * TC_FIRST_PIXEL + 16;
}

/* Pixels of a row that so many positions reach. */
CUDA_BOTH int32_t tc_first_pixels(int32_t positions)
{
    return positions * 2 + TC_FIRST_TAPS;
}

/* ------------------------------------------------------------------ on the host, first/params.cu
 */

extern "C" int32_t tc_first_takes_fprop(const struct conv *conv, const struct tc_target *target);
extern "C" int32_t tc_first_takes_dgrad(const struct conv *conv, const struct tc_target *target);
extern "C" int32_t tc_first_takes_wgrad(const struct conv *conv, const struct tc_target *target);

/* A launch: threads, blocks and bytes of shared memory. */
struct tc_first_grid {
    int32_t threads, shared_bytes;
    int64_t blocks;
};

/* Fills the parameters, by the direction that the job has. */
tc_first_grid tc_first_prepare(tc_first_params *first, const tc_job &job);

/* ------------------------------------------------------------------ on the device */

/* Groups of 4 pixels that a thread asks for before it stores the first one. */
#define TC_FIRST_ASKED 4

/*
 * Rows `top` on of an image, pixels `left` on, `count` of them, to shared memory with 4 channels
 * each; zeros outside. A thread takes 4 pixels at once, which are as many words of 8 bytes as
 * there are channels.
 */
template <class E, int CHANNELS>
__device__ static inline void tc_first_load_rows(const tc_first_params &job, int32_t image,
                                                 int32_t top, int32_t left, int32_t rows,
                                                 int32_t count, char *to)
{
    union {
        uint2 word[CHANNELS];
        E element[4 * CHANNELS];
    } from[TC_FIRST_ASKED];
    union {
        uint2 word;
        E element[4];
    } pixel;
    int32_t first = left >> 2, groups = (count + 7) / 4, step = (int32_t)blockDim.x;

    for (int i = (int)threadIdx.x; i < rows * groups; i += TC_FIRST_ASKED * step) {
#pragma unroll
        for (int e = 0; e < TC_FIRST_ASKED; e++) {
            int32_t row = (i + e * step) / groups, h = top + row;
            int32_t group = first + (i + e * step) - row * groups;
            bool inside = row < rows && (uint32_t)h < (uint32_t)job.height &&
                          (uint32_t)(group * 4) < (uint32_t)job.width;
            const uint2 *x = (const uint2 *)((const E *)job.a + image * job.x_image + h * job.x_h +
                                             group * 4 * CHANNELS);

#pragma unroll
            for (int c = 0; c < CHANNELS; c++)
                from[e].word[c] = inside ? x[c] : uint2{0, 0};
        }
#pragma unroll
        for (int e = 0; e < TC_FIRST_ASKED; e++) {
            int32_t row = (i + e * step) / groups;
            int32_t at = (first + (i + e * step) - row * groups) * 4 - left;

#pragma unroll
            for (int p = 0; p < 4; p++) {
                pixel.word = {0, 0};
#pragma unroll
                for (int c = 0; c < CHANNELS; c++)
                    pixel.element[c] = from[e].element[p * CHANNELS + c];
                if (row < rows && (uint32_t)(at + p) < (uint32_t)count)
                    *(uint2 *)(to + (row * count + at + p) * TC_FIRST_PIXEL) = pixel.word;
            }
        }
    }
}

#endif
