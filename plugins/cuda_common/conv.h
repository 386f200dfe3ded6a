/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The geometry of a convolution, one form for its three directions, made on the host (conv.c) and
 * followed by every kernel.
 *
 * Whatever the direction, a position of one tensor and a tap of the filter meet in one element of
 * the gathered tensor:
 *
 *                gathered   by position       by tap            a result is a sum over
 *   forward      x          y, the output     w                 channels of x, taps
 *   data         dy         dx, the output    w                 channels of dy, taps that reach it
 *   filter       x          dy                dw, the output    images, positions
 *
 * Offsets and coordinates in the gathered tensor are sums of one part that depends on the position
 * and one that depends on the tap, and so are offsets in the others with a part for the column: the
 * channel that only those two share.
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
    int64_t gathered;  /* extent of the gathered tensor */
    int64_t positions; /* extent of the tensor by position */
    int64_t taps;
    int64_t pad, stride, dilation;
    /* Direction data, see conv_reach: gcd(stride, dilation), stride / gcd, dilation / gcd, and the
     * inverse of that modulo stride / gcd. */
    int64_t common, period, back, inverse;
    int64_t x, position, tap, z; /* strides in elements */
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
    int32_t inside;    /* no tap reaches beyond the gathered tensor */
    int64_t images, groups;
    int64_t depth;   /* channels of a group in the gathered tensor */
    int64_t columns; /* channels of a group in the tensor by position */
    int64_t classes; /* direction data: of positions that the same taps reach; otherwise 1 */
    int64_t x_image, position_image, z_image;
    int64_t tap_group; /* from a group's filters to the next one's */
    int64_t tap_first; /* of the first tap: a flipped filter has negative strides */
    int64_t tap_depth, tap_column;
    struct conv_channels x, position, z;
    struct conv_channels tap; /* direction forward: along the depth */
    struct conv_dim dim[CONV_DIMS_MAX];
};

/* Fills `conv` from a problem of a convolution. */
void conv_make(struct conv *conv, const struct anydnn_plugin_problem *problem);

/* Elements of the tensor by position in one channel of one image; taps. */
int64_t conv_positions(const struct conv *conv);
int64_t conv_taps(const struct conv *conv);

/* Results down a matrix of them, of the largest class, and the terms of each. */
struct conv_extents {
    int64_t rows, terms;
};

struct conv_extents conv_extents_of(const struct conv *conv);

static inline int conv_is_data(const struct conv *conv)
{
    return conv->direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA;
}

static inline int conv_is_filter(const struct conv *conv)
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
 * `count` of them. The first lies over coordinate `at` of the gathered tensor, each further one
 * `move` further on. Not all need lie within it. */
template <class I> struct conv_line {
    I first, step, count;
    I at, move;
};

/* Directions forward and filter. */
template <class I> CUDA_BOTH conv_line<I> conv_reach_forward(const conv_dim &dim, I position)
{
    conv_line<I> line;

    line.first = 0;
    line.step = 1;
    line.count = (I)dim.taps;
    line.at = position * (I)dim.stride - (I)dim.pad;
    line.move = (I)dim.dilation;
    return line;
}

/*
 * Direction data. Input i gets something from output p by tap t where i + pad = p stride + t
 * dilation. With both divided by their gcd, g, that has a p for those t only that solve t (dilation
 * / g) = (i + pad) / g   modulo stride / g (none if g does not divide i + pad), and these lie
 * stride / g apart.
 */
template <class I> CUDA_BOTH conv_line<I> conv_reach_data(const conv_dim &dim, I position)
{
    I sum = position + (I)dim.pad, period = (I)dim.period;
    conv_line<I> line;

    line.first = sum / (I)dim.common % period * (I)dim.inverse % period;
    line.step = period;
    line.count = 0;
    if (sum % (I)dim.common == 0 && line.first < (I)dim.taps)
        line.count = ((I)dim.taps - 1 - line.first) / period + 1;
    line.at = (sum - line.first * (I)dim.dilation) / (I)dim.stride;
    line.move = -(I)dim.back;
    return line;
}

template <class I> CUDA_BOTH conv_line<I> conv_reach(const conv &conv, int d, I position)
{
    return conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA
               ? conv_reach_data<I>(conv.dim[d], position)
               : conv_reach_forward<I>(conv.dim[d], position);
}

/* Offset of a channel. */
CUDA_BOTH int64_t conv_channel(const conv_channels &channels, int64_t c)
{
    return (c >> channels.shift) * channels.step + (c & channels.mask);
}

#endif

#endif
