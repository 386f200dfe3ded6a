/* SPDX-License-Identifier: Apache-2.0 */
/* Implements matrix products. oneDNN multiplies, and adds a bias and applies ReLU if the factors
 * are 1 and 0; a step of our own does the rest. */
#include "matmul.h"

#include "activate.h"
#include "conv.h"
#include "table.h"

#define SLOT(name) ONEDNN_MATMUL(name)

static int32_t check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_matmul *params = problem->params;

    if (params->epilogue != ANYDNN_PLUGIN_MATMUL_FORWARD || params->flags != 0)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "epilogue is %d and flags are 0x%x; both must be 0", params->epilogue,
                          params->flags);
    if (!onednn_activation_exists(params->activation))
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER, "unknown activation %d",
                          params->activation);
    return 0;
}

struct onednn_view onednn_matmul_spread(const struct onednn_build *build, int32_t slot)
{
    struct onednn_view view = onednn_operand(build, slot);
    const struct anydnn_plugin_tensor *d = build->problem->tensor[SLOT(d)];

    for (int32_t i = 0; i < view.ndims; i++) {
        view.strides[i] = view.dims[i] == 1 ? 0 : view.strides[i];
        view.dims[i] = d->dims[i];
    }
    return view;
}

/* ------------------------------------------------------------------ the primitive */

/* A matrix product under construction. */
struct product {
    struct onednn_view a, b, d; /* the operands; a and b may have their batch spread */
    struct onednn_product layouts;
    dnnl_primitive_desc_t descriptor; /* NULL after a failure */
};

/* Gives dims of 1 the strides of a matrix without gaps, since oneDNN refuses to run others. */
static void settle(struct onednn_view *view)
{
    int64_t *dims = &view->dims[view->ndims - 2], *strides = &view->strides[view->ndims - 2];

    for (int i = 0; i < 2; i++)
        if (dims[i] == 1)
            strides[i] = strides[1 - i] == 1 ? dims[1 - i] : 1;
}

static struct onednn_view matrix_of(const struct onednn_build *build, int32_t slot)
{
    struct onednn_view view = onednn_operand(build, slot);

    settle(&view);
    return view;
}

/* Repeats a factor along the dims before the matrix, as d has them. */
static struct onednn_view spread_batch(const struct onednn_build *build, int32_t slot)
{
    struct onednn_view view = matrix_of(build, slot);
    const struct anydnn_plugin_tensor *d = build->problem->tensor[SLOT(d)];

    for (int32_t i = 0; i < view.ndims - 2; i++) {
        view.strides[i] = view.dims[i] == 1 ? 0 : view.strides[i];
        view.dims[i] = d->dims[i];
    }
    return view;
}

/* Returns the layout of a matrix in float: its own, or a packed one of the same order. */
static onednn_layout layout_for(struct onednn_build *build, const struct onednn_view *view,
                                int packs)
{
    struct onednn_view packed = packs ? onednn_packed(view, ANYDNN_PLUGIN_FLOAT)
                                      : onednn_packed_like(view, ANYDNN_PLUGIN_FLOAT);
    onednn_layout own = NULL;

    settle(&packed);
    if (!packs && view->type == ANYDNN_PLUGIN_FLOAT)
        own = onednn_layout_of(build, view);
    return own ? own : onednn_layout_of(build, &packed);
}

/* The ways to lay out the operands, in order of preference: as they are; with packed copies; with a
 * copy for each matrix of d. oneDNN has fast kernels for the later ones in more cases. */
enum { AS_THEY_ARE, PACKED, SPREAD, TRIES };

static void describe(struct onednn_build *build, struct product *product, int way,
                     dnnl_primitive_attr_t attributes)
{
    product->a = way == SPREAD ? spread_batch(build, SLOT(a)) : matrix_of(build, SLOT(a));
    product->b = way == SPREAD ? spread_batch(build, SLOT(b)) : matrix_of(build, SLOT(b));
    product->d = matrix_of(build, SLOT(d));
    product->layouts.a = layout_for(build, &product->a, way != AS_THEY_ARE);
    product->layouts.b = layout_for(build, &product->b, way != AS_THEY_ARE);
    product->layouts.d = layout_for(build, &product->d, way != AS_THEY_ARE);
    product->descriptor =
        onednn_keep_if(build, onednn_describe_product(&product->layouts, attributes));
}

/* Chooses the layouts. The last way may use oneDNN's reference code. */
static void select_layouts(struct onednn_build *build, struct product *product, onednn_layout bias,
                           dnnl_primitive_attr_t attributes)
{
    *product = (struct product){.layouts.bias = bias};
    for (int way = 0; way < TRIES; way++) {
        describe(build, product, way, attributes);
        if (product->descriptor && !onednn_is_reference(product->descriptor))
            return;
    }
    if (!product->descriptor)
        onednn_keep(build, NULL, "a matrix product of these sizes");
}

