/* SPDX-License-Identifier: Apache-2.0 */
/* LRN, divisive normalization and batch normalization. */
#include "table.h"

/* ------------------------------------------------------------------ LRN, divisive normalization */

static int32_t prepare_lrn(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why)
{
    const struct anydnn_plugin_lrn *params = plan->problem.params;
    cudnnStatus_t status = cudnn.cudnnCreateLRNDescriptor(&plan->made.lrn);

    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetLRNDescriptor(plan->made.lrn, (unsigned)params->n, params->alpha,
                                             params->beta, params->k);
    return status == CUDNN_STATUS_SUCCESS
               ? 0
               : cudnn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER, status,
                                     "the normalization's n, alpha, beta or k");
}

/* With three spatial dims cuDNN's kernels take packed rows only. */
static int32_t check_lrn(const struct anydnn_plugin_problem *problem, struct cudnn_refusal *why)
{
    for (int32_t slot = 0; slot < 2; slot++) {
        const struct anydnn_plugin_tensor *tensor = problem->tensor[slot];

        if (tensor && tensor->ndims > 4 && cudnn_packed_format(tensor) != CUDNN_TENSOR_NCHW)
            return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                                "operand %d has 5 dims and is not packed with rows first; cuDNN's "
                                "LRN takes 5 dims no other way",
                                slot);
    }
    return 0;
}

static int32_t run_lrn_forward(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cudnn_ran(call,
                     cudnn.cudnnLRNCrossChannelForward(
                         plan->context->handle, plan->made.lrn, CUDNN_LRN_CROSS_CHANNEL_DIM1,
                         &call->scale[0], desc[0], data[0], &call->scale[1], desc[1], data[1]),
                     plan->operation->function);
}

const struct cudnn_operation cudnn_lrn_forward = {
    .operation = ANYDNN_PLUGIN_LRN_FORWARD,
    .types = CUDNN_REALS | CUDNN_TYPE(INT8),
    .layouts = CUDNN_LAYOUTS,
    .params_size = sizeof(struct anydnn_plugin_lrn),
    .tensors = 0x3,
    .function = "cudnnLRNCrossChannelForward",
    .check = check_lrn,
    .prepare = prepare_lrn,
    .run = run_lrn_forward,
};

/* One descriptor stands for several operands. */
static int32_t check_shared(const struct anydnn_plugin_problem *problem, uint32_t slots,
                            struct cudnn_refusal *why)
{
    const struct anydnn_plugin_tensor *first = NULL;

    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = problem->tensor[slot];

        if (!tensor || !(slots >> slot & 1))
            continue;
        if (first && !cudnn_same_places(first, tensor))
            return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                                "operand %d has other strides than an operand that it shares a "
                                "descriptor with in cuDNN",
                                slot);
        first = first ? first : tensor;
    }
    return 0;
}

/* A spatial dim of 1 more would divide alpha by n once more. */
static int32_t check_divisive(const struct anydnn_plugin_problem *problem, uint32_t slots,
                              struct cudnn_refusal *why)
{
    if (problem->tensor[0]->ndims < 4)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                            "x has %d dims; cuDNN's divisive normalization has two or three "
                            "spatial ones",
                            problem->tensor[0]->ndims);
    return check_shared(problem, slots, why);
}

static int32_t check_divisive_forward(const struct anydnn_plugin_problem *problem,
                                      struct cudnn_refusal *why)
{
    return check_divisive(problem, 0x1f, why);
}

static int32_t check_divisive_backward(const struct anydnn_plugin_problem *problem,
                                       struct cudnn_refusal *why)
{
    const struct anydnn_plugin_lrn *params = problem->params;

    if (params->n % 2 == 0)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                            "n is %d; for an even n cuDNN sums over the element's own window, not "
                            "over the windows that hold it, which is not the gradient",
                            params->n);
    return check_divisive(problem, 0x7f, why);
}

static int32_t run_divisive_forward(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cudnn_ran(call,
                     cudnn.cudnnDivisiveNormalizationForward(
                         plan->context->handle, plan->made.lrn, CUDNN_DIVNORM_PRECOMPUTED_MEANS,
                         &call->scale[0], desc[0], data[0], data[1], data[2], data[3],
                         &call->scale[1], desc[4], data[4]),
                     plan->operation->function);
}

static int32_t run_divisive_backward(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cudnn_ran(call,
                     cudnn.cudnnDivisiveNormalizationBackward(
                         plan->context->handle, plan->made.lrn, CUDNN_DIVNORM_PRECOMPUTED_MEANS,
                         &call->scale[0], desc[0], data[0], data[1], data[2], data[3], data[4],
                         &call->scale[1], desc[5], data[5], data[6]),
                     plan->operation->function);
}

/* Of half cuDNN rounds what lies between to 16 bits, in `temp` and `temp2`. */
#define DIVISIVE_TYPES (CUDNN_TYPE(FLOAT) | CUDNN_TYPE(DOUBLE))

const struct cudnn_operation cudnn_divisive_normalization_forward = {
    .operation = ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD,
    .types = DIVISIVE_TYPES,
    .layouts = CUDNN_LAYOUTS,
    .params_size = sizeof(struct anydnn_plugin_lrn),
    .tensors = 0x11,
    .function = "cudnnDivisiveNormalizationForward",
    .check = check_divisive_forward,
    .prepare = prepare_lrn,
    .run = run_divisive_forward,
};

