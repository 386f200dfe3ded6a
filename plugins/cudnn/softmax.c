/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax by cuDNN, forward and backward. */
#include "table.h"

/* ------------------------------------------------------------------ forward */

/* Of `accurate` and `log` cuDNN makes NaN of a row of -Inf alone, in most of its kernels, where
 * they are 0 and -Inf; and most of those of `log` lose the digits that the greatest element has
 * before the point. Copies into rows that are longer by the lowest number, less each row's
 * greatest, cure both, and take 20 to 200 times the time: other backends serve better. */
static int32_t check_forward(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_softmax *params = problem->params;

    if (params->algorithm == CUDNN_SOFTMAX_FAST)
        return 0;
    return kit_refuse(
        why, ANYDNN_PLUGIN_REASON_PARAMETER,
        "cuDNN's softmax makes NaN of rows of -Inf, and its log softmax loses digits "
        "of great numbers, where anydnn.h says otherwise; only softmax=fast is taken");
}

/* Packs the operands alike. Of 5 dims with channels last elements stay unwritten. */
static void pack_alike(struct anydnn_plugin_plan *plan, uint32_t slots)
{
    int format = cdn_packed_format(&plan->copies.tensor[0]);

    if (format == CUDNN_TENSOR_NCHW || plan->copies.tensor[0].ndims > 4)
        cdn_pack_rows(plan, slots);
    else
        cdn_agree(plan, slots, 1);
}

/* Of float and double, packed alike. With gaps cuDNN writes into them, and mode `instance` is wrong
 * between layouts: x=f64:1,3,6,13:nchw y=f64:1,3,6,13:nhwc softmax=fast. Results of short types are
 * rounded twice, and those of int8 truncated. */
static void arrange_forward(struct anydnn_plugin_plan *plan)
{
    cdn_widen(plan, 0x3, CDN_TYPE(HALF) | CDN_TYPE(BFLOAT16) | CDN_TYPE(INT8));
    pack_alike(plan, 0x3);
}

static int32_t run_forward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const struct anydnn_plugin_softmax *params = plan->problem.params;
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnSoftmaxForward(plan->context->handle,
                                             (cudnnSoftmaxAlgorithm_t)params->algorithm,
                                             (cudnnSoftmaxMode_t)params->mode, &call->scale[0],
                                             desc[0], data[0], &call->scale[1], desc[1], data[1]),
                   plan->operation->function);
}

const struct cdn_operation cdn_softmax_forward = {
    .operation = ANYDNN_PLUGIN_SOFTMAX_FORWARD,
    .types = CDN_FLOATS | CDN_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .tensors = 0x3,
    .function = "cudnnSoftmaxForward",
    .arrange = arrange_forward,
    .check = check_forward,
    .run = run_forward,
};

/* ------------------------------------------------------------------ backward */

/* Seen with cuDNN 9.19: y must be laid out as dy, where both are packed dx is written as if it
 * were, and mode `instance` is wrong where elements have gaps between them. */
static void arrange_backward(struct anydnn_plugin_plan *plan)
{
    pack_alike(plan, 0x7);
}

static int32_t run_backward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const struct anydnn_plugin_softmax *params = plan->problem.params;
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnSoftmaxBackward(
                       plan->context->handle, (cudnnSoftmaxAlgorithm_t)params->algorithm,
                       (cudnnSoftmaxMode_t)params->mode, &call->scale[0], desc[0], data[0], desc[1],
                       data[1], &call->scale[1], desc[2], data[2]),
                   plan->operation->function);
}

const struct cdn_operation cdn_softmax_backward = {
    .operation = ANYDNN_PLUGIN_SOFTMAX_BACKWARD,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = 0x7,
    .function = "cudnnSoftmaxBackward",
    .arrange = arrange_backward,
    .run = run_backward,
};
