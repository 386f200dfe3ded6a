/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A convolution as a product of matrices, for narrow geometries. A row of the one dim of the
 * gathered matrix is a position (of an image), one of the other dim a tap (of a channel): which of
 * them is summed over depends on the direction. In direction data this holds for each class of
 * positions that the same taps reach: those whose coordinates leave the same rest when divided by
 * the strides.
 */
#ifndef CUDA_COMMON_CONV_VIEW_H
#define CUDA_COMMON_CONV_VIEW_H

#include "conv.h"

/* Position j of a class lies at first + j * step; tap t of those that reach the class is tap
 * tap_first + t * tap_step; they meet in coordinate at + j * at_position + t * at_tap. */
struct conv_view_dim {
    int32_t positions, first, step;
    int32_t taps, tap_first, tap_step;
    int32_t at, at_position, at_tap;
};

struct conv_view {
    int32_t positions; /* of all images */
    int32_t taps;      /* of all channels of a group */
    conv_view_dim dim[CONV_DIMS];
};

/* A row or a column of the gathered matrix: coordinates, and offsets in the gathered and in the
 * other tensor. */
struct alignas(16) conv_place {
    int32_t at[CONV_DIMS];
    int32_t unused;
    int64_t x, other;
};

/* Added to any coordinate, it leads out of every tensor. */
#define CONV_NOWHERE (-(1 << 30))

CUDA_BOTH void conv_view_make(conv_view *view, const conv &conv, int32_t number)
{
    bool data = conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA;

    view->positions = (int32_t)conv.images;
    view->taps = (int32_t)conv.depth;
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_dim &dim = conv.dim[CONV_FIRST + d];
        conv_view_dim *to = &view->dim[d];
        int32_t extent = (int32_t)dim.positions, stride = (int32_t)dim.stride;
        int32_t classes = !data ? 1 : stride < extent ? stride : extent;
        conv_line<int32_t> line;

        to->first = number % classes;
        number /= classes;
        line = conv_reach<int32_t>(conv, CONV_FIRST + d, to->first);
        to->step = data ? stride : 1;
        to->positions = (extent - to->first + to->step - 1) / to->step;
        to->taps = line.count;
        to->tap_first = line.first;
        to->tap_step = line.step;
        to->at = line.at;
        to->at_position = data ? 1 : stride;
        to->at_tap = line.move;
        view->positions *= to->positions;
        view->taps *= to->taps;
    }
}

/* Offset along the dims of the tensor by position, or of z; of a conv, or what a backend's kernels
 * have of it. */
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

CUDA_BOTH void conv_place_position(conv_place *place, const conv &conv, const conv_view &view,
                                   int32_t index)
{
    int32_t left = index;

    place->x = 0;
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.dim[d];

        place->at[d] = dim.at + left % dim.positions * dim.at_position;
        place->x += place->at[d] * conv.dim[CONV_FIRST + d].x;
        left /= dim.positions;
    }
    place->x += left * conv.x_image;
    place->other = conv_view_position(conv, view, index, false);
}

/* Taps are counted with the channels inside, or outside. */
CUDA_BOTH void conv_place_tap(conv_place *place, const conv &conv, const conv_view &view,
                              int32_t index, bool channels_inside)
{
    int32_t depth = (int32_t)conv.depth, channel = 0;

    if (channels_inside) {
        channel = index % depth;
        index /= depth;
    }
    place->x = 0;
    place->other = conv.tap_first;
    for (int d = CONV_DIMS - 1; d >= 0; d--) {
        const conv_view_dim &dim = view.dim[d];
        int32_t t = index % dim.taps;

        index /= dim.taps;
        place->at[d] = t * dim.at_tap;
        place->x += place->at[d] * conv.dim[CONV_FIRST + d].x;
        place->other += (dim.tap_first + (int64_t)t * dim.tap_step) * conv.dim[CONV_FIRST + d].tap;
    }
    channel = channels_inside ? channel : index;
    place->x += conv_channel(conv.x, channel);
    place->other += (channel >> conv.tap.shift) * conv.tap_depth + (channel & conv.tap.mask);
}

#endif
