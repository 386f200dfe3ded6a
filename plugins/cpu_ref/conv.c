/* SPDX-License-Identifier: Apache-2.0 */
/* What is checked and worked out once for a convolution of any direction. */
#include "conv.h"

#include <string.h>

/* Cuts such as this one keep every product of sizes below 2^63. */
#define PARAMETER_MAX INT32_MAX

static int32_t check_parameters(const struct anydnn_plugin_problem *problem,
                                struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    const char *name = cpu_ref_operation_name(problem->operation);
    struct cpu_ref_text text;

    for (int32_t d = 0; d < params->spatial_dims; d++) {
        if (params->pad[d] < 0 || params->pad[d] > PARAMETER_MAX)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                                  "%s: pad is %s; cpu_ref takes 0 and more", name,
                                  cpu_ref_dims_text(&text, params->pad, params->spatial_dims));
        if (params->stride[d] < 1 || params->stride[d] > PARAMETER_MAX)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                                  "%s: stride is %s; it must be at least 1", name,
                                  cpu_ref_dims_text(&text, params->stride, params->spatial_dims));
        if (params->dilation[d] < 1 || params->dilation[d] > PARAMETER_MAX)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                                  "%s: dilation is %s; it must be at least 1", name,
                                  cpu_ref_dims_text(&text, params->dilation, params->spatial_dims));
    }
    if (params->mode != 0 && params->mode != 1)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                              "%s: mode is %d; 0 is convolution, 1 cross-correlation", name,
                              params->mode);
    return 0;
}

static int32_t check_compute_type(const struct anydnn_plugin_problem *problem, int32_t x_slot,
                                  struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    int32_t x = cpu_ref_lane_type(problem->tensor[x_slot]->type);
    int32_t type = params->compute_type;
    int integers = x == ANYDNN_PLUGIN_INT8 || x == ANYDNN_PLUGIN_UINT8;
    int floating = type == ANYDNN_PLUGIN_FLOAT || type == ANYDNN_PLUGIN_DOUBLE ||
                   type == ANYDNN_PLUGIN_HALF || type == ANYDNN_PLUGIN_BFLOAT16;

    if (integers ? type == ANYDNN_PLUGIN_INT32 : floating)
        return 0;
    return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_TYPE, "%s: compute type is %s; %s",
                          cpu_ref_operation_name(problem->operation), cpu_ref_type_name(type),
                          integers ? "integers are summed as int32"
                                   : "floating data needs a floating compute type");
}

static int32_t check_channels(const struct anydnn_plugin_problem *problem,
                              const struct conv_roles *roles, struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    const struct anydnn_plugin_tensor *x = problem->tensor[roles->x];
    const struct anydnn_plugin_tensor *w = problem->tensor[roles->w];
    const struct anydnn_plugin_tensor *y = problem->tensor[roles->y];
    const char *name = cpu_ref_operation_name(problem->operation);
    long long groups = (long long)params->groups;

    if (groups < 1 || x->dims[1] % groups || w->dims[0] % groups)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_GROUPS,
                              "%s: groups is %lld, with %lld channels and %lld filters; it must "
                              "divide both",
                              name, groups, (long long)x->dims[1], (long long)w->dims[0]);
    if (w->dims[1] != x->dims[1] / groups)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s: the filter has %lld channels; %lld channels in %lld groups need "
                              "%lld",
                              name, (long long)w->dims[1], (long long)x->dims[1], groups,
                              (long long)x->dims[1] / groups);
    if (y->dims[0] != x->dims[0] || y->dims[1] != w->dims[0])
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s: %s has %lld images of %lld channels; it must have %lld of %lld",
                              name, cpu_ref_slot_name(problem->operation, roles->y),
                              (long long)y->dims[0], (long long)y->dims[1], (long long)x->dims[0],
                              (long long)w->dims[0]);
    return 0;
}

/* out = 1 + (in + 2 * pad - ((filter - 1) * dilation + 1)) / stride, and a filter within the padded
 * input. */
static int32_t check_sizes(const struct anydnn_plugin_problem *problem,
                           const struct conv_roles *roles, struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    const struct anydnn_plugin_tensor *x = problem->tensor[roles->x];
    const struct anydnn_plugin_tensor *w = problem->tensor[roles->w];
    const struct anydnn_plugin_tensor *y = problem->tensor[roles->y];
    const char *name = cpu_ref_operation_name(problem->operation);

    for (int32_t d = 0; d < params->spatial_dims; d++) {
        int64_t padded = x->dims[d + 2] + 2 * params->pad[d];
        int64_t reach = (w->dims[d + 2] - 1) * params->dilation[d] + 1;

        if (reach > padded)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                                  "%s: in spatial dimension %d the filter reaches over %lld "
                                  "positions and the padded input has %lld",
                                  name, d, (long long)reach, (long long)padded);
        if (y->dims[d + 2] != 1 + (padded - reach) / params->stride[d])
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                                  "%s: in spatial dimension %d %s has %lld positions; it must have "
                                  "%lld",
                                  name, d, cpu_ref_slot_name(problem->operation, roles->y),
                                  (long long)y->dims[d + 2],
                                  (long long)(1 + (padded - reach) / params->stride[d]));
    }
    return 0;
}

