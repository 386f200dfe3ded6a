/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the geometry of a convolution as an implicit GEMM, in one form for fprop, dgrad and
 * wgrad. The host computes it (conv.c), and every kernel uses it: C[m][n] is the sum over k of
 * A[m][k] * B[k][n].
 *
 * In every direction, a position (n, p, q) and a filter tap (r, s) together select one element of
 * A. One tensor is indexed by position (the position tensor), another one by tap (the filter
 * tensor).
 *
 *           A     position tensor   filter tensor   M                   K
 *   fprop   x     C is y            B is w          positions           taps, channels of x
 *   dgrad   dy    C is dx           B is w          positions           taps, channels of dy
 *   wgrad   x     B is dy           C is dw         taps, channels      positions of all images
 *
 * In dgrad, K counts only the taps that contribute to the position.
 *
 * An offset or coordinate in A is the sum of a position part and a tap part. An offset in B or C
 * has a third part for n, a channel that only B and C have. */
#ifndef CUDA_COMMON_CONV_H
#define CUDA_COMMON_CONV_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CONV_DIMS_MAX ANYDNN_PLUGIN_SPATIAL_MAX
/* The number of spatial dims. Missing dims come first and have length 1. The kernels for narrow
 * geometries use only the last CONV_DIMS dims, which begin at CONV_FIRST. */
#define CONV_DIMS  3
#define CONV_FIRST (CONV_DIMS_MAX - CONV_DIMS)

/* A spatial dim of the geometry. */
struct conv_dim {
    int64_t a_extent;  /* extent in A's tensor */
    int64_t positions; /* extent in the position tensor */
    int64_t taps;
    int64_t pad, stride, dilation;
    /* These values serve conv_window_dgrad: gcd(stride, dilation), stride / gcd, dilation / gcd,
     * and the inverse of dilation / gcd modulo stride / gcd. */
    int64_t common, period, back, inverse;
    int64_t a, position, tap, z; /* strides in elements; `tap` is negative for a flipped filter */
};

/* The layout of a tensor's channels. A vector type stores 2^shift channels per vector, and
 * vectors are `step` elements apart. */
struct conv_channels {
    int64_t step;
    int32_t shift;
    int32_t mask; /* lanes - 1 */
};

struct conv {
    int32_t direction; /* ANYDNN_PLUGIN_CONVOLUTION_FORWARD, _BACKWARD_DATA, _BACKWARD_FILTER */
    int32_t narrow;    /* 1 if at most 3 dims; 31 bits hold all but results and offsets */
    int32_t inside;    /* 1 if no tap reads outside A's tensor: nothing is padded */
    int64_t images, groups;
    int64_t channels; /* channels per group in A's tensor */
    int64_t n;        /* N: channels per group in the position tensor */
    int64_t classes; /* dgrad: position classes, each reached by its own set of taps; otherwise 1 */
    int64_t a_image, position_image, z_image;
    int64_t tap_group; /* stride from one group's filters to the next group's */
    int64_t tap_first; /* offset of the first tap; not 0 for a flipped filter */
    int64_t tap_channel, tap_n;
    struct conv_channels a, position, z;
    struct conv_channels tap; /* fprop: the filter's input channels */
    struct conv_dim dim[CONV_DIMS_MAX];
};

/* Fills `conv` from a convolution problem. */
void conv_make(struct conv *conv, const struct anydnn_plugin_problem *problem);

/* These functions return the number of positions in one channel of one image, and the number of
 * taps. */
int64_t conv_positions(const struct conv *conv);
int64_t conv_taps(const struct conv *conv);

/* The GEMM's sizes: M of the largest class, and K of the longest sum. */
struct conv_gemm {
    int64_t m, k;
};

struct conv_gemm conv_gemm_of(const struct conv *conv);

static inline int conv_is_dgrad(const struct conv *conv)
{
    return conv->direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA;
}

static inline int conv_is_wgrad(const struct conv *conv)
{
    return conv->direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
}

#ifdef __cplusplus
}
#endif

/* ------------------------------------------------------------------ functions for device and
 * host */

#ifdef __cplusplus

#include "element.h"

/* The taps along one dim that contribute to a position: `count` taps, `first`, first + step, and
 * so on. The first tap reads coordinate `at` of A's tensor; each further tap reads `move`
 * further. Some of these coordinates may lie outside the tensor. */
template <class I> struct conv_window {
    I first, step, count;
    I at, move;
};

/* Returns the window of a position in fprop and wgrad. */
template <class I> CUDA_BOTH conv_window<I> conv_window_fprop(const conv_dim &dim, I position)
{
    conv_window<I> window;

    window.first = 0;
    window.step = 1;
    window.count = (I)dim.taps;
    window.at = position * (I)dim.stride - (I)dim.pad;
    window.move = (I)dim.dilation;
    return window;
}

/* Returns the window of a position in dgrad. Output p contributes to input i through tap t if
 *   i + pad = p stride + t dilation.
 * Let g be gcd(stride, dilation). If g does not divide i + pad, no tap contributes. Otherwise the
 * contributing taps solve
 *   t (dilation / g) = (i + pad) / g   modulo stride / g
 * and are stride / g apart. */
template <class I> CUDA_BOTH conv_window<I> conv_window_dgrad(const conv_dim &dim, I position)
{
    I sum = position + (I)dim.pad, period = (I)dim.period;
    conv_window<I> window;

    window.first = sum / (I)dim.common % period * (I)dim.inverse % period;
    window.step = period;
    window.count = 0;
    if (sum % (I)dim.common == 0 && window.first < (I)dim.taps)
        window.count = ((I)dim.taps - 1 - window.first) / period + 1;
    window.at = (sum - window.first * (I)dim.dilation) / (I)dim.stride;
    window.move = -(I)dim.back;
    return window;
}

template <class I> CUDA_BOTH conv_window<I> conv_window_of(const conv &conv, int d, I position)
{
    return conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA
               ? conv_window_dgrad<I>(conv.dim[d], position)
               : conv_window_fprop<I>(conv.dim[d], position);
}

/* Returns the offset of a channel. */
CUDA_BOTH int64_t conv_channel(const conv_channels &channels, int64_t c)
{
    return (c >> channels.shift) * channels.step + (c & channels.mask);
}

#endif

#endif
