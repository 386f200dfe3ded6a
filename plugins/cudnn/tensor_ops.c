/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on tensors as such: add, op, reduce, set, scale, im2col, and the bias gradient. */
#include "table.h"

#include <math.h>
#include <string.h>

static cudnnNanPropagation_t nan_option(int32_t propagate)
{
    return propagate ? CUDNN_PROPAGATE_NAN : CUDNN_NOT_PROPAGATE_NAN;
}

/* ------------------------------------------------------------------ add, op */

/* By a factor of 0 cuDNN does not multiply: NaN and infinity vanish from the result. Factors are
 * not part of a problem, so that add, op and scale take integers alone. */
#define FINITE_TYPES CUDNN_TYPE(INT8)

static int32_t check_op(const struct anydnn_plugin_problem *problem, struct cudnn_refusal *why)
{
    const struct anydnn_plugin_tensor *b = problem->tensor[1];

    if (b && !(FINITE_TYPES >> b->type & 1))
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                            "b is %s; cudnnOpTensor drops NaN where its factor is 0",
                            cudnn_type_name(b->type));
    return 0;
}

static int32_t run_add(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cudnn_ran(call,
                     cudnn.cudnnAddTensor(plan->context->handle, &call->scale[0], desc[0], data[0],
                                          &call->scale[1], desc[1], data[1]),
                     plan->operation->function);
}

static int32_t prepare_op(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why)
{
    const struct anydnn_plugin_op_tensor *params = plan->problem.params;
    cudnnStatus_t status = cudnn.cudnnCreateOpTensorDescriptor(&plan->made.op_tensor);

    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetOpTensorDescriptor(
            plan->made.op_tensor, (cudnnOpTensorOp_t)params->op, cudnn_type(params->compute_type),
            nan_option(params->nan_propagate));
    return status == CUDNN_STATUS_SUCCESS
               ? 0
               : cudnn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER, status, "the operation");
}

static int32_t run_op(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cudnn_ran(call,
                     cudnn.cudnnOpTensor(plan->context->handle, plan->made.op_tensor,
                                         &call->scale[0], desc[0], data[0], &call->scale[1],
                                         desc[1], data[1], &call->scale[2], desc[2], data[2]),
                     plan->operation->function);
}

const struct cudnn_operation cudnn_add_tensor = {
    .operation = ANYDNN_PLUGIN_ADD_TENSOR,
    .types = FINITE_TYPES,
    .layouts = CUDNN_LAYOUTS,
    .tensors = 0x3,
    .function = "cudnnAddTensor",
    .run = run_add,
};

const struct cudnn_operation cudnn_op_tensor = {
    .operation = ANYDNN_PLUGIN_OP_TENSOR,
    .types = FINITE_TYPES,
    .layouts = CUDNN_LAYOUTS,
    .params_size = sizeof(struct anydnn_plugin_op_tensor),
    .tensors = 0x7,
    .function = "cudnnOpTensor",
    .check = check_op,
    .prepare = prepare_op,
    .run = run_op,
};

/* ------------------------------------------------------------------ reduce */

/* Types of indices and cuDNN's names for them. */
static const struct {
    int32_t type;
    cudnnIndicesType_t indices;
    size_t size;
} index_types[] = {
    {ANYDNN_PLUGIN_UINT8, CUDNN_8BIT_INDICES, 1},
    {ANYDNN_PLUGIN_UINT16, CUDNN_16BIT_INDICES, 2},
    {ANYDNN_PLUGIN_UINT32, CUDNN_32BIT_INDICES, 4},
    {ANYDNN_PLUGIN_UINT64, CUDNN_64BIT_INDICES, 8},
};

static size_t index_of(int32_t type)
{
    size_t i = 0;

    while (i + 1 < sizeof index_types / sizeof index_types[0] && index_types[i].type != type)
        i++;
    return i;
}