int32_t cpu_ref_conv_check(const struct anydnn_plugin_problem *problem,
                           const struct conv_roles *roles, struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;
    const char *name = cpu_ref_operation_name(problem->operation);
    const int32_t slots[] = {roles->x, roles->w, roles->y};
    int32_t reason;

    if (params->spatial_dims < 1 || params->spatial_dims > CONV_SPATIAL_MAX)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s: %d spatial dimensions; 1 to %d are possible", name,
                              params->spatial_dims, CONV_SPATIAL_MAX);
    for (int i = 0; i < 3; i++) {
        const struct anydnn_plugin_tensor *tensor = problem->tensor[slots[i]];

        if (tensor->ndims != params->spatial_dims + 2)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                                  "%s: %s has %d dimensions; %d spatial ones need %d", name,
                                  cpu_ref_slot_name(problem->operation, slots[i]), tensor->ndims,
                                  params->spatial_dims, params->spatial_dims + 2);
        if (problem->alias[slots[i]])
            return cpu_ref_refuse(
                why, ANYDNN_PLUGIN_REASON_ALIAS, "%s: %s may not take the place of %s", name,
                cpu_ref_slot_name(problem->operation, slots[i]),
                cpu_ref_slot_name(problem->operation, problem->alias[slots[i]] - 1));
    }
    reason = check_parameters(problem, why);
    if (!reason)
        reason = check_compute_type(problem, roles->x, why);
    if (!reason)
        reason = check_channels(problem, roles, why);
    return reason ? reason : check_sizes(problem, roles, why);
}

int32_t cpu_ref_conv_check_bias(const struct anydnn_plugin_problem *problem, int32_t bias_slot,
                                int32_t slot, struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_tensor *bias = problem->tensor[bias_slot];
    const struct anydnn_plugin_tensor *tensor = problem->tensor[slot];
    struct cpu_ref_text text;

    if (tensor->ndims >= 2 && bias->ndims >= 2 && bias->dims[1] == tensor->dims[1] &&
        cpu_ref_count(bias->dims, bias->ndims) == bias->dims[1])
        return 0;
    return cpu_ref_refuse(
        why, ANYDNN_PLUGIN_REASON_SHAPE,
        "%s: %s has dims %s; it must be 1 everywhere but in the channels, where %s "
        "has %lld",
        cpu_ref_operation_name(problem->operation),
        cpu_ref_slot_name(problem->operation, bias_slot),
        cpu_ref_dims_text(&text, bias->dims, bias->ndims),
        cpu_ref_slot_name(problem->operation, slot),
        (long long)(tensor->ndims >= 2 ? tensor->dims[1] : 0));
}

/* ------------------------------------------------------------------ geometry */

/* Dimensions without a second step get stride 0. */
static void take_strides(struct conv_strides *strides, const struct anydnn_plugin_tensor *tensor)
{
    int64_t step[ANYDNN_PLUGIN_DIM_MAX] = {0};

    strides->lanes = cpu_ref_lanes(tensor->type);
    for (int32_t d = 0; d < tensor->ndims; d++)
        step[d] = cpu_ref_extent(tensor, d) > 1 ? tensor->strides[d] * strides->lanes : 0;
    strides->n = step[0];
    strides->c = step[1];
    for (int32_t d = 2; d < tensor->ndims; d++)
        strides->s[d - 2] = step[d];
}

/* Convolution proper turns the filter round in every spatial dimension. */
static void flip_filter(struct conv *conv)
{
    for (int32_t d = 0; d < conv->spatial; d++) {
        conv->w_first += (conv->filter[d] - 1) * conv->w.s[d];
        conv->w.s[d] = -conv->w.s[d];
    }
}

/* The stride with which channels and spatial dimensions can be walked as one dimension; 0 if there
 * is none. */
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

/* A filter that covers its whole input is a fully connected layer: the positions of the input
 * become channels, so that the inner loops are long. Vectors stay what they are, x's as long as
 * w's. */
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
    conv->c *= cpu_ref_count(conv->in, conv->spatial);
    conv->cg = conv->c;
    conv->x.c = x_step;
    conv->w.c = w_step;
    conv->spatial = 1;
    conv->in[0] = 1;
    conv->filter[0] = 1;
}

/* Inner loops over channels when those are neighbours and more than the neighbours in a row. */
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
