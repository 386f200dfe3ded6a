/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the parameters of the kernels for first layers: images of 3 or 4 channels, and filters
 * with a stride of 2 along a row. Shared memory holds each pixel with 4 channels, so 8 taps of a
 * filter's row are 32 contiguous numbers along K. The first pixel of every position has an even
 * index, so its address is a multiple of 16 bytes, as ldmatrix requires. Padding of channels and
 * of the filter's row is multiplied only as 0 times 0, or affects only results that are not
 * stored. */
#ifndef CUDA_TENSORCORE_FIRST_PARAMS_H
#define CUDA_TENSORCORE_FIRST_PARAMS_H

#include "../ampere/epilogue.h"

/* The taps of a filter's row, the bytes of a pixel of 4 channels, and the most rows of a filter. */
#define TC_FIRST_TAPS   8
#define TC_FIRST_PIXEL  8
#define TC_FIRST_TAPS_H 8
/* The most warps of a block with positions of a row, and the filters of a block. A warp has 16
 * positions, so an image of 224 pixels uses 7 warps. */
#define TC_FIRST_WARPS   7
#define TC_FIRST_FILTERS 64

/* The parameters of the kernels. x is the image (dx in dgrad), and y the position tensor of the
 * forward convolution. */
struct tc_first_params : tc_slim_params {
    int32_t images, channels, height, width, filters, taps_h, taps_w, pad_h, pad_w, stride_h;
    int32_t out_height, out_width;
    /* Operands have contiguous pixels in x, and contiguous channels in y. Results may have any
     * strides. */
    int32_t x_image, x_h;
    int32_t y_image, y_h, y_w;
    int32_t dy_h, dy_w;              /* dgrad: first p and q of dy, relative to a pair */
    int32_t window_h, window_w;      /* dgrad: window of a pair in dy */
    int32_t tiles_h, tiles_w, tiles; /* a block processes several tiles */
};

/* The output rows of a block in fprop, and the bytes from one position's results to the next.
 * The output rows of a block in wgrad, and its M: 8 taps of 4 channels. The rows of pairs of a
 * block in dgrad, and the bytes of a tap's filters: 64 filters of 8 channels. */
#define TC_FIRST_FPROP_P   2
#define TC_FIRST_RESULT    (TC_FIRST_FILTERS * 2 + 16)
#define TC_FIRST_WGRAD_P   4
#define TC_FIRST_WGRAD_M   32
#define TC_FIRST_PAIRS     4
#define TC_FIRST_TAP_BYTES 1024

/* Returns the bytes from one filter to the next. They are an odd multiple of 16, so that filters
 * use different banks. */
CUDA_BOTH int32_t tc_first_filter_bytes(int32_t taps_h)
{
    return taps_h * TC_FIRST_TAPS * TC_FIRST_PIXEL + 16;
}

/* Returns the pixels of a row that `positions` positions read. */
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

/* Fills the parameters for the job's direction, and returns the launch. */
tc_first_grid tc_first_prepare(tc_first_params *first, const tc_job &job);

/* ------------------------------------------------------------------ on the device */

/* The groups of 4 pixels that a thread loads before it stores the first one. */
#define TC_FIRST_ASKED 4

/* Loads rows of an image into shared memory, from row `top` and pixel `left` on, with `count`
 * pixels per row and 4 channels per pixel. Pixels outside the image are zeros. A thread loads 4
 * pixels at once, which are one 8-byte word per channel. */
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
