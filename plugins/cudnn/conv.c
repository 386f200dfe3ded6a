/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions: which engines are offered, under which names, and the entries of the table. */
#include "kernels.h"
#include "legacy.h"
#include "table.h"

#define SPATIAL_MAX 3

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

static int is_fused(const struct anydnn_plugin_problem *problem)
{
    return problem->operation == ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD;
}

static int is_float(const struct anydnn_plugin_problem *problem)
{
    return (CUDNN_FLOATS >> problem->tensor[0]->type & 1) != 0;
}

int32_t cudnn_convolution_make(struct anydnn_plugin_plan *plan, cudnnDataType_t compute,
                               struct cudnn_refusal *why)
{
    const struct anydnn_plugin_convolution *params = plan->problem.params;
    int pad[ANYDNN_PLUGIN_SPATIAL_MAX], stride[ANYDNN_PLUGIN_SPATIAL_MAX];
    int dilation[ANYDNN_PLUGIN_SPATIAL_MAX];
    int32_t count = cudnn_spatial(pad, params->pad, params->spatial_dims, 0);
    cudnnStatus_t status = cudnn.cudnnCreateConvolutionDescriptor(&plan->made.convolution);

    cudnn_spatial(stride, params->stride, params->spatial_dims, 1);
    cudnn_spatial(dilation, params->dilation, params->spatial_dims, 1);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetConvolutionNdDescriptor(
            plan->made.convolution, count, pad, stride, dilation,
            params->mode ? CUDNN_CROSS_CORRELATION : CUDNN_CONVOLUTION, compute);
    if (status == CUDNN_STATUS_SUCCESS && params->groups > 1)
        status = cudnn.cudnnSetConvolutionGroupCount(plan->made.convolution, (int)params->groups);
    return status == CUDNN_STATUS_SUCCESS ? 0
                                          : cudnn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                                                                status, "the convolution");
}

/* The older call, which takes factors other than 1, wants z laid out as y is, and factors are not
 * part of the problem. The engines read the bias as if it were packed. */
static int32_t check_fused(const struct anydnn_plugin_problem *problem, struct cudnn_refusal *why)
{
    if (cudnn_packed_format(problem->tensor[FUSED_BIAS]) < 0)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                            "the bias is not packed; cuDNN's fused convolution reads it packed");
    return cudnn_check_same_places(problem, FUSED_Z, FUSED_Y,
                                   "cudnnConvolutionBiasActivationForward", why);
}

static int32_t check(const struct anydnn_plugin_problem *problem, struct cudnn_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;

    if (params->spatial_dims > SPATIAL_MAX)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                            "the convolution has %d spatial dims; cuDNN takes up to %d",
                            params->spatial_dims, SPATIAL_MAX);
    if (is_fused(problem) && params->activation != CUDNN_ACTIVATION_RELU &&
        params->activation != CUDNN_ACTIVATION_IDENTITY)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                            "the activation is number %d; cuDNN fuses ReLU and the identity",
                            params->activation);
    if (is_fused(problem) && params->activation == CUDNN_ACTIVATION_RELU && params->nan_propagate)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                            "NaN shall pass the activation; cuDNN's fused ReLU makes it 0");
    return is_fused(problem) ? check_fused(problem, why) : 0;
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
                         const struct cudnn_engine *engine)
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
static void try_some(const struct anydnn_plugin_plan *plan, struct cudnn_list *list)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;
    struct cudnn_engine *least;
    int works = 0;

    for (int32_t i = 0; i < list->count && !works; i++)
        works = is_acceptable(problem, &list->engine[i]) &&
                cudnn_engine_try(&list->engine[i], plan->context->handle);
    do {
        least = NULL;
        for (int32_t i = 0; i < list->count; i++) {
            struct cudnn_engine *engine = &list->engine[i];

            if (is_acceptable(problem, engine) && engine->state != CUDNN_REFUSED &&
                (!engine->compiles || engine->state == CUDNN_WORKS) &&
                (!least || engine->workspace < least->workspace))
                least = engine;
        }
    } while (least && !cudnn_engine_try(least, plan->context->handle));
}

