/* SPDX-License-Identifier: Apache-2.0 */
/* Implements the gradients of a convolution with respect to its input and its filter. */
#include "conv.h"
#include "table.h"

static const struct onednn_conv_roles data_roles = {.x = 2, .w = 0, .y = 1};
static const struct onednn_conv_roles filter_roles = {.x = 0, .w = 2, .y = 1};

/* The numbers are cuDNN's: the deterministic algorithm 1, then 0, and 3 for the filter. None of
 * these uses a transform. */
static const struct onednn_way data_ways[] = {
    {ONEDNN_CONV_DIRECT, 1, 0},
    {ONEDNN_CONV_DIRECT, 0, 0},
    {ONEDNN_CONV_WINOGRAD, 4, ANYDNN_PLUGIN_NOTE_TRANSFORM},
};
static const struct onednn_way filter_ways[] = {
    {ONEDNN_CONV_DIRECT, 1, 0},
    {ONEDNN_CONV_DIRECT, 0, 0},
    {ONEDNN_CONV_DIRECT, 3, 0},
    {ONEDNN_CONV_WINOGRAD, 4, ANYDNN_PLUGIN_NOTE_TRANSFORM},
};

/* ------------------------------------------------------------------ input */

static int32_t check_data(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    return onednn_conv_check(problem, &data_roles, why);
}

static int may_have_data_way(const struct anydnn_plugin_problem *problem,
                             const struct onednn_way *way)
{
    return way->engine == ONEDNN_CONV_DIRECT || onednn_conv_may_have_winograd(problem, &data_roles);
}

static void build_data(struct onednn_build *build)
{
    struct onednn_conv conv;
    int w, dy, dx;

    onednn_conv_describe(build, &conv, &data_roles, dnnl_backward_data, NULL, build->attributes);
    if (!conv.descriptor)
        return;
    w = onednn_conv_load(build, &conv.w);
    dy = onednn_conv_load(build, &conv.y);
    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        build->when = mode;
        dx = onednn_conv_result(build, &conv.x);
        ONEDNN_RUN(build, conv.descriptor, {DNNL_ARG_DIFF_DST, dy}, {DNNL_ARG_WEIGHTS, w},
                   {DNNL_ARG_DIFF_SRC, onednn_conv_seen(build, &conv.x, dx)});
        onednn_conv_store(build, &conv.x, dx);
    }
}

const struct onednn_operation onednn_convolution_backward_data = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA,
    .types = ONEDNN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .ways = data_ways,
    .way_count = sizeof data_ways / sizeof data_ways[0],
    .check = check_data,
    .may_have_way = may_have_data_way,
    .build = build_data,
};

/* ------------------------------------------------------------------ filter */

static int32_t check_filter(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    return onednn_conv_check(problem, &filter_roles, why);
}

static int may_have_filter_way(const struct anydnn_plugin_problem *problem,
                               const struct onednn_way *way)
{
    return way->engine == ONEDNN_CONV_DIRECT ||
           onednn_conv_may_have_winograd(problem, &filter_roles);
}

static void build_filter(struct onednn_build *build)
{
    struct onednn_conv conv;
    int x, dy, dw;

    onednn_conv_describe(build, &conv, &filter_roles, dnnl_backward_weights, NULL,
                         build->attributes);
    if (!conv.descriptor || onednn_conv_in_parts(build, &filter_roles, &conv))
        return;
    x = onednn_conv_load(build, &conv.x);
    dy = onednn_conv_load(build, &conv.y);
    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        build->when = mode;
        dw = onednn_conv_result(build, &conv.w);
        ONEDNN_RUN(build, conv.descriptor, {DNNL_ARG_SRC, x}, {DNNL_ARG_DIFF_DST, dy},
                   {DNNL_ARG_DIFF_WEIGHTS, onednn_conv_seen(build, &conv.w, dw)});
        onednn_conv_store(build, &conv.w, dw);
    }
}

const struct onednn_operation onednn_convolution_backward_filter = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER,
    .types = ONEDNN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .ways = filter_ways,
    .way_count = sizeof filter_ways / sizeof filter_ways[0],
    .check = check_filter,
    .may_have_way = may_have_filter_way,
    .build = build_filter,
};
