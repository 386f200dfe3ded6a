/* SPDX-License-Identifier: Apache-2.0 */
/* Implements elementwise operations: add, op, set, scale. */
#include "table.h"

#include <math.h>
#include <string.h>

#define ADD(name) slot_add_tensor_##name
#define OP(name)  slot_op_tensor_##name

/* ------------------------------------------------------------------ a factor of 0 */

/*
 * Returns 1 if a factor is 0. cuDNN's add, op and scale then do not multiply, so that NaN and
 * infinity vanish although 0 * x is NaN. Its transforms do multiply. So if a factor is 0, a
 * transform computes 0 * x, and the operation gets this with a factor of 1.
 */
static int is_zero(const struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                   int32_t factor, int32_t slot)
{
    return call->operands->scale[factor] == 0 &&
           plan->copies.tensor[slot].type != ANYDNN_PLUGIN_INT8;
}

/* Computes to = 0 * x, for the operand x of `slot`. */
static int32_t multiply(struct anydnn_plugin_plan *plan, const struct cdn_call *call, int32_t slot,
                        void *to)
{
    cudnnTensorDescriptor_t desc = plan->made.tensor[slot];

    return cdn_ran(call,
                   cudnn.cudnnTransformTensor(plan->context->handle, cdn_number(plan, CDN_ZERO),
                                              desc, call->operands->data[slot],
                                              cdn_number(plan, CDN_ZERO), desc, to),
                   "cudnnTransformTensor");
}

/* Runs the operation with 0 * x in `slot`, 0 or 1, which is also the number of its factor. */
static int32_t run_with_zero(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                             int32_t slot)
{
    struct anydnn_plugin_operands operands = *call->operands;
    struct cdn_call inner = *call;
    int32_t device = plan->context->device, status, dropped;
    void *scratch = NULL;

    status = cuda_scratch_take(device, call->stream, cdn_tensor_bytes(&plan->copies.tensor[slot]),
                               &scratch);
    if (status)
        return status;
    status = multiply(plan, call, slot, scratch);
    cdn_wrote_scratch(call, status);
    operands.data[slot] = scratch;
    operands.scale[slot] = 1;
    inner.operands = &operands;
    if (plan->wide)
        inner.scale[slot].wide = 1;
    else
        inner.scale[slot].single = 1;
    if (!status)
        status = plan->operation->run(plan, &inner);
    dropped = cuda_scratch_drop(device, call->stream, scratch);
    return status ? status : dropped;
}

/* ------------------------------------------------------------------ add, op */

static int32_t run_add(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    if (is_zero(plan, call, 0, ADD(x)))
        return run_with_zero(plan, call, ADD(x));
    return cdn_ran(call,
                   cudnn.cudnnAddTensor(plan->context->handle, &call->scale[0], desc[ADD(x)],
                                        data[ADD(x)], &call->scale[1], desc[ADD(y)], data[ADD(y)]),
                   plan->operation->function);
}

static int32_t prepare_op(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_op_tensor *params = plan->problem.params;
    cudnnStatus_t status = cudnn.cudnnCreateOpTensorDescriptor(&plan->made.op_tensor);

    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetOpTensorDescriptor(
            plan->made.op_tensor, (cudnnOpTensorOp_t)params->op, cdn_type(params->compute_type),
            params->nan_propagate ? CUDNN_PROPAGATE_NAN : CUDNN_NOT_PROPAGATE_NAN);
    return status == CUDNN_STATUS_SUCCESS
               ? 0
               : cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER, status, "the operation");
}

/* Runs an op. With one operand, cuDNN does not read b but refuses some addresses for it, so a
 * replaces b. If b lies on c, cuDNN requires a there instead; all ops with two operands are
 * symmetric, so a and b are swapped. */
