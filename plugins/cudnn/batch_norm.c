/* SPDX-License-Identifier: Apache-2.0 */
/* Implements batch normalization with cuDNN: training, inference and backward. */
#include "table.h"

/* Arranges the operands. In cuDNN, the parameters share a descriptor and are packed; in mode
 * per-activation they are in NCHW order, whatever x's layout is. cuDNN guarantees nothing in place,
 * so inputs on which the output lies are moved. */
static void arrange(struct anydnn_plugin_plan *plan, uint32_t parameters, int32_t out)
{
    const struct anydnn_plugin_batch_normalization *params = plan->problem.params;
    const uint8_t *alias = plan->problem.alias;
    int32_t first = alias[out] - 1;

    if (params->mode == CUDNN_BATCHNORM_PER_ACTIVATION)
        cdn_pack_rows(plan, parameters);
    else
        cdn_agree(plan, parameters, 1);
    for (int32_t in = 0; in < ANYDNN_PLUGIN_OPERAND_MAX; in++) {
        int format;

        if (in != first && alias[in] != out + 1)
            continue;
        format = cdn_packed_format(&plan->copies.tensor[in]);
        cdn_move(plan, in, format < 0 ? CUDNN_TENSOR_NCHW : format, plan->copies.tensor[in].type);
    }
}

static void arrange_inference(struct anydnn_plugin_plan *plan)
{
    arrange(plan, 0x1e, 5);
}

static void arrange_training(struct anydnn_plugin_plan *plan)
{
    arrange(plan, 0x1b6, 6);
}

static void arrange_backward(struct anydnn_plugin_plan *plan)
{
    arrange(plan, 0xc78, 8);
}

static int32_t check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_batch_normalization *params = problem->params;

    if (params->ops != 0)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "normalization with activation fills a reserve, but cuDNN's format of it "
                          "differs from anydnn's");
    return 0;
}

/* Refuses means of a single value. The normalized x is then 0, and y is the bias alone. cuDNN's
 * form y = a x + b cancels: for 33 channels of one value each and epsilon 1e-5, the error
 * is 1.6e-5. Summing x - mean would be exact. */
static int32_t check_training(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_batch_normalization *params = problem->params;
    const struct anydnn_plugin_tensor *x = problem->tensor[0];
    int64_t values = x->dims[0];

    for (int32_t d = 2; d < x->ndims && params->mode != CUDNN_BATCHNORM_PER_ACTIVATION; d++)
        values *= x->dims[d];
    if (values == 1)
        return kit_refuse(
            why, ANYDNN_PLUGIN_REASON_SHAPE,
            "each mean is that of one value; cuDNN's error then grows with the size of x");
    return check(problem, why);
}

static int32_t run_inference(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const struct anydnn_plugin_batch_normalization *params = plan->problem.params;
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnBatchNormalizationForwardInference(
                       plan->context->handle, (cudnnBatchNormMode_t)params->mode, &call->scale[0],
                       &call->scale[1], desc[0], data[0], desc[5], data[5], desc[1], data[1],
                       data[2], data[3], data[4], params->epsilon),
                   plan->operation->function);
}

static int32_t run_training(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const struct anydnn_plugin_batch_normalization *params = plan->problem.params;
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnBatchNormalizationForwardTraining(
                       plan->context->handle, (cudnnBatchNormMode_t)params->mode, &call->scale[0],
                       &call->scale[1], desc[0], data[0], desc[6], data[6], desc[1], data[1],
                       data[2], call->operands->number[0], data[4], data[5], params->epsilon,
                       data[7], data[8]),
                   plan->operation->function);
}

static int32_t run_backward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const struct anydnn_plugin_batch_normalization *params = plan->problem.params;
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnBatchNormalizationBackward(
                       plan->context->handle, (cudnnBatchNormMode_t)params->mode, &call->scale[0],
                       &call->scale[1], &call->scale[2], &call->scale[3], desc[0], data[0], desc[1],
                       data[1], desc[8], data[8], desc[3], data[3], data[10], data[11],
                       params->epsilon, data[5], data[6]),
                   plan->operation->function);
}

const struct cdn_operation cdn_batch_normalization_inference = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE,
    .types = CDN_FLOATS | CDN_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .tensors = 0x23,
    .function = "cudnnBatchNormalizationForwardInference",
    .arrange = arrange_inference,
    .check = check,
    .run = run_inference,
};

const struct cdn_operation cdn_batch_normalization_training = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = 0x43,
    .function = "cudnnBatchNormalizationForwardTraining",
    .arrange = arrange_training,
    .check = check_training,
    .run = run_training,
};

const struct cdn_operation cdn_batch_normalization_backward = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = 0x10b,
    .function = "cudnnBatchNormalizationBackward",
    .arrange = arrange_backward,
    .check = check,
    .run = run_backward,
};