static int32_t check_reduce(const struct anydnn_plugin_problem *problem, struct cudnn_refusal *why)
{
    const struct anydnn_plugin_tensor *indices = problem->tensor[2];
    int64_t step = 1;

    if (problem->tensor[1]->type == ANYDNN_PLUGIN_BFLOAT16)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_TYPE, "cuDNN does not reduce to bfloat16");
    if (memcmp(problem->tensor[0]->dims, problem->tensor[1]->dims,
               (size_t)problem->tensor[0]->ndims * sizeof problem->tensor[0]->dims[0]) == 0)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                            "a and c have the same dims; cuDNN refuses a reduction that reduces "
                            "nothing");
    if (indices && indices->type == ANYDNN_PLUGIN_UINT64)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                            "the indices have 64 bits; cuDNN writes 32 of them");
    for (int32_t d = indices ? indices->ndims - 1 : -1; d >= 0; d--) {
        if (indices->dims[d] > 1 && indices->strides[d] != step)
            return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                                "the indices are not packed with rows first; cuDNN writes them no "
                                "other way");
        step *= indices->dims[d];
    }
    return 0;
}

/* Bytes of indices, as far as the operand has room; and of workspace. */
static int32_t reduce_sizes(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why)
{
    const struct anydnn_plugin_tensor *indices = plan->problem.tensor[2];
    cudnnHandle_t handle = plan->context->handle;
    size_t workspace = 0, room = 1;
    cudnnStatus_t status = cudnn.cudnnGetReductionWorkspaceSize(
        handle, plan->made.reduce, plan->made.tensor[0], plan->made.tensor[1], &workspace);

    if (status == CUDNN_STATUS_SUCCESS && indices)
        status = cudnn.cudnnGetReductionIndicesSize(handle, plan->made.reduce, plan->made.tensor[0],
                                                    plan->made.tensor[1], &plan->indices_bytes);
    if (status != CUDNN_STATUS_SUCCESS)
        return cudnn_refuse_status(why, ANYDNN_PLUGIN_REASON_SHAPE, status, "the reduction");
    plan->workspace = workspace;
    if (!indices)
        return 0;
    for (int32_t d = 0; d < indices->ndims; d++)
        room *= (size_t)indices->dims[d];
    room *= index_types[index_of(indices->type)].size;
    if (plan->indices_bytes > room)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                            "the indices have %llu bytes, and cuDNN writes %llu",
                            (unsigned long long)room, (unsigned long long)plan->indices_bytes);
    return 0;
}

static int32_t prepare_reduce(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why)
{
    const struct anydnn_plugin_reduce *params = plan->problem.params;
    const struct anydnn_plugin_tensor *indices = plan->problem.tensor[2];
    cudnnStatus_t status = cudnn.cudnnCreateReduceTensorDescriptor(&plan->made.reduce);

    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetReduceTensorDescriptor(
            plan->made.reduce, (cudnnReduceTensorOp_t)params->op, cudnn_type(params->compute_type),
            nan_option(params->nan_propagate),
            indices ? CUDNN_REDUCE_TENSOR_FLATTENED_INDICES : CUDNN_REDUCE_TENSOR_NO_INDICES,
            indices ? index_types[index_of(indices->type)].indices : CUDNN_32BIT_INDICES);
    return status == CUDNN_STATUS_SUCCESS
               ? reduce_sizes(plan, why)
               : cudnn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER, status, "the reduction");
}

static int32_t run_reduce(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cudnn_ran(call,
                     cudnn.cudnnReduceTensor(plan->context->handle, plan->made.reduce, data[2],
                                             plan->indices_bytes, call->operands->workspace,
                                             (size_t)plan->workspace, &call->scale[0], desc[0],
                                             data[0], &call->scale[1], desc[1], data[1]),
                     plan->operation->function);
}

