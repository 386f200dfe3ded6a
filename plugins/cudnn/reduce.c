/* SPDX-License-Identifier: Apache-2.0 */
/* Implements reductions with cuDNN, including the gradient of the bias. */
#include "table.h"

#include <string.h>

#define REDUCE(name) slot_reduce_tensor_##name
#define BIAS(name)   slot_convolution_backward_bias_##name

/* The types of indices and cuDNN's names for them. */
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

/* Widens bfloat16, which cuDNN does not reduce. */
static void arrange_reduce(struct anydnn_plugin_plan *plan)
{
    cdn_widen(plan, CDN_ALL_SLOTS, CDN_TYPE(BFLOAT16));
}

static int32_t check_reduce(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    const struct anydnn_plugin_tensor *indices = problem->tensor[REDUCE(indices)];
    const struct anydnn_plugin_tensor *a = problem->tensor[REDUCE(a)];
    const struct anydnn_plugin_tensor *c = problem->tensor[REDUCE(c)];
    int64_t step = 1;

    if (memcmp(a->dims, c->dims, (size_t)a->ndims * sizeof a->dims[0]) == 0)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "a and c have the same dims; cuDNN requires at least one reduced dim");
    if (indices && indices->type == ANYDNN_PLUGIN_UINT64)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                          "the indices have 64 bits; cuDNN writes 32-bit indices");
    for (int32_t d = indices ? indices->ndims - 1 : -1; d >= 0; d--) {
        if (indices->dims[d] > 1 && indices->strides[d] != step)
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                              "the indices must be packed in row-major order for cuDNN");
        step *= indices->dims[d];
    }
    return 0;
}

/* Reads the bytes of the indices and of the workspace. Refuses indices that exceed their
 * operand. */
static int32_t reduce_sizes(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_tensor *indices = plan->problem.tensor[REDUCE(indices)];
    cudnnHandle_t handle = plan->context->handle;
    size_t workspace = 0, bytes = 1;
    cudnnStatus_t status = cudnn.cudnnGetReductionWorkspaceSize(
        handle, plan->made.reduce, plan->made.tensor[REDUCE(a)], plan->made.tensor[REDUCE(c)],
        &workspace);

    if (status == CUDNN_STATUS_SUCCESS && indices)
        status = cudnn.cudnnGetReductionIndicesSize(
            handle, plan->made.reduce, plan->made.tensor[REDUCE(a)], plan->made.tensor[REDUCE(c)],
            &plan->indices_bytes);
    if (status != CUDNN_STATUS_SUCCESS)
        return cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_SHAPE, status, "the reduction");
    plan->workspace = workspace;
    if (!indices)
        return 0;
    for (int32_t d = 0; d < indices->ndims; d++)
        bytes *= (size_t)indices->dims[d];
    bytes *= index_types[index_of(indices->type)].size;
    if (plan->indices_bytes > bytes)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "the indices have %llu bytes, but cuDNN writes %llu",
                          (unsigned long long)bytes, (unsigned long long)plan->indices_bytes);
    return 0;
}

static int32_t prepare_reduce(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_reduce *params = plan->problem.params;
    const struct anydnn_plugin_tensor *indices = plan->problem.tensor[REDUCE(indices)];
    cudnnStatus_t status = cudnn.cudnnCreateReduceTensorDescriptor(&plan->made.reduce);

    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetReduceTensorDescriptor(
            plan->made.reduce, (cudnnReduceTensorOp_t)params->op, cdn_type(params->compute_type),
            params->nan_propagate ? CUDNN_PROPAGATE_NAN : CUDNN_NOT_PROPAGATE_NAN,
            indices ? CUDNN_REDUCE_TENSOR_FLATTENED_INDICES : CUDNN_REDUCE_TENSOR_NO_INDICES,
            indices ? index_types[index_of(indices->type)].indices : CUDNN_32BIT_INDICES);
    return status == CUDNN_STATUS_SUCCESS
               ? reduce_sizes(plan, why)
               : cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER, status, "the reduction");
}

static int32_t run_reduce(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnReduceTensor(plan->context->handle, plan->made.reduce,
                                           data[REDUCE(indices)], plan->indices_bytes,
                                           call->operands->workspace, (size_t)plan->workspace,
                                           &call->scale[0], desc[REDUCE(a)], data[REDUCE(a)],
                                           &call->scale[1], desc[REDUCE(c)], data[REDUCE(c)]),
                   plan->operation->function);
}

const struct cdn_operation cdn_reduce_tensor = {
    .operation = ANYDNN_PLUGIN_REDUCE_TENSOR,
    .types = CDN_FLOATS | CDN_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .tensors = 1 << REDUCE(a) | 1 << REDUCE(c),
    .function = "cudnnReduceTensor",
    .arrange = arrange_reduce,
    .check = check_reduce,
    .prepare = prepare_reduce,
    .run = run_reduce,
};

/* ------------------------------------------------------------------ bias gradient */

/* Packs the operands. For half with gaps, cuDNN's kernel reads unaligned addresses, which destroys
 * the device's context: dy=f16:3,17,1,6,1:103,6,309,1,62 db=f16:1,17,1,1,1. */
static void arrange_backward_bias(struct anydnn_plugin_plan *plan)
{
    arrange_reduce(plan);
    cdn_agree(plan, 1 << BIAS(dy), 1);
    cdn_agree(plan, 1 << BIAS(db), 1);
}

static int32_t run_backward_bias(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnConvolutionBackwardBias(
                       plan->context->handle, &call->scale[0], desc[BIAS(dy)], data[BIAS(dy)],
                       &call->scale[1], desc[BIAS(db)], data[BIAS(db)]),
                   plan->operation->function);
}

const struct cdn_operation cdn_convolution_backward_bias = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_BIAS,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnConvolutionBackwardBias",
    .arrange = arrange_backward_bias,
    .run = run_backward_bias,
};
