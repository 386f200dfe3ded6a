/* SPDX-License-Identifier: Apache-2.0 */
/* Implements batch normalization with cuDNN: training, inference and backward. */
#include "table.h"

#define INFERENCE(name) slot_batch_normalization_inference_##name
#define TRAINING(name)  slot_batch_normalization_training_##name
#define BACKWARD(name)  slot_batch_normalization_backward_##name

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
    arrange(plan,
            1 << INFERENCE(scale) | 1 << INFERENCE(bias) | 1 << INFERENCE(mean) |
                1 << INFERENCE(var),
            INFERENCE(y));
}

static void arrange_training(struct anydnn_plugin_plan *plan)
{
    arrange(plan,
            1 << TRAINING(scale) | 1 << TRAINING(bias) | 1 << TRAINING(running_mean) |
                1 << TRAINING(running_var) | 1 << TRAINING(save_mean) | 1 << TRAINING(save_inv_var),
            TRAINING(y));
}

static void arrange_backward(struct anydnn_plugin_plan *plan)
{
    arrange(plan,
            1 << BACKWARD(scale) | 1 << BACKWARD(bias) | 1 << BACKWARD(save_mean) |
                1 << BACKWARD(save_inv_var) | 1 << BACKWARD(dscale) | 1 << BACKWARD(dbias),
            BACKWARD(dx));
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
    const struct anydnn_plugin_tensor *x = problem->tensor[TRAINING(x)];
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
                       &call->scale[1], desc[INFERENCE(x)], data[INFERENCE(x)], desc[INFERENCE(y)],
                       data[INFERENCE(y)], desc[INFERENCE(scale)], data[INFERENCE(scale)],
                       data[INFERENCE(bias)], data[INFERENCE(mean)], data[INFERENCE(var)],
                       params->epsilon),
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
                       &call->scale[1], desc[TRAINING(x)], data[TRAINING(x)], desc[TRAINING(y)],
                       data[TRAINING(y)], desc[TRAINING(scale)], data[TRAINING(scale)],
                       data[TRAINING(bias)], call->operands->number[0],
                       data[TRAINING(running_mean)], data[TRAINING(running_var)], params->epsilon,
                       data[TRAINING(save_mean)], data[TRAINING(save_inv_var)]),
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
                       &call->scale[1], &call->scale[2], &call->scale[3], desc[BACKWARD(x)],
                       data[BACKWARD(x)], desc[BACKWARD(dy)], data[BACKWARD(dy)],
                       desc[BACKWARD(dx)], data[BACKWARD(dx)], desc[BACKWARD(scale)],
                       data[BACKWARD(scale)], data[BACKWARD(dscale)], data[BACKWARD(dbias)],
                       params->epsilon, data[BACKWARD(save_mean)], data[BACKWARD(save_inv_var)]),
                   plan->operation->function);
}

const struct cdn_operation cdn_batch_normalization_inference = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE,
    .types = CDN_FLOATS | CDN_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .tensors = 1 << INFERENCE(x) | 1 << INFERENCE(scale) | 1 << INFERENCE(y),
    .function = "cudnnBatchNormalizationForwardInference",
    .arrange = arrange_inference,
    .check = check,
    .run = run_inference,
};

const struct cdn_operation cdn_batch_normalization_training = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = 1 << TRAINING(x) | 1 << TRAINING(scale) | 1 << TRAINING(y),
    .function = "cudnnBatchNormalizationForwardTraining",
    .arrange = arrange_training,
    .check = check_training,
    .run = run_training,
};

const struct cdn_operation cdn_batch_normalization_backward = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = 1 << BACKWARD(x) | 1 << BACKWARD(dy) | 1 << BACKWARD(scale) | 1 << BACKWARD(dx),
    .function = "cudnnBatchNormalizationBackward",
    .arrange = arrange_backward,
    .check = check,
    .run = run_backward,
};
