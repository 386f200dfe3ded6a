/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions: which engines are offered, under which names, and the entries of the table. */
#include "convolutions.h"
#include "kernels.h"
#include "legacy.h"
#include "table.h"

/* Slots of the fused operation. */
enum { FUSED_Z = 2, FUSED_BIAS = 3, FUSED_Y = 4 };

/* cuDNN's other numbers for algorithms that are neither transforms nor refused: names, since cuDNN
 * 8, of the same engines. */
static const struct {
    int32_t operation;
    int32_t algorithm;
} names[] = {
    {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM},
    {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, CUDNN_CONVOLUTION_FWD_ALGO_GEMM},
    {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM},
    {ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, CUDNN_CONVOLUTION_FWD_ALGO_GEMM},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0},
    {ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3},
};

int32_t cdn_convolution_make(struct anydnn_plugin_plan *plan, cudnnDataType_t compute,
                             struct kit_refusal *why)
{
    const struct anydnn_plugin_convolution *params = plan->problem.params;
    int pad[ANYDNN_PLUGIN_SPATIAL_MAX], stride[ANYDNN_PLUGIN_SPATIAL_MAX];
    int dilation[ANYDNN_PLUGIN_SPATIAL_MAX];
    int32_t count = cdn_spatial(pad, params->pad, params->spatial_dims, 0);
    cudnnStatus_t status = cudnn.cudnnCreateConvolutionDescriptor(&plan->made.convolution);

    cdn_spatial(stride, params->stride, params->spatial_dims, 1);
    cdn_spatial(dilation, params->dilation, params->spatial_dims, 1);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetConvolutionNdDescriptor(
            plan->made.convolution, count, pad, stride, dilation,
            params->mode ? CUDNN_CROSS_CORRELATION : CUDNN_CONVOLUTION, compute);
    if (status == CUDNN_STATUS_SUCCESS && params->groups > 1)
        status = cudnn.cudnnSetConvolutionGroupCount(plan->made.convolution, (int)params->groups);
    return status == CUDNN_STATUS_SUCCESS
               ? 0
               : cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER, status, "the convolution");
}

/* ------------------------------------------------------------------ offers */

static int permits(int32_t permission, int32_t used)
{
    return used == ANYDNN_PLUGIN_MATH_DEFAULT || used == permission ||
           (used == ANYDNN_PLUGIN_MATH_TENSOR_OP &&
            (permission == ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION ||
             permission == ANYDNN_PLUGIN_MATH_SPLIT));
}

/* What the host would take, as far as the problem tells. */
static int is_acceptable(const struct anydnn_plugin_problem *problem,
                         const struct cdn_engine *engine)
{
    return engine->math >= 0 && permits(problem->math, engine->math) &&
           !((engine->notes & ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC) && problem->deterministic) &&
           (!(engine->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM) ||
            engine->algorithm == problem->algorithm);
}

/*
 * cuDNN's heuristics also propose what it then refuses, and a plan tells. Two are made before
 * anything is offered: of the first proposal that works, and of the one with the least workspace.
 */
static void try_some(const struct anydnn_plugin_plan *plan, struct cdn_list *list)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;
    struct cdn_engine *least;
    int works = 0;

    for (int32_t i = 0; i < list->count && !works; i++)
        works = is_acceptable(problem, &list->engine[i]) &&
                cdn_engine_try(&list->engine[i], plan->context->handle);
    do {
        least = NULL;
        for (int32_t i = 0; i < list->count; i++) {
            struct cdn_engine *engine = &list->engine[i];

            if (is_acceptable(problem, engine) && engine->state != CUDNN_REFUSED &&
                (!engine->compiles || engine->state == CUDNN_WORKS) &&
                (!least || engine->workspace < least->workspace))
                least = engine;
        }
    } while (least && !cdn_engine_try(least, plan->context->handle));
}

static int32_t offer_engine(const struct cdn_engine *engine, int32_t algorithm,
                            anydnn_plugin_offer_fn offer, void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof candidate,
        .engine = engine->number,
        .algorithm = algorithm,
        .math = engine->math,
        .workspace = engine->workspace,
        .notes = engine->notes,
    };

    return offer(cookie, &candidate);
}

