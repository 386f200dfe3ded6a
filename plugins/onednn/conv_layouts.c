/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the layouts of a convolution by their cost. */
#include "conv.h"

#include <string.h>

/* The choices for a tensor: packed in the operand's order of dims; blocks of 16 channels; channels
 * last; channels first; or oneDNN's choice. All but OWN may cost a reorder in every call. */
enum layout { OWN, BLOCKS, LAST, FIRST, ANY };
struct layouts {
    enum layout x, w, y;
};

struct onednn_view onednn_channels_last(const struct onednn_view *view)
{
    struct onednn_view last = onednn_packed(view, ANYDNN_PLUGIN_FLOAT);

    for (int32_t d = 2; d < view->ndims; d++)
        last.strides[d] *= view->dims[1];
    last.strides[1] = 1;
    return last;
}

static onednn_layout make_layout(struct onednn_build *build, const struct onednn_view *view,
                                 enum layout which)
{
    struct onednn_view packed = which == LAST    ? onednn_channels_last(view)
                                : which == FIRST ? onednn_packed(view, ANYDNN_PLUGIN_FLOAT)
                                                 : onednn_packed_like(view, ANYDNN_PLUGIN_FLOAT);

    if (which == BLOCKS)
        return onednn_layout_in_blocks(build, &packed);
    return which == ANY ? onednn_layout_any(build, &packed) : onednn_layout_of(build, &packed);
}

int onednn_is_reference(const_dnnl_primitive_desc_t descriptor)
{
    return strncmp(onednn_implementation(descriptor), "ref", 3) == 0;
}

int onednn_is_gemm(const_dnnl_primitive_desc_t descriptor)
{
    return strstr(onednn_implementation(descriptor), "gemm") != NULL;
}

/*
 * Returns 1 for a geometry in which oneDNN's AVX-512 kernel for the filter gradient of volumes is
 * defective (2.6.3 and 3.2). The kernel computes wrong sums and writes outside dw. This happens if
 * a window reaches beyond the last frame and the window before it begins in the padding. Of 2,447
 * such geometries (1 to 24 frames, 1 to 16 taps), 1,063 failed; of 9,809 others, none did. `inside`
 * is the last window that ends inside, or else the first.
 */
static int is_defective(const struct onednn_conv *conv)
{
    const struct onednn_convolution *c = &conv->description;
    const struct onednn_view *x = &conv->x.view, *w = &conv->w.view, *y = &conv->y.view;
    int64_t taps, after, inside;

    if (c->direction != dnnl_backward_weights || x->ndims != 2 + ONEDNN_SPATIAL_MAX)
        return 0;
    taps = w->dims[w->ndims - ONEDNN_SPATIAL_MAX];
    after = x->dims[2] + c->pad_before[0] - (taps - 1) * (c->dilation[0] + 1) - 1;
    inside = after > 0 ? after / c->stride[0] : 0;
    return inside + 1 < y->dims[2] && inside * c->stride[0] < c->pad_before[0];
}

/* Tries one combination of layouts. If oneDNN has no kernel for it, its reference code is a
 * thousand times slower, so the next combination is tried. Returns 0 to continue. */
static int try_layouts(struct onednn_build *build, struct onednn_conv *conv,
                       const struct layouts *layouts, int last, dnnl_primitive_attr_t attributes)
{
    struct onednn_convolution *c = &conv->description;
    dnnl_primitive_desc_t descriptor;

    c->x = make_layout(build, &conv->x.view, layouts->x);
    c->w = make_layout(build, &conv->w.view, layouts->w);
    c->y = make_layout(build, &conv->y.view, layouts->y);
    descriptor = onednn_keep_if(build, onednn_describe_convolution(c, attributes));
    if (!descriptor || (onednn_is_reference(descriptor) && !last))
        return 0;
    if (is_defective(conv) && !onednn_is_reference(descriptor) && !onednn_is_gemm(descriptor))
        return 0;
    conv->descriptor = descriptor;
    return 1;
}

/* The combinations in order of preference. The last of each list may use the reference code. It is
 * {ANY, ANY, ANY}, except in as_matrices. */
#define CHOICES 4
static const struct layouts own_images[CHOICES] = {
    {OWN, ANY, OWN}, {OWN, OWN, OWN}, {OWN, ANY, ANY}, {ANY, ANY, ANY}};
static const struct layouts own_input[CHOICES] = {
    {OWN, ANY, ANY}, {OWN, ANY, OWN}, {OWN, OWN, OWN}, {ANY, ANY, ANY}};
static const struct layouts all_chosen[CHOICES] = {
    {ANY, ANY, ANY}, {OWN, ANY, OWN}, {OWN, OWN, OWN}, {ANY, ANY, ANY}};
static const struct layouts in_blocks[CHOICES] = {
    {BLOCKS, ANY, BLOCKS}, {ANY, ANY, ANY}, {OWN, ANY, OWN}, {ANY, ANY, ANY}};
