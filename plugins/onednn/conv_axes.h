/* SPDX-License-Identifier: Apache-2.0 */
/* The places of a convolution's outputs, cut into blocks. */
#ifndef ONEDNN_CONV_AXES_H
#define ONEDNN_CONV_AXES_H

#include "conv.h"

/* Images, and the spatial dims. */
#define ONEDNN_AXES_MAX (1 + ONEDNN_SPATIAL_MAX)

/* Images are an axis whose windows have one tap. */
struct onednn_axis {
    int64_t x, y;    /* inputs and outputs */
    int64_t stride;  /* of the windows */
    int64_t reach;   /* inputs from the first tap of a window to the last */
    int64_t before;  /* pad */
    int64_t block;   /* outputs of a block; the last may have fewer */
    int64_t x_bytes; /* from one input to the next */
    int64_t y_bytes;
};
struct onednn_axes {
    int32_t count;
    struct onednn_axis axis[ONEDNN_AXES_MAX];
};

/* So many outputs, the inputs under their windows, and what of the windows is padding. */
struct onednn_block {
    int64_t y_first, y_count;
    int64_t x_first, x_count; /* x_count < 1: the windows lie in the padding */
    int64_t before, after;
};

/* Of a convolution that is not cut: a block an axis. */
void onednn_axes_of(const struct onednn_conv *conv, struct onednn_axes *axes);

/* Cuts the outermost axes so that the blocks of all axes have `most` outputs together, or fewer;
 * but `images` is the least of a block. Returns 0 where nothing is cut. */
int onednn_axes_cut(struct onednn_axes *axes, int64_t most, int64_t images);

int64_t onednn_axis_blocks(const struct onednn_axis *axis);
struct onednn_block onednn_axis_block(const struct onednn_axis *axis, int64_t number);

/* Whether two blocks are the same but for their places. */
int onednn_same_block(const struct onednn_block *a, const struct onednn_block *b);

#endif