const struct cudnn_operation cudnn_reduce_tensor = {
    .operation = ANYDNN_PLUGIN_REDUCE_TENSOR,
    .types = CUDNN_REALS | CUDNN_TYPE(INT8),
    .layouts = CUDNN_LAYOUTS,
    .params_size = sizeof(struct anydnn_plugin_reduce),
    .tensors = 0x3,
    .function = "cudnnReduceTensor",
    .check = check_reduce,
    .prepare = prepare_reduce,
    .run = run_reduce,
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

/* cuDNN's guide says that the value has y's type; it reads a float for the short types. */
static int32_t run_set(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    const void *value = call->operands->value;
    uint16_t bits;
    int8_t byte;
    float wide;

    switch (plan->problem.tensor[0]->type) {
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
    return cudnn_ran(call,
                     cudnn.cudnnSetTensor(plan->context->handle, plan->made.tensor[0],
                                          call->operands->data[0], value),
                     plan->operation->function);
}

static int32_t run_scale(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    return cudnn_ran(call,
                     cudnn.cudnnScaleTensor(plan->context->handle, plan->made.tensor[0],
                                            call->operands->data[0], &call->scale[0]),
                     plan->operation->function);
}

const struct cudnn_operation cudnn_set_tensor = {
    .operation = ANYDNN_PLUGIN_SET_TENSOR,
    .types = CUDNN_FLOATS | CUDNN_TYPE(INT8),
    .layouts = CUDNN_LAYOUTS,
    .tensors = 0x1,
    .function = "cudnnSetTensor",
    .run = run_set,
};

const struct cudnn_operation cudnn_scale_tensor = {
    .operation = ANYDNN_PLUGIN_SCALE_TENSOR,
    .types = FINITE_TYPES,
    .layouts = CUDNN_LAYOUTS,
    .tensors = 0x1,
    .function = "cudnnScaleTensor",
    .run = run_scale,
};

/* ------------------------------------------------------------------ im2col, bias gradient */

static int32_t check_im2col(const struct anydnn_plugin_problem *problem, struct cudnn_refusal *why)
{
    const struct anydnn_plugin_convolution *params = problem->params;

    if (params->spatial_dims > 2 || params->groups > 1)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                            "im2col has %d spatial dims and %lld groups; cuDNN's has up to two and "
                            "one",
                            params->spatial_dims, (long long)params->groups);
    if (cudnn_packed_format(problem->tensor[1]) != CUDNN_TENSOR_NCHW)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                            "the matrix is not packed; cuDNN writes it packed");
    return 0;
}

static int32_t prepare_im2col(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why)
{
    const struct anydnn_plugin_convolution *params = plan->problem.params;
    const struct anydnn_plugin_tensor *x = plan->problem.tensor[0];
    struct anydnn_plugin_tensor filter = {
        .type = x->type, .ndims = 4, .dims = {1, x->dims[1], 1, 1}};
    int32_t reason;

    for (int32_t i = 0; i < params->spatial_dims; i++)
        filter.dims[i + 2] = params->window[i];
    for (int32_t d = 3, step = 1; d >= 0; step *= (int32_t)filter.dims[d--])
        filter.strides[d] = step;
    reason = cudnn_filter_make(&plan->made.filter[0], &filter, "the window", why);
    return reason ? reason : cudnn_convolution_make(plan, cudnn_type(plan->wide), why);
}

static int32_t run_im2col(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    void *const *data = call->operands->data;

    return cudnn_ran(call,
                     cudnn.cudnnIm2Col(plan->context->handle, plan->made.tensor[0], data[0],
                                       plan->made.filter[0], plan->made.convolution, data[1]),
                     plan->operation->function);
}

static int32_t run_backward_bias(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cudnn_ran(call,
                     cudnn.cudnnConvolutionBackwardBias(plan->context->handle, &call->scale[0],
                                                        desc[0], data[0], &call->scale[1], desc[1],
                                                        data[1]),
                     plan->operation->function);
}

const struct cudnn_operation cudnn_im2col = {
    .operation = ANYDNN_PLUGIN_IM2COL,
    .types = CUDNN_FLOATS,
    .layouts = CUDNN_LAYOUTS,
    .params_size = sizeof(struct anydnn_plugin_convolution),
    .tensors = 0x1,
    .function = "cudnnIm2Col",
    .check = check_im2col,
    .prepare = prepare_im2col,
    .run = run_im2col,
};

const struct cudnn_operation cudnn_convolution_backward_bias = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS,
    .types = CUDNN_REALS,
    .layouts = CUDNN_LAYOUTS,
    .tensors = 0x3,
    .function = "cudnnConvolutionBackwardBias",
    .run = run_backward_bias,
};
