/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the output positions of a convolution into blocks. */
#include "conv_axes.h"

static int64_t bytes_of(const struct onednn_view *view, int32_t d)
{
    return view->strides[d] * kit_type_size(view->type);
}

void onednn_axes_of(const struct onednn_conv *conv, struct onednn_axes *axes)
{
    const struct onednn_view *x = &conv->x.view, *w = &conv->w.view, *y = &conv->y.view;
    const struct onednn_convolution *c = &conv->description;
    int32_t spatial = x->ndims - 2;

    axes->count = 1 + spatial;
    for (int32_t i = 0; i < axes->count; i++) {
        int32_t d = i == 0 ? 0 : i + 1, s = i - 1;
        struct onednn_axis axis = {.x = x->dims[d], .y = y->dims[d], .stride = 1, .reach = 1};

        if (i > 0) {
            axis.stride = c->stride[s];
            axis.reach = (w->dims[w->ndims - spatial + s] - 1) * (c->dilation[s] + 1) + 1;
            axis.before = c->pad_before[s];
        }
        axis.block = axis.y;
        axis.x_bytes = bytes_of(x, d);
        axis.y_bytes = bytes_of(y, d);
        axes->axis[i] = axis;
    }
}

/* Cuts an axis into blocks of nearly equal length, at most `most`. */
static void cut(struct onednn_axis *axis, int64_t most)
{
    int64_t blocks = (axis->y + most - 1) / most;

    axis->block = (axis->y + blocks - 1) / blocks;
}

int onednn_axes_cut(struct onednn_axes *axes, int64_t most, int64_t images)
{
    int64_t remaining = most;
    int parts = 0;

    for (int32_t i = axes->count - 1; i >= 0; i--) {
        int64_t least = i == 0 ? images : 1;

        cut(&axes->axis[i], remaining > least ? remaining : least);
        remaining = axes->axis[i].block < axes->axis[i].y ? 1 : remaining / axes->axis[i].y;
        parts = parts || axes->axis[i].block < axes->axis[i].y;
    }
    return parts;
}

int64_t onednn_axis_blocks(const struct onednn_axis *axis)
{
    return (axis->y + axis->block - 1) / axis->block;
}

struct onednn_block onednn_axis_block(const struct onednn_axis *axis, int64_t number)
{
    struct onednn_block block = {.y_first = number * axis->block};
    int64_t begin, end;

    block.y_count = axis->y - block.y_first < axis->block ? axis->y - block.y_first : axis->block;
    begin = block.y_first * axis->stride - axis->before;
    end = begin + (block.y_count - 1) * axis->stride + axis->reach;
    block.x_first = begin > 0 ? begin : 0;
    block.before = block.x_first - begin;
    block.x_count = (end < axis->x ? end : axis->x) - block.x_first;
    block.after = end - block.x_first - block.x_count;
    return block;
}

int onednn_same_block(const struct onednn_block *a, const struct onednn_block *b)
{
    return a->y_count == b->y_count && a->x_count == b->x_count && a->before == b->before &&
           a->after == b->after;
}
