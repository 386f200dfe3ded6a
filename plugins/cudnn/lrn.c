/* SPDX-License-Identifier: Apache-2.0 */
/* Implements LRN with cuDNN, forward, and divisive normalization, forward and backward. */
#include "table.h"

#include <string.h>

#define LRN(name)      slot_lrn_forward_##name
#define FORWARD(name)  slot_divisive_normalization_forward_##name
#define BACKWARD(name) slot_divisive_normalization_backward_##name

/* ------------------------------------------------------------------ LRN, divisive normalization */

static int32_t prepare_lrn(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_lrn *params = plan->problem.params;
    cudnnStatus_t status = cudnn.cudnnCreateLRNDescriptor(&plan->made.lrn);

    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetLRNDescriptor(plan->made.lrn, (unsigned)params->n, params->alpha,
                                             params->beta, params->k);
    return status == CUDNN_STATUS_SUCCESS
               ? 0
               : cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER, status,
                                   "the normalization's n, alpha, beta or k");
}

/* Arranges the operands. cuDNN has no LRN of bfloat16, and with three spatial dims its kernels
 * require packed NCHW. */
static void arrange_lrn(struct anydnn_plugin_plan *plan)
{
    cdn_widen(plan, CDN_ALL_SLOTS, CDN_TYPE(BFLOAT16));
    for (int32_t slot = LRN(x); slot <= LRN(y); slot++) {
        if (plan->copies.tensor[slot].ndims > 4 &&
            cdn_packed_format(&plan->copies.tensor[slot]) != CUDNN_TENSOR_NCHW)
            cdn_move(plan, slot, CUDNN_TENSOR_NCHW, plan->copies.tensor[slot].type);
    }
}

static int32_t run_lrn_forward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnLRNCrossChannelForward(plan->context->handle, plan->made.lrn,
                                                     CUDNN_LRN_CROSS_CHANNEL_DIM1, &call->scale[0],
                                                     desc[LRN(x)], data[LRN(x)], &call->scale[1],
                                                     desc[LRN(y)], data[LRN(y)]),
                   plan->operation->function);
}

const struct cdn_operation cdn_lrn_forward = {
    .operation = ANYDNN_PLUGIN_LRN_FORWARD,
    .types = CDN_FLOATS | CDN_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnLRNCrossChannelForward",
    .arrange = arrange_lrn,
    .prepare = prepare_lrn,
    .run = run_lrn_forward,
};

/* Arranges the operands. One descriptor describes all operands but the output. For short types,
 * cuDNN rounds intermediate values to 16 bits in `temp` and `temp2`. */
static void arrange_divisive(struct anydnn_plugin_plan *plan)
{
    cdn_widen(plan, CDN_ALL_SLOTS, CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16));
    cdn_agree(plan, CDN_ALL_SLOTS, 0);
}

_Static_assert(KIT_SAME_SLOT(divisive_normalization_forward, divisive_normalization_backward, x),
               "both directions share prepare_divisive");

/* Multiplies alpha by n for each missing spatial dim. cuDNN divides alpha by n for each of at least
 * two spatial dims. */
static int32_t prepare_divisive(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    struct anydnn_plugin_lrn *params = &plan->copies.params.lrn;

    for (int32_t ndims = plan->copies.tensor[FORWARD(x)].ndims; ndims < 4; ndims++)
        params->alpha *= params->n;
    return prepare_lrn(plan, why);
}

static int32_t check_divisive_backward(const struct anydnn_plugin_problem *problem,
                                       struct kit_refusal *why)
{
    const struct anydnn_plugin_lrn *params = problem->params;

    if (params->n % 2 == 0)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "n is %d; for an even n cuDNN does not compute the gradient: it sums "
                          "over the element's own window instead of the windows that contain it",
                          params->n);
    return 0;
}

_Static_assert(BACKWARD(dmeans) == BACKWARD(dx) + 1, "the outputs are a range of slots");