static const struct layouts turned_last[CHOICES] = {
    {LAST, ANY, LAST}, {ANY, ANY, ANY}, {OWN, ANY, OWN}, {ANY, ANY, ANY}};
static const struct layouts as_matrices[CHOICES] = {
    {FIRST, ANY, FIRST}, {FIRST, FIRST, FIRST}, {ANY, ANY, ANY}, {FIRST, FIRST, FIRST}};

/* An input with fewer channels keeps its layout. */
#define FEW_CHANNELS 8
/* The limits of output positions per image. From MANY_POSITIONS on, a 1x1 filter is a matrix
 * product that needs no blocks. Up to FEW_POSITIONS, an image is so small that reorders cost
 * little. */
#define MANY_POSITIONS 400
#define FEW_POSITIONS  50

struct shape {
    int64_t taps, positions;
    int strided, depthwise, few_in_group; /* groups whose channels do not fill a block */
};

/* Returns the choices for channels-last images. The kernels read them directly at the speed of
 * blocks. Backward, blocks win for small images (7x7: by 1.1 to 1.4). For the filter gradient with
 * more than one tap, they also win at 14x14 (1.1 to 1.5) and with strides (1.3). The measurements
 * are those described below. */
static const struct layouts *choices_last(const struct onednn_conv *conv, const struct shape *shape)
{
    dnnl_prop_kind_t direction = conv->description.direction;

    if (direction == dnnl_forward_inference || shape->depthwise || shape->few_in_group)
        return own_images;
    if (direction == dnnl_backward_weights && shape->taps > 1)
        return shape->positions < MANY_POSITIONS || shape->strided ? all_chosen : own_images;
    return shape->positions > FEW_POSITIONS ? own_images : all_chosen;
}

/*
 * Returns the choices for channels-first images. Measured with oneDNN 2.6 on AVX-512, one thread,
 * on the layers of ResNet-50 at batch 4:
 *   - A 1x1 filter is a matrix product on unchanged images, twice as fast as with reorders. But the
 *     input gradient of small images (14x14 and less) is faster in blocks, by 1.2 to 2.
 *   - Larger filters use im2col, which costs more than reorders. Blocks win by 1.3 to 2.5, except
 *     for the filter gradient at 7x7 (0.9).
 *   - An input of 3 channels keeps its layout (forward 1.2; its gradient 2).
 *   - Where blocks are used forward, oneDNN itself chooses channels last. This is better (1.0 to
 *     1.1), except for small images (7x7: 0.8).
 *   - Depthwise images (MobileNet) are best in blocks (2 to 20), while oneDNN would choose channels
 *     last.
 *   - The filter gradient with 4 channels per group (ResNeXt) is best with channels last (2).
 */
static const struct layouts *choices_first(const struct onednn_conv *conv,
                                           const struct shape *shape)
{
    dnnl_prop_kind_t direction = conv->description.direction;

    if (shape->depthwise)
        return in_blocks;
    if (direction == dnnl_backward_weights) {
        if (shape->few_in_group)
            return turned_last;
        return shape->taps == 1 || shape->positions <= FEW_POSITIONS ? own_images : all_chosen;
    }
    if (conv->x.view.dims[1] < FEW_CHANNELS)
        return direction == dnnl_backward_data ? own_images : own_input;
    if (direction == dnnl_backward_data)
        return shape->taps == 1 && shape->positions >= MANY_POSITIONS ? own_images : all_chosen;
    if (shape->taps == 1)
        return own_images;
    return shape->positions <= FEW_POSITIONS ? in_blocks : all_chosen;
}

static const struct layouts *order_of_choices(const struct onednn_conv *conv)
{
    const struct onednn_view *x = &conv->x.view, *w = &conv->w.view, *y = &conv->y.view;
    int32_t spatial = x->ndims - 2;
    int64_t groups = w->ndims > x->ndims ? w->dims[0] : 1;
    struct shape shape = {
        .taps = kit_count(&w->dims[w->ndims - spatial], spatial),
        .positions = kit_count(&y->dims[2], spatial),
        .strided = kit_count(conv->description.stride, spatial) > 1,
        .depthwise = groups > 1 && x->dims[1] == groups,
        .few_in_group = groups > 1 && x->dims[1] / groups % 16 != 0,
    };

    return x->dims[1] > 1 && x->strides[1] == 1 ? choices_last(conv, &shape)
                                                : choices_first(conv, &shape);
}

void onednn_conv_choose(struct onednn_build *build, struct onednn_conv *conv,
                        dnnl_primitive_attr_t attributes)
{
    const struct layouts *layouts = is_defective(conv) ? as_matrices
                                    : conv->description.algorithm == dnnl_convolution_winograd
                                        ? all_chosen
                                        : order_of_choices(conv);
    int found = 0;

    for (int i = 0; i < CHOICES && !found && build->status == ANYDNN_PLUGIN_STATUS_SUCCESS; i++)
        found = try_layouts(build, conv, &layouts[i], i == CHOICES - 1, attributes);
}