static int load(struct onednn_build *build, int32_t slot, const struct onednn_view *view,
                onednn_layout layout)
{
    return onednn_load(build, slot, view, layout, ANYDNN_PLUGIN_FLOAT);
}

/* ------------------------------------------------------------------ plans */

/* Returns 1 if the bias is a row, as oneDNN adds it, or absent. */
static int has_plain_bias(const struct anydnn_plugin_problem *problem)
{
    const struct anydnn_plugin_tensor *bias = problem->tensor[SLOT(bias)];

    return !bias || kit_count(bias->dims, bias->ndims - 1) == 1;
}

/* Returns 1 if oneDNN can do all the work, provided that the factors are 1 and 0. Its kernels turn
 * NaN into 0; if NaN must propagate, a step of our own does the work. */
static int primitive_finishes(const struct anydnn_plugin_problem *problem)
{
    const struct anydnn_plugin_matmul *params = problem->params;

    return !problem->tensor[SLOT(aux)] && has_plain_bias(problem) &&
           (params->activation == ONEDNN_IDENTITY ||
            (params->activation == ONEDNN_RELU && !params->nan_propagate));
}

static dnnl_primitive_attr_t finishing_attributes(struct onednn_build *build)
{
    const struct anydnn_plugin_matmul *params = build->problem->params;

    return params->activation == ONEDNN_IDENTITY ? build->attributes
                                                 : onednn_relu_attributes(build);
}

/* Builds the product with oneDNN's bias and ReLU. Returns 0 and adds no step if oneDNN does not do
 * all the work. */
static int build_finished(struct onednn_build *build)
{
    const struct anydnn_plugin_matmul *params = build->problem->params;
    int has_bias = build->problem->tensor[SLOT(bias)] != NULL;
    struct onednn_view bias_view = {0}, bias_float;
    onednn_layout bias_layout = NULL;
    struct onednn_argument arguments[4];
    struct product product;
    int d, count = 3;

    if (has_bias) {
        bias_view = onednn_operand(build, SLOT(bias));
        bias_float = onednn_packed(&bias_view, ANYDNN_PLUGIN_FLOAT);
        bias_layout = onednn_layout_of(build, &bias_float);
    }
    select_layouts(build, &product, bias_layout, finishing_attributes(build));
    if (!product.descriptor)
        return 1;
    if (params->activation == ONEDNN_RELU && onednn_is_gemm(product.descriptor))
        return 0;
    d = onednn_result(build, SLOT(d), &product.d, product.layouts.d);
    arguments[0] =
        (struct onednn_argument){DNNL_ARG_SRC, load(build, SLOT(a), &product.a, product.layouts.a)};
    arguments[1] = (struct onednn_argument){DNNL_ARG_WEIGHTS,
                                            load(build, SLOT(b), &product.b, product.layouts.b)};
    arguments[2] = (struct onednn_argument){DNNL_ARG_DST, d};
    if (has_bias)
        arguments[count++] = (struct onednn_argument){
            DNNL_ARG_BIAS, load(build, SLOT(bias), &bias_view, bias_layout)};
    onednn_run(build, product.descriptor, arguments, count);
    onednn_store(build, SLOT(d), &product.d, d, product.layouts.d, ANYDNN_PLUGIN_FLOAT, 0);
    return 1;
}

static void build_unfinished(struct onednn_build *build)
{
    struct product product;
    struct onednn_view r_view;
    int a, b, r;

    select_layouts(build, &product, NULL, build->attributes);
    if (!product.descriptor)
        return;
    a = load(build, SLOT(a), &product.a, product.layouts.a);
    b = load(build, SLOT(b), &product.b, product.layouts.b);
    r_view = onednn_packed(&product.d, ANYDNN_PLUGIN_FLOAT);
    r = onednn_temporary(build, product.layouts.d);
    ONEDNN_RUN(build, product.descriptor, {DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b},
               {DNNL_ARG_DST, r});
    r = onednn_reorder(build, r, product.layouts.d, onednn_layout_of(build, &r_view));
    onednn_matmul_finish(build, onednn_place_of(build, r), &r_view);
}

static void build_matmul(struct onednn_build *build)
{
    int finishes = primitive_finishes(build->problem);

    if (finishes) {
        build->when = ONEDNN_FAST;
        finishes = build_finished(build);
    }
    build->when = finishes ? ONEDNN_GENERAL : ONEDNN_BOTH;
    build_unfinished(build);
}

/* The fast mode has alpha = 1 and beta = 0, so c is unused. */
const struct onednn_operation onednn_matmul = {
    .operation = ANYDNN_PLUGIN_MATMUL,
    .types = ONEDNN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .ways = onednn_only_way,
    .way_count = 1,
    .check = check,
    .build = build_matmul,
};