const struct cudnn_operation cudnn_divisive_normalization_backward = {
    .operation = ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD,
    .types = DIVISIVE_TYPES,
    .layouts = CUDNN_LAYOUTS,
    .params_size = sizeof(struct anydnn_plugin_lrn),
    .tensors = 0x21,
    .function = "cudnnDivisiveNormalizationBackward",
    .check = check_divisive_backward,
    .prepare = prepare_lrn,
    .run = run_divisive_backward,
};

/* ------------------------------------------------------------------ batch normalization */

static int32_t check_batch_normalization(const struct anydnn_plugin_problem *problem,
                                         uint32_t parameters, struct cudnn_refusal *why)
{
    const struct anydnn_plugin_batch_normalization *params = problem->params;

    if (params->ops != 0)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                            "normalization with activation keeps a reserve, and cuDNN's is in a "
                            "format of its own, not anydnn's");
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        if ((parameters >> slot & 1) && problem->tensor[slot] &&
            cudnn_packed_format(problem->tensor[slot]) < 0)
            return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                                "operand %d, a parameter, is not packed; cuDNN takes packed "
                                "parameters",
                                slot);
    }
    return check_shared(problem, parameters, why);
}

static int32_t check_alias(const struct anydnn_plugin_problem *problem, int32_t out,
                           struct cudnn_refusal *why)
{
    if (problem->alias[out])
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS,
                            "operand %d lies on operand %d; cuDNN does not promise batch "
                            "normalization in place",
                            out, problem->alias[out] - 1);
    return 0;
}

static int32_t check_inference(const struct anydnn_plugin_problem *problem,
                               struct cudnn_refusal *why)
{
    int32_t reason = check_alias(problem, 5, why);

    return reason ? reason : check_batch_normalization(problem, 0x1e, why);
}

static int32_t check_training(const struct anydnn_plugin_problem *problem,
                              struct cudnn_refusal *why)
{
    int32_t reason = check_alias(problem, 6, why);

    return reason ? reason : check_batch_normalization(problem, 0x1b6, why);
}

static int32_t check_backward(const struct anydnn_plugin_problem *problem,
                              struct cudnn_refusal *why)
{
    const struct anydnn_plugin_batch_normalization *params = problem->params;
    int32_t reason = check_alias(problem, 8, why);

    if (!reason && params->mode == CUDNN_BATCHNORM_PER_ACTIVATION &&
        problem->tensor[0]->type == ANYDNN_PLUGIN_DOUBLE)
        reason = cudnn_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                              "x is double, normalized per activation; cuDNN's gradient has more "
                              "rounding error there than double sums explain");
    return reason ? reason : check_batch_normalization(problem, 0xc78, why);
}

static int32_t run_inference(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    const struct anydnn_plugin_batch_normalization *params = plan->problem.params;
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cudnn_ran(call,
                     cudnn.cudnnBatchNormalizationForwardInference(
                         plan->context->handle, (cudnnBatchNormMode_t)params->mode, &call->scale[0],
                         &call->scale[1], desc[0], data[0], desc[5], data[5], desc[1], data[1],
                         data[2], data[3], data[4], params->epsilon),
                     plan->operation->function);
}

static int32_t run_training(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    const struct anydnn_plugin_batch_normalization *params = plan->problem.params;
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cudnn_ran(call,
                     cudnn.cudnnBatchNormalizationForwardTraining(
                         plan->context->handle, (cudnnBatchNormMode_t)params->mode, &call->scale[0],
                         &call->scale[1], desc[0], data[0], desc[6], data[6], desc[1], data[1],
                         data[2], call->operands->number[0], data[4], data[5], params->epsilon,
                         data[7], data[8]),
                     plan->operation->function);
}

static int32_t run_backward(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    const struct anydnn_plugin_batch_normalization *params = plan->problem.params;
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cudnn_ran(call,
                     cudnn.cudnnBatchNormalizationBackward(
                         plan->context->handle, (cudnnBatchNormMode_t)params->mode, &call->scale[0],
                         &call->scale[1], &call->scale[2], &call->scale[3], desc[0], data[0],
                         desc[1], data[1], desc[8], data[8], desc[3], data[3], data[10], data[11],
                         params->epsilon, data[5], data[6]),
                     plan->operation->function);
}

const struct cudnn_operation cudnn_batch_normalization_inference = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE,
    .types = CUDNN_FLOATS | CUDNN_TYPE(INT8),
    .layouts = CUDNN_LAYOUTS,
    .params_size = sizeof(struct anydnn_plugin_batch_normalization),
    .tensors = 0x23,
    .function = "cudnnBatchNormalizationForwardInference",
    .check = check_inference,
    .run = run_inference,
};

const struct cudnn_operation cudnn_batch_normalization_training = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING,
    .types = CUDNN_FLOATS,
    .layouts = CUDNN_LAYOUTS,
    .params_size = sizeof(struct anydnn_plugin_batch_normalization),
    .tensors = 0x43,
    .function = "cudnnBatchNormalizationForwardTraining",
    .check = check_training,
    .run = run_training,
};

const struct cudnn_operation cudnn_batch_normalization_backward = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD,
    .types = CUDNN_FLOATS,
    .layouts = CUDNN_LAYOUTS,
    .params_size = sizeof(struct anydnn_plugin_batch_normalization),
    .tensors = 0x10b,
    .function = "cudnnBatchNormalizationBackward",
    .check = check_backward,
    .run = run_backward,
};
