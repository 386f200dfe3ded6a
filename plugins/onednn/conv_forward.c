/* SPDX-License-Identifier: Apache-2.0 */
/* Implements forward convolution, plain and fused with bias, addition and activation. */
#include "activate.h"
#include "conv.h"
#include "conv_integer.h"
#include "table.h"

static const struct onednn_conv_roles plain_roles = {.x = 0, .w = 1, .y = 2};
static const struct onednn_conv_roles fused_roles = {.x = 0, .w = 1, .y = 4};

/* The numbers are cuDNN's: implicit_gemm, implicit_precomp_gemm, gemm, direct (sums without a
 * transform), and winograd. */
static const struct onednn_way forward_ways[] = {
    {ONEDNN_CONV_DIRECT, 0, 0},
    {ONEDNN_CONV_DIRECT, 1, 0},
    {ONEDNN_CONV_DIRECT, 2, 0},
    {ONEDNN_CONV_DIRECT, 3, 0},
    {ONEDNN_CONV_WINOGRAD, 6, ANYDNN_PLUGIN_NOTE_TRANSFORM},
};
#define WAYS (sizeof forward_ways / sizeof forward_ways[0])

/* ------------------------------------------------------------------ the plain operation */

static int32_t check_plain(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    return onednn_conv_of_integers(problem) ? onednn_conv_integer_check(problem, &plain_roles, why)
                                            : onednn_conv_check(problem, &plain_roles, why);
}

static int may_have_plain_way(const struct anydnn_plugin_problem *problem,
                              const struct onednn_way *way)
{
    return way->engine == ONEDNN_CONV_DIRECT ||
           onednn_conv_may_have_winograd(problem, &plain_roles);
}

static void build_plain(struct onednn_build *build)
{
    struct onednn_conv conv;
    int x, w, y;

    if (onednn_conv_of_integers(build->problem)) {
        onednn_conv_integer_build(build, &plain_roles);
        return;
    }
    onednn_conv_describe(build, &conv, &plain_roles, dnnl_forward_inference, NULL,
                         build->attributes);
    if (!conv.descriptor)
        return;
    x = onednn_conv_load(build, &conv.x);
    w = onednn_conv_load(build, &conv.w);
    for (uint32_t mode = ONEDNN_FAST; mode <= ONEDNN_GENERAL; mode <<= 1) {
        build->when = mode;
        y = onednn_conv_result(build, &conv.y);
        ONEDNN_RUN(build, conv.descriptor, {DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w},
                   {DNNL_ARG_DST, onednn_conv_seen(build, &conv.y, y)});
        onednn_conv_store(build, &conv.y, y);
    }
}

const struct onednn_operation onednn_convolution_forward = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
    .types = ONEDNN_FLOATS | ONEDNN_INTEGERS,
    .layouts = KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C,
    .ways = forward_ways,
    .way_count = WAYS,
    .check = check_plain,
    .may_have_way = may_have_plain_way,
    .build = build_plain,
};

/* ------------------------------------------------------------------ the fused operation */

static int32_t check_fused(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    return onednn_conv_of_integers(problem) ? onednn_conv_integer_check(problem, &fused_roles, why)
                                            : onednn_conv_check(problem, &fused_roles, why);
}

static int may_have_fused_way(const struct anydnn_plugin_problem *problem,
                              const struct onednn_way *way)
{
    return way->engine == ONEDNN_CONV_DIRECT ||
           onednn_conv_may_have_winograd(problem, &fused_roles);
}

static void add_finish(struct onednn_build *build, const struct onednn_conv *conv, int memory)
{
    struct onednn_view r = onednn_packed_like(&conv->y.view, ANYDNN_PLUGIN_FLOAT);

    memory = onednn_reorder(build, memory, conv->y.layout, onednn_layout_of(build, &r));
    onednn_conv_finish(build, onednn_place_of(build, memory), &r);
}

/* Returns 1 if oneDNN can apply bias and activation, provided that the factors are 1 and 0. Its
 * kernels turn NaN into 0; if NaN must propagate, a step of our own does the work. */
