/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the output positions of a convolution into blocks. */
#ifndef ONEDNN_CONV_AXES_H
#define ONEDNN_CONV_AXES_H

#include "conv.h"

/* The images and the spatial dims. */
#define ONEDNN_AXES_MAX (1 + ONEDNN_SPATIAL_MAX)

/* An axis of output positions. Images are an axis whose windows have one tap. */
struct onednn_axis {
    int64_t x, y;    /* number of inputs and outputs */
    int64_t stride;  /* stride of the windows */
    int64_t reach;   /* inputs from the first tap of a window to the last */
    int64_t before;  /* pad before the first input */
    int64_t block;   /* outputs per block; the last block may have fewer */
    int64_t x_bytes; /* bytes from one input to the next */
    int64_t y_bytes;
};
struct onednn_axes {
    int32_t count;
    struct onednn_axis axis[ONEDNN_AXES_MAX];
};

/* A block of outputs, the inputs under their windows, and the padding around these. */
struct onednn_block {
    int64_t y_first, y_count;
    int64_t x_first, x_count; /* x_count < 1 if the windows lie in the padding */
    int64_t before, after;
};

/* Returns the axes of a convolution that is not cut: one block per axis. */
void onednn_axes_of(const struct onednn_conv *conv, struct onednn_axes *axes);

/* Cuts the outermost axes so that one block of each axis together has at most `most` outputs. A
 * block has at least `images` images. Returns 0 if nothing is cut. */
int onednn_axes_cut(struct onednn_axes *axes, int64_t most, int64_t images);

int64_t onednn_axis_blocks(const struct onednn_axis *axis);
struct onednn_block onednn_axis_block(const struct onednn_axis *axis, int64_t number);

/* Returns 1 if two blocks are equal except for their positions. */
int onednn_same_block(const struct onednn_block *a, const struct onednn_block *b);

#endif