static int32_t run_op(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const struct anydnn_plugin_op_tensor *params = plan->problem.params;
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;
    int32_t last =
        params->op == CUDNN_OP_TENSOR_SQRT || params->op == CUDNN_OP_TENSOR_NOT ? OP(a) : OP(b);
    int32_t swap = last == OP(b) && data[OP(b)] == data[OP(c)] && data[OP(a)] != data[OP(c)];
    int32_t first = swap ? OP(b) : OP(a), second = swap ? OP(a) : last;

    for (int32_t slot = OP(a); slot <= last; slot++) {
        if (plan->problem.tensor[slot] && is_zero(plan, call, slot, slot))
            return run_with_zero(plan, call, slot);
    }
    return cdn_ran(call,
                   cudnn.cudnnOpTensor(plan->context->handle, plan->made.op_tensor,
                                       &call->scale[first], desc[first], data[first],
                                       &call->scale[swap ? 0 : 1], desc[second], data[second],
                                       &call->scale[2], desc[OP(c)], data[OP(c)]),
                   plan->operation->function);
}

const struct cdn_operation cdn_add_tensor = {
    .operation = ANYDNN_PLUGIN_ADD_TENSOR,
    .types = CDN_FLOATS | CDN_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnAddTensor",
    .run = run_add,
};

const struct cdn_operation cdn_op_tensor = {
    .operation = ANYDNN_PLUGIN_OP_TENSOR,
    .types = CDN_FLOATS | CDN_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnOpTensor",
    .prepare = prepare_op,
    .run = run_op,
};

/* ------------------------------------------------------------------ set, scale */

static float half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float size = exponent == 31  ? (fraction ? NAN : INFINITY)
                 : exponent == 0 ? ldexpf((float)fraction, -24)
                                 : ldexpf((float)(fraction + 1024), exponent - 25);

    return bits >> 15 ? -size : size;
}

static float bfloat16_value(uint16_t bits)
{
    uint32_t whole = (uint32_t)bits << 16;
    float value;

    memcpy(&value, &whole, sizeof value);
    return value;
}

/* Sets all elements. cuDNN's guide says that the value has y's type, but cuDNN reads a float for
 * the short types. */
static int32_t run_set(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const void *value = call->operands->value;
    uint16_t bits;
    int8_t byte;
    float wide;

    switch (plan->problem.tensor[slot_set_tensor_y]->type) {
    case ANYDNN_PLUGIN_HALF:
        memcpy(&bits, value, sizeof bits);
        wide = half_value(bits);
        value = &wide;
        break;
    case ANYDNN_PLUGIN_BFLOAT16:
        memcpy(&bits, value, sizeof bits);
        wide = bfloat16_value(bits);
        value = &wide;
        break;
    case ANYDNN_PLUGIN_INT8:
        memcpy(&byte, value, sizeof byte);
        wide = byte;
        value = &wide;
        break;
    default:
        break;
    }
    return cdn_ran(call,
                   cudnn.cudnnSetTensor(plan->context->handle, plan->made.tensor[slot_set_tensor_y],
                                        call->operands->data[slot_set_tensor_y], value),
                   plan->operation->function);
}

static int32_t run_scale(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const int32_t y = slot_scale_tensor_y;

    if (is_zero(plan, call, 0, y))
        return multiply(plan, call, y, call->operands->data[y]);
    return cdn_ran(call,
                   cudnn.cudnnScaleTensor(plan->context->handle, plan->made.tensor[y],
                                          call->operands->data[y], &call->scale[0]),
                   plan->operation->function);
}

const struct cdn_operation cdn_set_tensor = {
    .operation = ANYDNN_PLUGIN_SET_TENSOR,
    .types = CDN_FLOATS | CDN_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnSetTensor",
    .run = run_set,
};

const struct cdn_operation cdn_scale_tensor = {
    .operation = ANYDNN_PLUGIN_SCALE_TENSOR,
    .types = CDN_FLOATS | CDN_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnScaleTensor",
    .run = run_scale,
};
