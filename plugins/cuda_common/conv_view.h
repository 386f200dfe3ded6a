/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the implicit GEMM of narrow geometries. One index of A is a position of an image,
 * the other a tap of a channel. In wgrad the position is k; in fprop and dgrad it is m. dgrad
 * runs one GEMM for each class of positions that the same taps reach. The coordinates of all
 * positions of a class have the same remainder modulo the strides. */
#ifndef CUDA_COMMON_CONV_VIEW_H
#define CUDA_COMMON_CONV_VIEW_H

#include "conv.h"

/* A dim of a class. Position j of the class lies at first + j * step. The t-th contributing tap
 * is tap_first + t * tap_step. Together they read coordinate at + j * at_position + t * at_tap
 * of A. */
struct conv_view_dim {
    int32_t positions, first, step;
    int32_t taps, tap_first, tap_step;
    int32_t at, at_position, at_tap;
};

struct conv_view {
    int32_t positions; /* positions of the class in all images */
    int32_t taps;      /* taps times channels of a group */
    conv_view_dim dim[CONV_DIMS];
};

/* The position or tap that an index of A (m or k) selects. It holds the coordinates, the offset
 * in A's tensor, and the offset in the tensor that shares the index (B or C). */
struct alignas(16) conv_coords {
    int32_t at[CONV_DIMS];
    int32_t unused;
    int64_t a, bc;
};

/* A coordinate so small that every sum with it lies outside every tensor. */
#define CONV_OUTSIDE (-(1 << 30))

CUDA_BOTH void conv_view_make(conv_view *view, const conv &conv, int32_t number)
{
    bool data = conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA;

    view->positions = (int32_t)conv.images;
    view->taps = (int32_t)conv.channels;
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_dim &dim = conv.dim[CONV_FIRST + d];
        conv_view_dim *to = &view->dim[d];
        int32_t extent = (int32_t)dim.positions, stride = (int32_t)dim.stride;
        int32_t classes = !data ? 1 : stride < extent ? stride : extent;
        conv_window<int32_t> window;

        to->first = number % classes;
        number /= classes;
        window = conv_window_of<int32_t>(conv, CONV_FIRST + d, to->first);
        to->step = data ? stride : 1;
        to->positions = (extent - to->first + to->step - 1) / to->step;
        to->taps = window.count;
        to->tap_first = window.first;
        to->tap_step = window.step;
        to->at = window.at;
        to->at_position = data ? 1 : stride;
        to->at_tap = window.move;
        view->positions *= to->positions;
        view->taps *= to->taps;
    }
}

/* Returns the offset of a position in the position tensor, or in z. CONV is struct conv, or the
 * part of it that a backend's kernels use. */
template <class CONV>
CUDA_BOTH int64_t conv_view_position(const CONV &conv, const conv_view &view, int32_t index, bool z)
{
    int64_t offset = 0;

    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.dim[d];
        int32_t j = index % dim.positions;

        index /= dim.positions;
        offset += (dim.first + (int64_t)j * dim.step) *
                  (z ? conv.dim[CONV_FIRST + d].z : conv.dim[CONV_FIRST + d].position);
    }
    return offset + index * (z ? conv.z_image : conv.position_image);
}

CUDA_BOTH void conv_coords_of_position(conv_coords *coords, const conv &conv, const conv_view &view,
                                       int32_t index)
{
    int32_t left = index;

    coords->a = 0;
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.dim[d];

        coords->at[d] = dim.at + left % dim.positions * dim.at_position;
        coords->a += coords->at[d] * conv.dim[CONV_FIRST + d].a;
        left /= dim.positions;
    }
    coords->a += left * conv.a_image;
    coords->bc = conv_view_position(conv, view, index, false);
}

/* Computes the coordinates of a tap of a channel. If channels_inside is true, channels vary
 * fastest in `index`; otherwise taps do. */
CUDA_BOTH void conv_coords_of_tap(conv_coords *coords, const conv &conv, const conv_view &view,
                                  int32_t index, bool channels_inside)
{
    int32_t channels = (int32_t)conv.channels, channel = 0;

    if (channels_inside) {
        channel = index % channels;
        index /= channels;
    }
    coords->a = 0;
    coords->bc = conv.tap_first;
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.dim[d];
        int32_t t = index % dim.taps;

        index /= dim.taps;
        coords->at[d] = t * dim.at_tap;
        coords->a += coords->at[d] * conv.dim[CONV_FIRST + d].a;
        coords->bc += (dim.tap_first + (int64_t)t * dim.tap_step) * conv.dim[CONV_FIRST + d].tap;
    }
    channel = channels_inside ? channel : index;
    coords->a += conv_channel(conv.a, channel);
    coords->bc += (channel >> conv.tap.shift) * conv.tap_channel + (channel & conv.tap.mask);
}

#endif
