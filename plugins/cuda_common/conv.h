/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines the geometry of a convolution as an implicit GEMM, in one form for fprop, dgrad and
 * wgrad. The host computes it (conv.c), and every kernel uses it: C[m][n] is the sum over k of
 * A[m][k] * B[k][n].
 *
 * In every direction, a position (n, p, q) of one tensor and a tap (r, s) of the filter select one
 * element of A:
 *
 *            A     by position     by tap      M                     K
 *   fprop    x     y, which is C   w, B        positions             taps of channels of x
 *   dgrad    dy    dx, C           w, B        positions             taps that reach it, of dy's
 *   wgrad    x     dy, B           dw, C       taps of channels      positions of all images
 *
 * Offsets and coordinates in A are sums of a part that depends on the position and a part that
 * depends on the tap. Offsets in B and C are such sums, too, with a part for N: the channels that
 * only B and C have.
 */
#ifndef CUDA_COMMON_CONV_H
#define CUDA_COMMON_CONV_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CONV_DIMS_MAX ANYDNN_PLUGIN_SPATIAL_MAX
/* The spatial dims. Missing dims come first, with length 1. Kernels for narrow geometries only use
 * the last CONV_DIMS dims, which begin with CONV_FIRST. */
#define CONV_DIMS  3
#define CONV_FIRST (CONV_DIMS_MAX - CONV_DIMS)

/* A spatial dim. */
struct conv_dim {
    int64_t a_extent;  /* extent of A's tensor */
    int64_t positions; /* extent of the tensor by position */
    int64_t taps;
    int64_t pad, stride, dilation;
    /* These values serve dgrad (conv_window_dgrad): gcd(stride, dilation), stride / gcd, dilation /
     * gcd, and the inverse of the latter modulo stride / gcd. */
    int64_t common, period, back, inverse;
    int64_t a, position, tap, z; /* strides in elements */
};

/* The channels of a tensor. Those of vector types form vectors of 2^shift lanes, `step` elements
 * apart. */
struct conv_channels {
    int64_t step;
    int32_t shift;
    int32_t mask; /* lanes - 1 */
};

struct conv {
    int32_t direction; /* ANYDNN_PLUGIN_CONVOLUTION_FORWARD, _BACKWARD_DATA, _BACKWARD_FILTER */
    int32_t narrow; /* 1 if it has at most three dims, and 31 bits hold all values but results and
                       offsets */
    int32_t inside; /* 1 if no tap reaches beyond A's tensor: nothing is padded */
    int64_t images, groups;
    int64_t channels; /* of a group in A's tensor */
    int64_t n;        /* N: channels of a group in the tensor by position */
    int64_t classes;  /* dgrad: classes of positions that the same taps reach; otherwise 1 */
    int64_t a_image, position_image, z_image;
    int64_t tap_group; /* from one group's filters to the next group's */
    int64_t tap_first; /* offset of the first tap: a flipped filter has negative strides */
    int64_t tap_channel, tap_n;
    struct conv_channels a, position, z;
    struct conv_channels tap; /* fprop: along the channels */
    struct conv_dim dim[CONV_DIMS_MAX];
};

/* Fills `conv` from a convolution problem. */
void conv_make(struct conv *conv, const struct anydnn_plugin_problem *problem);

/* These functions return the elements of the tensor by position in one channel of one image, and
 * the taps. */
int64_t conv_positions(const struct conv *conv);
int64_t conv_taps(const struct conv *conv);

/* The sizes of the GEMM: M of the largest class, and K of the longest sum. */
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

/* The taps along one dim that contribute to a position: `count` taps from `first` on, `step` apart.
 * The first one meets coordinate `at` of A's tensor, each further one `move` further. Some may lie
 * outside the tensor. */
template <class I> struct conv_window {
    I first, step, count;
    I at, move;
};

/* Returns the window of fprop and wgrad. */
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

/*
 * Returns the window of dgrad. Output p contributes to input i by tap t if
 *   i + pad = p stride + t dilation.
 * Let g be gcd(stride, dilation). If g does not divide i + pad, there is no such tap. Otherwise,
 * such taps solve
 *   t (dilation / g) = (i + pad) / g   modulo stride / g
 * and are stride / g apart.
 */
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
