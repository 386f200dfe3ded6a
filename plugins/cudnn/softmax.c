/* SPDX-License-Identifier: Apache-2.0 */
/* Implements softmax with cuDNN, forward and backward. */
#include "table.h"

#define FORWARD(name)  slot_softmax_forward_##name
#define BACKWARD(name) slot_softmax_backward_##name

/* ------------------------------------------------------------------ forward */

/* Refuses `accurate` and `log`. For a row of -Inf alone, most of cuDNN's kernels return NaN, where
 * 0 and -Inf are right. Most kernels of `log` also lose as many digits as the largest element has
 * before the point. Both errors would vanish if x were copied to longer rows, with the lowest
 * number appended and each row's maximum subtracted. This takes 20 to 200 times as long, so other
 * backends are better. */
static int32_t check_forward(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_softmax *params = problem->params;

    if (params->algorithm == CUDNN_SOFTMAX_FAST)
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                      "only softmax=fast is supported: cuDNN's other softmax gives NaN for rows of "
                      "-Inf, and its log softmax is inaccurate for large numbers");
}

/* Packs the operands in the same format. With 5 dims and channels last, cuDNN leaves elements
 * unwritten. */
static void pack_alike(struct anydnn_plugin_plan *plan)
{
    int format = cdn_packed_format(&plan->copies.tensor[0]);

    if (format == CUDNN_TENSOR_NCHW || plan->copies.tensor[0].ndims > 4)
        cdn_pack_rows(plan, CDN_ALL_SLOTS);
    else
        cdn_agree(plan, CDN_ALL_SLOTS, 1);
}

/* Converts the operands to float or double, packed in the same format. cuDNN writes into gaps, and
 * mode `instance` is wrong between layouts: x=f64:1,3,6,13:nchw y=f64:1,3,6,13:nhwc softmax=fast.
 * It rounds results of short types twice, and truncates those of int8. */
static void arrange_forward(struct anydnn_plugin_plan *plan)
{
    cdn_widen(plan, CDN_ALL_SLOTS, CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16) | CDN_TYPE(INT8));
    pack_alike(plan);
}

static int32_t run_forward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const struct anydnn_plugin_softmax *params = plan->problem.params;
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnSoftmaxForward(
                       plan->context->handle, (cudnnSoftmaxAlgorithm_t)params->algorithm,
                       (cudnnSoftmaxMode_t)params->mode, &call->scale[0], desc[FORWARD(x)],
                       data[FORWARD(x)], &call->scale[1], desc[FORWARD(y)], data[FORWARD(y)]),
                   plan->operation->function);
}

const struct cdn_operation cdn_softmax_forward = {
    .operation = ANYDNN_PLUGIN_SOFTMAX_FORWARD,
    .types = CDN_FLOATS | CDN_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnSoftmaxForward",
    .arrange = arrange_forward,
    .check = check_forward,
    .run = run_forward,
};

/* ------------------------------------------------------------------ backward */

/* Packs the operands in the same format. With cuDNN 9.19, y needs the layout of dy. If both are
 * packed, dx is written as if it were packed, too. Mode `instance` is wrong if there are gaps
 * between elements. */
static void arrange_backward(struct anydnn_plugin_plan *plan)
{
    pack_alike(plan);
}

static int32_t run_backward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const struct anydnn_plugin_softmax *params = plan->problem.params;
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnSoftmaxBackward(
                       plan->context->handle, (cudnnSoftmaxAlgorithm_t)params->algorithm,
                       (cudnnSoftmaxMode_t)params->mode, &call->scale[0], desc[BACKWARD(y)],
                       data[BACKWARD(y)], desc[BACKWARD(dy)], data[BACKWARD(dy)], &call->scale[1],
                       desc[BACKWARD(dx)], data[BACKWARD(dx)]),
                   plan->operation->function);
}

const struct cdn_operation cdn_softmax_backward = {
    .operation = ANYDNN_PLUGIN_SOFTMAX_BACKWARD,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnSoftmaxBackward",
    .arrange = arrange_backward,
    .run = run_backward,
};