/* Returns the range of outputs: y forward; dx and the optional dmeans backward. */
static void outputs_of(const struct anydnn_plugin_plan *plan, int32_t *first, int32_t *last)
{
    int forward = plan->problem.operation == ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD;

    *first = forward ? FORWARD(y) : BACKWARD(dx);
    *last = !forward && plan->problem.tensor[BACKWARD(dmeans)] ? BACKWARD(dmeans) : *first;
}

static int32_t divide(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                      const void *alpha, const void *beta, void *const *data)
{
    cudnnHandle_t handle = plan->context->handle;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;
    cudnnLRNDescriptor_t lrn = plan->made.lrn;
    cudnnStatus_t status =
        plan->problem.operation == ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD
            ? cudnn.cudnnDivisiveNormalizationForward(
                  handle, lrn, CUDNN_DIVNORM_PRECOMPUTED_MEANS, alpha, desc[FORWARD(x)],
                  data[FORWARD(x)], data[FORWARD(means)], data[FORWARD(temp)], data[FORWARD(temp2)],
                  beta, desc[FORWARD(y)], data[FORWARD(y)])
            : cudnn.cudnnDivisiveNormalizationBackward(
                  handle, lrn, CUDNN_DIVNORM_PRECOMPUTED_MEANS, alpha, desc[BACKWARD(x)],
                  data[BACKWARD(x)], data[BACKWARD(means)], data[BACKWARD(dy)],
                  data[BACKWARD(temp)], data[BACKWARD(temp2)], beta, desc[BACKWARD(dx)],
                  data[BACKWARD(dx)], data[BACKWARD(dmeans)]);

    return cdn_ran(call, status, plan->operation->function);
}

/* Runs with the factors 1 and 0, and blends with a transform. cuDNN ignores some factors. */
static int32_t divide_and_blend(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *data[ANYDNN_PLUGIN_OPERAND_MAX], *scratch = NULL;
    int32_t first, last, dropped, status, device = plan->context->device;
    cudnnTensorDescriptor_t desc;
    size_t bytes;

    outputs_of(plan, &first, &last);
    desc = plan->made.tensor[first];
    bytes = cdn_copy_bytes(&plan->copies.tensor[first]);
    status = cuda_scratch_take(device, call->stream, bytes * (size_t)(last - first + 1), &scratch);
    if (status)
        return status;
    memcpy(data, call->operands->data, sizeof data);
    for (int32_t slot = first; slot <= last; slot++)
        data[slot] = (char *)scratch + bytes * (size_t)(slot - first);
    status = divide(plan, call, cdn_number(plan, CDN_ONE), cdn_number(plan, CDN_ZERO), data);
    /* temp and temp2 of the caller, which cuDNN writes too, are scratch memory. */
    cdn_wrote_scratch(call, status);
    for (int32_t slot = first; slot <= last && !status; slot++)
        status = cdn_ran(call,
                         cudnn.cudnnTransformTensor(plan->context->handle, &call->scale[0], desc,
                                                    data[slot], &call->scale[1], desc,
                                                    call->operands->data[slot]),
                         "cudnnTransformTensor");
    dropped = cuda_scratch_drop(device, call->stream, scratch);
    return status ? status : dropped;
}

static int32_t run_divisive(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    if (call->operands->scale[1] != 0)
        return divide_and_blend(plan, call);
    return divide(plan, call, &call->scale[0], &call->scale[1], call->operands->data);
}

const struct cdn_operation cdn_divisive_normalization_forward = {
    .operation = ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = 1 << FORWARD(x) | 1 << FORWARD(y),
    .function = "cudnnDivisiveNormalizationForward",
    .arrange = arrange_divisive,
    .prepare = prepare_divisive,
    .run = run_divisive,
};

const struct cdn_operation cdn_divisive_normalization_backward = {
    .operation = ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = 1 << BACKWARD(x) | 1 << BACKWARD(dx),
    .function = "cudnnDivisiveNormalizationBackward",
    .arrange = arrange_divisive,
    .check = check_divisive_backward,
    .prepare = prepare_divisive,
    .run = run_divisive,
};
