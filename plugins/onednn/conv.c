/* SPDX-License-Identifier: Apache-2.0 */
/* Implements checks, geometry and layouts of convolutions in every direction. */
#include "conv.h"

#include <string.h>

int32_t onednn_conv_check(const struct anydnn_plugin_problem *problem,
                          const struct onednn_conv_roles *roles, struct kit_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    const int32_t slots[] = {roles->x, roles->w, roles->y};

    if (params->spatial_dims > ONEDNN_SPATIAL_MAX)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "the convolution has %d spatial dimensions; oneDNN supports 1 to %d",
                          params->spatial_dims, ONEDNN_SPATIAL_MAX);
    for (int i = 0; i < 3; i++)
        if (!(ONEDNN_FLOATS >> problem->tensor[slots[i]]->type & 1))
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                              "an operand is %s; oneDNN's floating-point convolutions support only "
                              "float, half and bfloat16",
                              kit_type_name(problem->tensor[slots[i]]->type));
    return 0;
}

/* ------------------------------------------------------------------ geometry */

void onednn_turn_round(struct onednn_view *filter, int32_t from)
{
    for (int32_t d = from; d < filter->ndims; d++) {
        if (filter->dims[d] == 1)
            continue;
        filter->first += (filter->dims[d] - 1) * filter->strides[d];
        filter->strides[d] = -filter->strides[d];
    }
}

static void split_groups(struct onednn_view *filter, int64_t groups)
{
    memmove(&filter->dims[1], &filter->dims[0], sizeof filter->dims - sizeof filter->dims[0]);
    memmove(&filter->strides[1], &filter->strides[0],
            sizeof filter->strides - sizeof filter->strides[0]);
    filter->ndims++;
    filter->dims[0] = groups;
    filter->dims[1] /= groups;
    filter->strides[0] = filter->dims[1] * filter->strides[1];
}

void onednn_conv_windows(struct onednn_convolution *description,
                         const struct anydnn_plugin_convolution *params)
{
    for (int32_t d = 0; d < params->spatial_dims; d++) {
        description->stride[d] = params->stride[d];
        description->dilation[d] = params->dilation[d] - 1;
        description->pad_before[d] = params->pad[d];
        description->pad_after[d] = params->pad[d];
    }
}

static void take_operand(const struct onednn_build *build, struct onednn_conv_tensor *tensor,
                         int32_t slot)
{
    tensor->slot = slot;
    tensor->view = onednn_operand(build, slot);
}

static void set_geometry(struct onednn_build *build, struct onednn_conv *conv,
                         const struct onednn_conv_roles *roles)
{
    const struct anydnn_plugin_convolution *params = build->problem->params;

    take_operand(build, &conv->x, roles->x);
    take_operand(build, &conv->w, roles->w);
    take_operand(build, &conv->y, roles->y);
    if (params->mode == 0)
        onednn_turn_round(&conv->w.view, 2);
    if (params->groups > 1)
        split_groups(&conv->w.view, params->groups);
    onednn_conv_windows(&conv->description, params);
}

/* ------------------------------------------------------------------ fully connected */

/* Returns a tensor as a matrix: all dims after the first become one. */
static struct onednn_view as_matrix(const struct onednn_view *view)
{
    struct onednn_view matrix = {.type = ANYDNN_PLUGIN_FLOAT, .ndims = 2};

    matrix.dims[0] = view->dims[0];
    matrix.dims[1] = kit_count(&view->dims[1], view->ndims - 1);
    matrix.strides[0] = matrix.dims[1];
    matrix.strides[1] = 1;
    return matrix;
}

/* Returns 1 if the filter covers its whole input. The convolution is then a matrix product.
 * oneDNN's convolutions do not detect this and are slower by a factor of 5 to 10. */
static int is_product(const struct onednn_build *build, const struct onednn_conv *conv)
{
    const struct anydnn_plugin_convolution *params = build->problem->params;
    const struct onednn_view *x = &conv->x.view, *w = &conv->w.view, *y = &conv->y.view;
    int covers = params->groups == 1 && build->engine == ONEDNN_CONV_DIRECT;

    for (int32_t d = 0; d < params->spatial_dims; d++)
        covers = covers && params->pad[d] == 0 && w->dims[d + 2] == x->dims[d + 2] &&
                 y->dims[d + 2] == 1;
    return covers;
}

/* Packs a tensor as a matrix, with the first dim outermost. The other dims are channels-last if x
 * is, so that x and w agree. */