static int32_t offer_engine(const struct cudnn_engine *engine, int32_t algorithm,
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

static int32_t offer_names(int32_t operation, const struct cudnn_engine *engine,
                           anydnn_plugin_offer_fn offer, void *cookie)
{
    int32_t stop = 0;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && !stop; i++) {
        if (names[i].operation == operation)
            stop = offer_engine(engine, names[i].algorithm, offer, cookie);
    }
    return stop;
}

/* The engines in cuDNN's order, then the first that is no transform under its other names. */
static int32_t offer_engines(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why,
                             anydnn_plugin_offer_fn offer, void *cookie, int *offered)
{
    const struct anydnn_plugin_problem *problem = &plan->problem;
    struct cudnn_list *list = cudnn_list_of(plan, why);
    const struct cudnn_engine *named = NULL;
    int32_t stop = 0;

    if (!list)
        return why->reason;
    try_some(plan, list);
    for (int32_t i = 0; i < list->count && !stop; i++) {
        const struct cudnn_engine *engine = &list->engine[i];

        if (engine->math < 0 || engine->state == CUDNN_REFUSED ||
            !permits(problem->math, engine->math))
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
               : cudnn_refuse(why,
                              list->count ? ANYDNN_PLUGIN_REASON_MATH : ANYDNN_PLUGIN_REASON_SHAPE,
                              "cuDNN has %d engine configurations for this convolution, and "
                              "none that runs within its math mode",
                              list->count);
}

static int32_t offer_all(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why,
                         anydnn_plugin_offer_fn offer, void *cookie)
{
    struct cudnn_refusal other;
    int offered = 0;
    int32_t reason = 0;

    if (!is_float(&plan->problem))
        return cudnn_legacy_offer(plan, why, offer, cookie, &offered) && !offered ? why->reason : 0;
    reason = offer_engines(plan, why, offer, cookie, &offered);
    if (is_fused(&plan->problem))
        cudnn_legacy_offer(plan, &other, offer, cookie, &offered);
    return offered ? 0 : reason;
}

/* ------------------------------------------------------------------ plans */

static int32_t prepare(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why)
{
    int32_t reason;

    if (!cudnn_is_legacy(plan->engine))
        return cudnn_kernels_make(plan, why);
    reason = cudnn_legacy_make(plan, plan->engine, why);
    plan->workspace = plan->legacy_workspace;
    return reason;
}

static int32_t run(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    return plan->kernels ? cudnn_kernels_run(plan, call)
                         : cudnn_legacy_run(plan, call, call->operands->workspace);
}

static void release(struct anydnn_plugin_plan *plan)
{
    if (plan->kernels)
        cudnn_kernels_destroy(plan->kernels);
    plan->kernels = NULL;
}

#define INTEGERS                                                                                   \
    (CUDNN_TYPE(INT8) | CUDNN_TYPE(UINT8) | CUDNN_TYPE(INT8X4) | CUDNN_TYPE(UINT8X4) |             \
     CUDNN_TYPE(INT8X32))

#define CONVOLUTION(name, number, which, where)                                                    \
    const struct cudnn_operation name = {                                                          \
        .operation = number,                                                                       \
        .types = which,                                                                            \
        .layouts = where,                                                                          \
        .params_size = sizeof(struct anydnn_plugin_convolution),                                   \
        .function = "cuDNN's convolution",                                                         \
        .check = check,                                                                            \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .offer = offer_all,                                                                        \
        .release = release,                                                                        \
    }

CONVOLUTION(cudnn_convolution_forward, ANYDNN_PLUGIN_CONVOLUTION_FORWARD, CUDNN_FLOATS | INTEGERS,
            CUDNN_LAYOUTS_AND_VECTORS);
CONVOLUTION(cudnn_convolution_backward_data, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA, CUDNN_FLOATS,
            CUDNN_LAYOUTS);
CONVOLUTION(cudnn_convolution_backward_filter, ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER,
            CUDNN_FLOATS, CUDNN_LAYOUTS);
CONVOLUTION(cudnn_convolution_bias_activation_forward,
            ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD, CUDNN_FLOATS | INTEGERS,
            CUDNN_LAYOUTS_AND_VECTORS);
