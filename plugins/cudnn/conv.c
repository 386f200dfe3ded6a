/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the plans of convolutions and their table entries. */
#include "convolutions.h"
#include "kernels.h"
#include "legacy.h"
#include "table.h"

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

/* ------------------------------------------------------------------ plans */

/* Chooses the first engine that runs within default math. Engines that compile come last, since
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

        if (engine->compiles == (i >= count) && cdn_is_acceptable(&plan->problem, engine) &&
            !(engine->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM) &&
            cdn_engine_try(engine, plan->context->handle)) {
            plan->engine = engine->number;
            return 0;
        }
    }
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_MATH,
                      "cuDNN has no engine for this float convolution in default math");
}

static int32_t make_behind(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    int32_t reason = cdn_activation_make(&plan->made.behind, plan->behind.mode,
                                         plan->behind.nan_propagate, plan->behind.coef, why);

    return reason ? reason
                  : cdn_tensor_make(&plan->made.behind_y, plan->problem.tensor[CDN_FUSED(y)],
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
    void *y = call->operands->data[CDN_FUSED(y)];

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
        .offer = cdn_offer_convolution,                                                            \
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