static int32_t offer_names(int32_t operation, const struct cdn_engine *engine,
                           anydnn_plugin_offer_fn offer, void *cookie)
{
    int32_t stop = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && !stop; i++) {
        if (names[i].operation == operation)
            stop = offer_engine(engine, names[i].algorithm, offer, cookie);
    }
    return stop;
}

/* Integers take engines that do not round, and of those whose kernels cuDNN compiles when the plan
 * is made only what compiled already: the compiler was seen to refuse one, convolution_forward
 * x=s8:2,5,7,9:91,183,11,1 w=s8:6,5,3,4:nchw y=s8:2,6,7,10:99,199,12,1 pad=1,2 compute=s32
 * math=allow_conversion. */
static int suits_integers(const struct cdn_engine *engine)
{
    return !(engine->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM) &&
           (!engine->compiles || engine->state == CUDNN_WORKS);
}

/* Engines of the fused graph know no factors but 1, and an offer holds for all: what the older
 * call, which takes others, refuses is declined. */
static int32_t check_factors(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    uint64_t engine = plan->problem.math == ANYDNN_PLUGIN_MATH_DEFAULT ? CUDNN_LEGACY_FMA
                                                                       : CUDNN_LEGACY_TENSOR_OP;
    int32_t reason;

    if (!cdn_is_fused(&plan->problem))
        return 0;
    reason = cdn_legacy_make(plan, engine, why);
    cdn_legacy_drop(plan);
    return reason;
}

/* The engines in cuDNN's order, then the first that is no transform under its other names. */
static int32_t offer_engines(struct anydnn_plugin_plan *plan, struct kit_refusal *why,
                             anydnn_plugin_offer_fn offer, void *cookie, int *offered)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;
    struct cdn_list *list = cdn_list_of(plan, why);
    const struct cdn_engine *named = NULL;
    int32_t stop = 0, integers = plan->engine == CUDNN_BY_FLOAT;

    if (!list || check_factors(plan, why))
        return why->reason;
    try_some(plan, list);
    for (int32_t i = 0; i < list->count && !stop; i++) {
        const struct cdn_engine *engine = &list->engine[i];

        if (engine->math < 0 || engine->state == CUDNN_REFUSED ||
            !permits(problem->math, engine->math) || (integers && !suits_integers(engine)))
            continue;
        stop = offer_engine(engine, engine->algorithm, offer, cookie);
        (*offered)++;
        if (!named && engine->state == CUDNN_WORKS && is_acceptable(problem, engine) &&
            !(engine->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM))
            named = engine;
    }
    if (named && !stop)
        offer_names(problem->operation, named, offer, cookie);
    return *offered
               ? 0
               : kit_refuse(why,
                            list->count ? ANYDNN_PLUGIN_REASON_MATH : ANYDNN_PLUGIN_REASON_SHAPE,
                            "cuDNN has %d engine configurations for this convolution, and "
                            "none that runs within its math mode",
                            list->count);
}

/* By the engines of float, where that is exact. */
static void offer_by_float(const struct anydnn_plugin_plan *plan, anydnn_plugin_offer_fn offer,
                           void *cookie, int *offered)
{
    struct kit_refusal why;
    struct anydnn_plugin_plan *wide = cdn_is_exact(&plan->problem)
                                          ? cdn_plan_like(plan, CUDNN_BY_FLOAT, CDN_CALLERS, &why)
                                          : NULL;

    if (!wide)
        return;
    if (cdn_is_float(&wide->problem) && cdn_moves_make(wide, &why) == 0)
        offer_engines(wide, &why, offer, cookie, offered);
    cdn_plan_destroy(wide);
}

static int32_t offer_all(struct anydnn_plugin_plan *plan, struct kit_refusal *why,
                         anydnn_plugin_offer_fn offer, void *cookie)
{
    struct kit_refusal other;
    int offered = 0;
    int32_t reason = cdn_moves_make(plan, why);

    if (reason)
        return reason;
    if (!cdn_is_float(&plan->problem)) {
        reason = cdn_legacy_offer(plan, why, offer, cookie, &offered);
        if (!offered)
            offer_by_float(plan, offer, cookie, &offered);
        return offered ? 0 : reason;
    }
    reason = offer_engines(plan, why, offer, cookie, &offered);
    if (cdn_is_fused(&plan->problem))
        cdn_legacy_offer(plan, &other, offer, cookie, &offered);
    return offered ? 0 : reason;
}

