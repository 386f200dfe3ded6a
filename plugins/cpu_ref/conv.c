/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares the geometry of a convolution of any direction. */
#include "conv.h"

#include <string.h>

int32_t cpu_ref_conv_check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    int32_t x = kit_lane_type(problem->tensor[0]->type);
    int32_t type = params->compute_type;
    int integers = x == ANYDNN_PLUGIN_INT8 || x == ANYDNN_PLUGIN_UINT8;
    int floating = type == ANYDNN_PLUGIN_FLOAT || type == ANYDNN_PLUGIN_DOUBLE ||
                   type == ANYDNN_PLUGIN_HALF || type == ANYDNN_PLUGIN_BFLOAT16;

    if (integers ? type == ANYDNN_PLUGIN_INT32 : floating)
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE, "%s: compute type is %s; %s",
                      kit_operation_name(problem->operation), kit_type_name(type),
                      integers ? "it must be int32 for integers"
                               : "it must be a floating-point type for floating-point data");
}

/* ------------------------------------------------------------------ geometry */

/* Takes the strides of a tensor. Dimensions of length 1 get stride 0. */
static void take_strides(struct conv_strides *strides, const struct anydnn_plugin_tensor *tensor)
{
    int64_t step[ANYDNN_PLUGIN_DIM_MAX] = {0};

    strides->lanes = kit_lanes(tensor->type);
    for (int32_t d = 0; d < tensor->ndims; d++)
        step[d] = cpu_ref_extent(tensor, d) > 1 ? tensor->strides[d] * strides->lanes : 0;
    strides->n = step[0];
    strides->c = step[1];
    for (int32_t d = 2; d < tensor->ndims; d++)
        strides->s[d - 2] = step[d];
}

/* Flips the filter in every spatial dimension, for mode convolution. */
static void flip_filter(struct conv *conv)
{
    for (int32_t d = 0; d < conv->spatial; d++) {
        conv->w_first += (conv->filter[d] - 1) * conv->w.s[d];
        conv->w.s[d] = -conv->w.s[d];
    }
}

/* Returns the stride of channels and spatial dimensions merged into one dimension, or 0 if they
 * cannot be merged. */
static int64_t merged_stride(const struct conv *conv, const struct conv_strides *strides)
{
    int64_t step = 0, expected = 0;

    for (int32_t d = conv->spatial - 1; d >= -1; d--) {
        int64_t size = d < 0 ? conv->c : conv->in[d];
        int64_t stride = d < 0 ? strides->c : strides->s[d];

        if (size == 1)
            continue;
        if (!step)
            step = stride;
        else if (stride != expected)
            return 0;
        expected = stride * size;
    }
    return step ? step : 1;
}

/* Turns the input positions into channels if the filter covers its whole input, so that the inner
 * loops are long. Such a convolution is a fully connected layer. Vectors of channels stay as they
 * are; those of x and w have the same length. */
static void fold_fully_connected(struct conv *conv)
{
    int64_t x_step = merged_stride(conv, &conv->x);
    int64_t w_step = merged_stride(conv, &conv->w);

    if (conv->groups != 1 || !x_step || !w_step)
        return;
    for (int32_t d = 0; d < conv->spatial; d++) {
        if (conv->out[d] != 1 || conv->pad[d] != 0 || conv->filter[d] != conv->in[d])
            return;
    }
    conv->c *= kit_count(conv->in, conv->spatial);
    conv->cg = conv->c;
    conv->x.c = x_step;
    conv->w.c = w_step;
    conv->spatial = 1;
    conv->in[0] = 1;
    conv->filter[0] = 1;
}

/* Returns 1 if the inner loops run over channels: these must be adjacent, and more numerous than
 * the adjacent elements of a row. */
static int32_t prefers_channels(const struct conv *conv)
{
    int32_t last = conv->spatial - 1;
    int rows_touch = conv->x.s[last] == 1 && conv->y.s[last] == 1;

    return conv->x.c == 1 && conv->w.c == 1 && conv->cg > (rows_touch ? conv->out[last] : 1);
}

void cpu_ref_conv_prepare(const struct anydnn_plugin_problem *problem,
                          const struct conv_roles *roles, const struct anydnn_plugin_tensor *z,
                          struct conv *conv)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    const struct anydnn_plugin_tensor *x = problem->tensor[roles->x];
    const struct anydnn_plugin_tensor *w = problem->tensor[roles->w];
    const struct anydnn_plugin_tensor *y = problem->tensor[roles->y];

    conv->spatial = params->spatial_dims;
    conv->n = x->dims[0];
    conv->c = x->dims[1];
    conv->k = w->dims[0];
    conv->groups = params->groups;
    conv->cg = conv->c / conv->groups;
    conv->kg = conv->k / conv->groups;
    for (int32_t d = 0; d < conv->spatial; d++) {
        conv->in[d] = x->dims[d + 2];
        conv->out[d] = y->dims[d + 2];
        conv->filter[d] = w->dims[d + 2];
        conv->pad[d] = params->pad[d];
        conv->stride[d] = params->stride[d];
        conv->dilation[d] = params->dilation[d];
    }
    take_strides(&conv->x, x);
    take_strides(&conv->w, w);
    take_strides(&conv->y, y);
    take_strides(&conv->z, z ? z : y);
    if (params->mode == 0)
        flip_filter(conv);
    fold_fully_connected(conv);
    conv->by_channel = prefers_channels(conv);
}
