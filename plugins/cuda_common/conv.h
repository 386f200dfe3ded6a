/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The geometry of a convolution as an implicit GEMM, one form for fprop, dgrad and wgrad, made on
 * the host (conv.c) and followed by every kernel: C[m][n] is the sum over k of A[m][k] * B[k][n].
 *
 * Whatever the direction, a position (n, p, q) of one tensor and a tap (r, s) of the filter meet in
 * one element of A's tensor:
 *
 *            A     by position     by tap      M                     K
 *   fprop    x     y, which is C   w, B        positions             taps of channels of x
 *   dgrad    dy    dx, C           w, B        positions             taps that reach it, of dy's
 *   wgrad    x     dy, B           dw, C       taps of channels      positions of all images
 *
 * Offsets and coordinates in A are sums of one part that depends on the position and one that
 * depends on the tap, and so are offsets in B and C with a part for N: the channels that only these
 * two have.
 */
#ifndef CUDA_COMMON_CONV_H
#define CUDA_COMMON_CONV_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CONV_DIMS_MAX ANYDNN_PLUGIN_SPATIAL_MAX
/* Missing dims are dims of 1 in front. Kernels for narrow geometries look at the last three only,
 * which begin with this one. */
#define CONV_DIMS  3
#define CONV_FIRST (CONV_DIMS_MAX - CONV_DIMS)

/* One spatial dim. */
struct conv_dim {
    int64_t a_extent;  /* extent of A's tensor */
    int64_t positions; /* extent of the tensor by position */
    int64_t taps;
    int64_t pad, stride, dilation;
    /* Dgrad, see conv_window_dgrad: gcd(stride, dilation), stride / gcd, dilation / gcd, and the
     * inverse of that modulo stride / gcd. */
    int64_t common, period, back, inverse;
    int64_t a, position, tap, z; /* strides in elements */
};

/* A tensor's channels: those of vector types go by vectors of 2^shift lanes, `step` elements apart.
 */
struct conv_channels {
    int64_t step;
    int32_t shift;
    int32_t mask; /* lanes - 1 */
};

struct conv {
    int32_t direction; /* ANYDNN_PLUGIN_CONVOLUTION_FORWARD, _BACKWARD_DATA, _BACKWARD_FILTER */
    int32_t narrow;    /* has up to three dims, and 31 bits hold all but results and offsets */
    int32_t inside;    /* no tap reaches beyond A's tensor: nothing is padded */
    int64_t images, groups;
    int64_t channels; /* of a group in A's tensor */
    int64_t n;        /* N: channels of a group in the tensor by position */
    int64_t classes;  /* dgrad: of positions that the same taps reach; otherwise 1 */
    int64_t a_image, position_image, z_image;
    int64_t tap_group; /* from a group's filters to the next one's */
    int64_t tap_first; /* of the first tap: a flipped filter has negative strides */
    int64_t tap_channel, tap_n;
    struct conv_channels a, position, z;
    struct conv_channels tap; /* fprop: along the channels */
    struct conv_dim dim[CONV_DIMS_MAX];
};

/* Fills `conv` from a problem of a convolution. */
void conv_make(struct conv *conv, const struct anydnn_plugin_problem *problem);

/* Elements of the tensor by position in one channel of one image; taps. */
int64_t conv_positions(const struct conv *conv);
int64_t conv_taps(const struct conv *conv);

/* M of the largest class, and K of the longest sum. */
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

/* ------------------------------------------------------------------ on the device and the host */

#ifdef __cplusplus

#include "element.h"

/* The taps along one dim that reach anything from a position: tap `first`, and so on by `step`,
 * `count` of them. The first lies over coordinate `at` of A's tensor, each further one
 * `move` further on. Not all need lie within it. */
template <class I> struct conv_window {
    I first, step, count;
    I at, move;
};

/* Fprop and wgrad. */
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
 * Dgrad. Input i gets something from output p by tap t where i + pad = p stride + t
 * dilation. With both divided by their gcd, g, that has a p for those t only that solve t (dilation
 * / g) = (i + pad) / g   modulo stride / g (none if g does not divide i + pad), and these lie
 * stride / g apart.
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

/* Offset of a channel. */
CUDA_BOTH int64_t conv_channel(const conv_channels &channels, int64_t c)
{
    return (c >> channels.shift) * channels.step + (c & channels.mask);
}

#endif

#endif
