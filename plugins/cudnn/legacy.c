/* SPDX-License-Identifier: Apache-2.0 */
/* Implements convolutions by cudnnConvolutionForward and cudnnConvolutionBiasActivationForward. */
#include "legacy.h"

#include "convolutions.h"
#include "table.h"

#include <string.h>

/* The only algorithm that supports integers, and the identity in the fused call. */
#define ALGORITHM CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM

#define PLAIN(name) slot_convolution_forward_##name
_Static_assert(KIT_SAME_SLOT(convolution_forward, convolution_bias_activation_forward, x) &&
                   KIT_SAME_SLOT(convolution_forward, convolution_bias_activation_forward, w),
               "x and w have the same slots in the plain and in the fused operation");

static int32_t output_of(const struct anydnn_plugin_plan *plan)
{
    return cdn_is_fused(&plan->problem) ? CDN_FUSED(y) : PLAIN(y);
}

static cudnnDataType_t compute_of(const struct anydnn_plugin_plan *plan)
{
    switch (plan->problem.tensor[PLAIN(x)]->type) {
    case ANYDNN_PLUGIN_DOUBLE:
        return CUDNN_DATA_DOUBLE;
    case ANYDNN_PLUGIN_FLOAT:
    case ANYDNN_PLUGIN_HALF:
    case ANYDNN_PLUGIN_BFLOAT16:
        return CUDNN_DATA_FLOAT;
    default:
        return CUDNN_DATA_INT32;
    }
}

static int32_t make_tensors(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    static const char *const role[] = {"x", "w", "z", "bias", "y"};
    int32_t reason = 0;

    for (int32_t slot = 0; slot <= output_of(plan) && !reason; slot++) {
        const struct anydnn_plugin_tensor *tensor = plan->problem.tensor[slot];

        if (slot == PLAIN(w))
            reason = cdn_filter_make(&plan->made.filter[0], tensor, "w", why);
        else if (tensor)
            reason = cdn_tensor_make(&plan->made.tensor[slot], tensor, 5,
                                     role[slot == output_of(plan) ? CDN_FUSED(y) : slot], why);
    }
    return reason;
}

int32_t cdn_legacy_make(struct anydnn_plugin_plan *plan, uint64_t engine, struct kit_refusal *why)
{
    const struct anydnn_plugin_convolution *params = plan->problem.params;
    size_t workspace = 0;
    cudnnStatus_t status;
    int32_t reason = make_tensors(plan, why);

    if (!reason)
        reason = cdn_convolution_make(plan, compute_of(plan), why);
    if (!reason && cdn_is_fused(&plan->problem))
        reason =
            cdn_activation_make(&plan->made.activation, params->activation, 0, params->coef, why);
    if (reason)
        return reason;
    status = cudnn.cudnnSetConvolutionMathType(
        plan->made.convolution, engine == CUDNN_LEGACY_FMA ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnGetConvolutionForwardWorkspaceSize(
            plan->context->handle, plan->made.tensor[PLAIN(x)], plan->made.filter[0],
            plan->made.convolution, plan->made.tensor[output_of(plan)], ALGORITHM, &workspace);
    /* cuDNN's own words are omitted here, since they vary between calls. */
    if (status != CUDNN_STATUS_SUCCESS)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                          "cuDNN rejected the convolution by implicit GEMM: %s (%d)",
                          cudnn.cudnnGetErrorString(status), (int)status);
    plan->legacy_workspace = workspace;
    return 0;
}

void cdn_legacy_drop(struct anydnn_plugin_plan *plan)
{
    struct cdn_descriptors gone = {.convolution = plan->made.convolution,
                                   .activation = plan->made.activation};

    memcpy(gone.tensor, plan->made.tensor, sizeof gone.tensor);
    memcpy(gone.filter, plan->made.filter, sizeof gone.filter);
    memset(plan->made.tensor, 0, sizeof gone.tensor);
    memset(plan->made.filter, 0, sizeof gone.filter);
    plan->made.convolution = NULL;
    plan->made.activation = NULL;
    cdn_descriptors_destroy(&gone);
}

/* Offers one engine. Its descriptors are created to check that this works, and destroyed again. */
static int32_t offer_one(struct anydnn_plugin_plan *plan, uint64_t engine, struct kit_refusal *why,
                         anydnn_plugin_offer_fn offer, void *cookie)
{
    struct anydnn_plugin_candidate candidate = {
        .struct_size = sizeof candidate,
        .engine = engine,
        .algorithm = ALGORITHM,
        .math =
            engine == CUDNN_LEGACY_FMA ? ANYDNN_PLUGIN_MATH_DEFAULT : ANYDNN_PLUGIN_MATH_TENSOR_OP,
    };
    int32_t reason;

    reason = cdn_legacy_make(plan, engine, why);
    cdn_legacy_drop(plan);
    if (reason)
        return reason;
    candidate.workspace = plan->legacy_workspace;
    offer(cookie, &candidate);
    return 0;
}

int32_t cdn_legacy_offer(struct anydnn_plugin_plan *plan, struct kit_refusal *why,
                         anydnn_plugin_offer_fn offer, void *cookie, int *offered)
{
    int32_t type = plan->problem.tensor[PLAIN(x)]->type, reason = 0;

    /* cuDNN may read float as TF32 under TENSOR_OP_MATH. */
    if (plan->problem.math != ANYDNN_PLUGIN_MATH_DEFAULT && type != ANYDNN_PLUGIN_FLOAT &&
        type != ANYDNN_PLUGIN_DOUBLE) {
        reason = offer_one(plan, CUDNN_LEGACY_TENSOR_OP, why, offer, cookie);
        *offered += !reason;
    }
    reason = offer_one(plan, CUDNN_LEGACY_FMA, why, offer, cookie);
    *offered += !reason;
    return reason;
}

static cudnnStatus_t run_fused(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                               void *workspace)
{
    static const double nothing = 0;
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;
    int has_z = desc[CDN_FUSED(z)] != NULL;

    /* cuDNN requires a tensor even if there is no z, but does not read it. The leading bytes of a
     * double 0 are a float 0. */
    return cudnn.cudnnConvolutionBiasActivationForward(
        plan->context->handle, &call->scale[0], desc[CDN_FUSED(x)], data[CDN_FUSED(x)],
        plan->made.filter[0], data[CDN_FUSED(w)], plan->made.convolution, ALGORITHM, workspace,
        (size_t)plan->legacy_workspace, has_z ? (const void *)&call->scale[1] : &nothing,
        desc[has_z ? CDN_FUSED(z) : CDN_FUSED(y)], data[has_z ? CDN_FUSED(z) : CDN_FUSED(y)],
        desc[CDN_FUSED(bias)], data[CDN_FUSED(bias)], plan->made.activation, desc[CDN_FUSED(y)],
        data[CDN_FUSED(y)]);
}

int32_t cdn_legacy_run(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                       void *workspace)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    if (cdn_is_fused(&plan->problem))
        return cdn_ran(call, run_fused(plan, call, workspace),
                       "cudnnConvolutionBiasActivationForward");
    return cdn_ran(call,
                   cudnn.cudnnConvolutionForward(
                       plan->context->handle, &call->scale[0], desc[PLAIN(x)], data[PLAIN(x)],
                       plan->made.filter[0], data[PLAIN(w)], plan->made.convolution, ALGORITHM,
                       workspace, (size_t)plan->legacy_workspace, &call->scale[1], desc[PLAIN(y)],
                       data[PLAIN(y)]),
                   "cudnnConvolutionForward");
}