static void make_matrix(struct onednn_build *build, struct onednn_conv_tensor *tensor, int last)
{
    struct onednn_view packed = last ? onednn_channels_last(&tensor->view)
                                     : onednn_packed(&tensor->view, ANYDNN_PLUGIN_FLOAT);
    struct onednn_view matrix = as_matrix(&tensor->view);

    tensor->layout = onednn_layout_of(build, &packed);
    tensor->seen = onednn_layout_of(build, &matrix);
}

static void try_product(struct onednn_build *build, struct onednn_conv *conv,
                        dnnl_primitive_attr_t attributes)
{
    int last = conv->x.view.dims[1] > 1 && conv->x.view.strides[1] == 1;

    make_matrix(build, &conv->x, last);
    make_matrix(build, &conv->w, last);
    make_matrix(build, &conv->y, last);
    conv->description.x = conv->x.seen;
    conv->description.w = conv->w.seen;
    conv->description.y = conv->y.seen;
    conv->descriptor =
        onednn_keep_if(build, onednn_describe_inner_product(&conv->description, attributes));
    if (conv->descriptor && onednn_is_reference(conv->descriptor))
        conv->descriptor = NULL;
    if (!conv->descriptor)
        conv->x.seen = conv->w.seen = conv->y.seen = NULL;
}

/* ------------------------------------------------------------------ descriptors */

void onednn_conv_prepare(struct onednn_build *build, struct onednn_conv *conv,
                         const struct onednn_conv_roles *roles, dnnl_prop_kind_t direction,
                         onednn_layout bias)
{
    *conv = (struct onednn_conv){.description = {.direction = direction, .bias = bias}};
    conv->description.algorithm =
        build->engine == ONEDNN_CONV_WINOGRAD ? dnnl_convolution_winograd : dnnl_convolution_direct;
    set_geometry(build, conv, roles);
}

void onednn_conv_select(struct onednn_build *build, struct onednn_conv *conv,
                        dnnl_primitive_attr_t attributes)
{
    int to_x = conv->description.direction == dnnl_backward_data;
    int to_w = conv->description.direction == dnnl_backward_weights;

    if (is_product(build, conv))
        try_product(build, conv, attributes);
    if (conv->descriptor)
        return;
    onednn_conv_choose(build, conv, attributes);
    if (!conv->descriptor)
        return;
    conv->x.layout =
        onednn_chosen(conv->descriptor, to_x ? dnnl_query_diff_src_md : dnnl_query_src_md);
    conv->w.layout =
        onednn_chosen(conv->descriptor, to_w ? dnnl_query_diff_weights_md : dnnl_query_weights_md);
    conv->y.layout =
        onednn_chosen(conv->descriptor, to_x || to_w ? dnnl_query_diff_dst_md : dnnl_query_dst_md);
}

void onednn_conv_describe(struct onednn_build *build, struct onednn_conv *conv,
                          const struct onednn_conv_roles *roles, dnnl_prop_kind_t direction,
                          onednn_layout bias, dnnl_primitive_attr_t attributes)
{
    onednn_conv_prepare(build, conv, roles, direction, bias);
    onednn_conv_select(build, conv, attributes);
    if (!conv->descriptor)
        onednn_keep(build, NULL, "convolution of these sizes");
}

int onednn_conv_seen(struct onednn_build *build, const struct onednn_conv_tensor *tensor,
                     int memory)
{
    return tensor->seen ? onednn_recast(build, memory, tensor->seen) : memory;
}

int onednn_conv_load(struct onednn_build *build, const struct onednn_conv_tensor *tensor)
{
    return onednn_conv_seen(
        build, tensor,
        onednn_load(build, tensor->slot, &tensor->view, tensor->layout, ANYDNN_PLUGIN_FLOAT));
}

int onednn_conv_result(struct onednn_build *build, const struct onednn_conv_tensor *tensor)
{
    return onednn_result(build, tensor->slot, &tensor->view, tensor->layout);
}

void onednn_conv_store(struct onednn_build *build, const struct onednn_conv_tensor *tensor,
                       int memory)
{
    onednn_store(build, tensor->slot, &tensor->view, memory, tensor->layout, ANYDNN_PLUGIN_FLOAT,
                 0);
}

int onednn_conv_may_have_winograd(const struct anydnn_plugin_problem *problem,
                                  const struct onednn_conv_roles *roles)
{
    const struct anydnn_plugin_convolution *params = problem->params;

    if (params->spatial_dims != 2 || params->groups != 1 ||
        problem->tensor[roles->x]->type != ANYDNN_PLUGIN_FLOAT)
        return 0;
    for (int32_t d = 0; d < 2; d++)
        if (problem->tensor[roles->w]->dims[d + 2] != 3 || params->stride[d] != 1 ||
            params->dilation[d] != 1)
            return 0;
    return 1;
}