/* ------------------------------------------------------------------ plans */

/* The first engine that runs within default math; those that compile after all others, since
 * compiling was seen to fail the second time. */
static int32_t choose(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    struct cdn_list *list = cdn_list_of(plan, why);
    int32_t count;

    if (!list)
        return why->reason;
    plan->problem.math = ANYDNN_PLUGIN_MATH_DEFAULT;
    count = list->count;
    for (int32_t i = 0; i < 2 * count; i++) {
        struct cdn_engine *engine = &list->engine[i % count];

        if (engine->compiles == (i >= count) && is_acceptable(&plan->problem, engine) &&
            !(engine->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM) &&
            cdn_engine_try(engine, plan->context->handle)) {
            plan->engine = engine->number;
            return 0;
        }
    }
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_MATH,
                      "cuDNN has no engine for this convolution of float in default math");
}

static int32_t make_behind(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    int32_t reason = cdn_activation_make(&plan->made.behind, plan->behind.mode,
                                         plan->behind.nan_propagate, plan->behind.coef, why);

    return reason ? reason
                  : cdn_tensor_make(&plan->made.behind_y, plan->problem.tensor[FUSED_Y],
                                    CDN_USUAL_DIMS, "y", why);
}

static int32_t prepare(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    int32_t reason = 0;

    if (plan->engine == CUDNN_BY_FLOAT)
        reason = choose(plan, why);
    if (!reason && plan->behind.is_there)
        reason = make_behind(plan, why);
    if (!reason && !cdn_is_legacy(plan->engine))
        return cdn_kernels_make(plan, why);
    if (!reason)
        reason = cdn_legacy_make(plan, plan->engine, why);
    plan->workspace = plan->legacy_workspace;
    return reason;
}

static int32_t run(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    int32_t status = plan->kernels ? cdn_kernels_run(plan, call)
                                   : cdn_legacy_run(plan, call, call->operands->workspace);
    cudnnTensorDescriptor_t desc = plan->made.behind_y;
    void *y = call->operands->data[FUSED_Y];

    if (status || !plan->behind.is_there)
        return status;
    return cdn_ran(call,
                   cudnn.cudnnActivationForward(plan->context->handle, plan->made.behind,
                                                cdn_number(plan, CDN_ONE), desc, y,
                                                cdn_number(plan, CDN_ZERO), desc, y),
                   "cudnnActivationForward");
}

static void release(struct anydnn_plugin_plan *plan)
{
    if (plan->kernels)
        cdn_kernels_destroy(plan->kernels);
    plan->kernels = NULL;
}

#define INTEGERS                                                                                   \
    (CDN_TYPE(INT8) | CDN_TYPE(UINT8) | CDN_TYPE(INT8X4) | CDN_TYPE(UINT8X4) | CDN_TYPE(INT8X32))

#define CONVOLUTION(name, number, which, where)                                                    \
    const struct cdn_operation name = {                                                            \
        .operation = number,                                                                       \
        .types = which,                                                                            \
        .layouts = where,                                                                          \
        .function = "cuDNN's convolution",                                                         \
        .arrange = cdn_arrange_convolution,                                                        \
        .check = cdn_check_convolution,                                                            \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .offer = offer_all,                                                                        \
        .release = release,                                                                        \
    }

CONVOLUTION(cdn_convolution_forward, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, CDN_FLOATS | INTEGERS,
            CDN_LAYOUTS_AND_VECTORS);
CONVOLUTION(cdn_convolution_backward_data, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, CDN_FLOATS,
            KIT_LAYOUTS);
CONVOLUTION(cdn_convolution_backward_filter, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER, CDN_FLOATS,
            KIT_LAYOUTS);
CONVOLUTION(cdn_convolution_bias_activation_forward,
            ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, CDN_FLOATS | INTEGERS,
            CDN_LAYOUTS_AND_VECTORS);