static int primitive_finishes(const struct anydnn_plugin_convolution *params)
{
    return params->activation == ONEDNN_IDENTITY ||
           (params->activation == ONEDNN_RELU && !params->nan_propagate);
}

/* Returns 1 if the kernel keeps NaN, as those that end in a matrix product do. */
static int keeps_nan(const struct onednn_build *build, const struct onednn_conv *conv)
{
    const struct anydnn_plugin_convolution *params = build->problem->params;
    return params->activation == ONEDNN_RELU && onednn_is_gemm(conv->descriptor);
}

static dnnl_primitive_attr_t fused_attributes(struct onednn_build *build)
{
    const struct anydnn_plugin_convolution *params = build->problem->params;

    return params->activation == ONEDNN_IDENTITY ? build->attributes
                                                 : onednn_relu_attributes(build);
}

/* Builds the convolution with oneDNN's post-ops. Returns 0 and adds no step if oneDNN does not do
 * all the work. */
static int build_finished(struct onednn_build *build)
{
    struct onednn_view bias_view = onednn_operand(build, ONEDNN_FUSED(bias)), bias_float;
    struct onednn_conv conv;
    onednn_layout bias_layout;
    int x, w, bias, y;

    bias_view.ndims = 1;
    bias_view.dims[0] = bias_view.dims[1];
    bias_view.strides[0] = bias_view.dims[0] > 1 ? bias_view.strides[1] : 1;
    bias_float = onednn_packed(&bias_view, ANYDNN_PLUGIN_FLOAT);
    bias_layout = onednn_layout_of(build, &bias_float);
    onednn_conv_describe(build, &conv, &fused_roles, dnnl_forward_inference, bias_layout,
                         fused_attributes(build));
    if (!conv.descriptor)
        return 1;
    if (keeps_nan(build, &conv))
        return 0;
    x = onednn_conv_load(build, &conv.x);
    w = onednn_conv_load(build, &conv.w);
    bias = onednn_load(build, ONEDNN_FUSED(bias), &bias_view, bias_layout, ANYDNN_PLUGIN_FLOAT);
    y = onednn_conv_result(build, &conv.y);
    ONEDNN_RUN(build, conv.descriptor, {DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w},
               {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, onednn_conv_seen(build, &conv.y, y)});
    onednn_conv_store(build, &conv.y, y);
    return 1;
}

static void build_unfinished(struct onednn_build *build)
{
    struct onednn_conv conv;
    int x, w, r;

    onednn_conv_describe(build, &conv, &fused_roles, dnnl_forward_inference, NULL,
                         build->attributes);
    if (!conv.descriptor)
        return;
    x = onednn_conv_load(build, &conv.x);
    w = onednn_conv_load(build, &conv.w);
    r = onednn_temporary(build, conv.y.layout);
    ONEDNN_RUN(build, conv.descriptor, {DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w},
               {DNNL_ARG_DST, onednn_conv_seen(build, &conv.y, r)});
    add_finish(build, &conv, r);
}

static void build_fused(struct onednn_build *build)
{
    int finishes = primitive_finishes(build->problem->params);

    if (onednn_conv_of_integers(build->problem)) {
        onednn_conv_integer_build(build, &fused_roles);
        return;
    }
    if (finishes) {
        build->when = ONEDNN_FAST;
        finishes = build_finished(build);
    }
    build->when = finishes ? ONEDNN_GENERAL : ONEDNN_BOTH;
    build_unfinished(build);
}

/* The fast mode has alpha1 = 1 and alpha2 = 0, so z is unused; beta is the factor of z. */
const struct onednn_operation onednn_convolution_bias_activation_forward = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD,
    .types = ONEDNN_FLOATS | ONEDNN_INTEGERS,
    .layouts = KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C,
    .ways = forward_ways,
    .way_count = WAYS,
    .check = check_fused,
    .may_have_way = may_have_fused_way,
    .build = build_fused,
};
