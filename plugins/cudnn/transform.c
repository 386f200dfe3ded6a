/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms of tensors and filters: layouts, types, pads and folds. */
#include "table.h"

/* ------------------------------------------------------------------ layouts and types */

static int is_one_of(int32_t type, uint32_t types)
{
    return types >> type & 1;
}

/* Between double and another type cuDNN's transforms run and give garbage. */
static int32_t check_types(const struct anydnn_plugin_problem *problem, uint32_t any,
                           struct cudnn_refusal *why)
{
    int32_t x = problem->tensor[0]->type, y = problem->tensor[1]->type;
    int shorts = is_one_of(x, CUDNN_TYPE(HALF) | CUDNN_TYPE(BFLOAT16)) &&
                 is_one_of(y, CUDNN_TYPE(HALF) | CUDNN_TYPE(BFLOAT16));

    if ((x == y && x == ANYDNN_PLUGIN_DOUBLE) ||
        (is_one_of(x, any) && is_one_of(y, any) && !(shorts && x != y)))
        return 0;
    return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_TYPE, "cuDNN does not transform %s to %s",
                        cudnn_type_name(x), cudnn_type_name(y));
}

#define ANY_OF (CUDNN_TYPE(FLOAT) | CUDNN_TYPE(HALF) | CUDNN_TYPE(BFLOAT16) | CUDNN_TYPE(INT8))

static int32_t check_transform(const struct anydnn_plugin_problem *problem,
                               struct cudnn_refusal *why)
{
    return check_types(problem, ANY_OF | CUDNN_TYPE(INT8X4), why);
}

static int32_t run_transform(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cudnn_ran(call,
                     cudnn.cudnnTransformTensor(plan->context->handle, &call->scale[0], desc[0],
                                                data[0], &call->scale[1], desc[1], data[1]),
                     plan->operation->function);
}

const struct cudnn_operation cudnn_transform_tensor = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_TENSOR,
    .types = ANY_OF | CUDNN_TYPE(DOUBLE) | CUDNN_TYPE(INT8X4),
    .layouts = CUDNN_LAYOUTS_AND_VECTORS,
    .tensors = 0x3,
    .function = "cudnnTransformTensor",
    .check = check_transform,
    .run = run_transform,
};

/* ------------------------------------------------------------------ pads and folds */

static int pads(const struct anydnn_plugin_transform *params, int32_t ndims)
{
    int any = 0;

    for (int32_t d = 0; d < ndims; d++)
        any |= params->pad_before[d] != 0 || params->pad_after[d] != 0;
    return any;
}

/* Pads that add places; negative ones cut some off. */
static int widens(const struct anydnn_plugin_transform *params, int32_t ndims)
{
    int any = 0;

    for (int32_t d = 0; d < ndims; d++)
        any |= params->pad_before[d] > 0 || params->pad_after[d] > 0;
    return any;
}

static int folds(const struct anydnn_plugin_transform *params, int32_t ndims)
{
    int any = 0;

    for (int32_t i = 0; i < ndims - 2; i++)
        any |= params->fold[i] > 1;
    return any;
}

/* Whether elements go elsewhere than a plain transform puts them. */
static int moves(const struct anydnn_plugin_transform *params, int32_t ndims)
{
    return pads(params, ndims) || folds(params, ndims);
}

/* Factors are not part of the problem, and cuDNN moves elements only with 1 and 0: a second step
 * blends, which must not round a second time. */
static int32_t check_moving(const struct anydnn_plugin_problem *problem, uint32_t any,
                            struct cudnn_refusal *why)
{
    const struct anydnn_plugin_tensor *x = problem->tensor[0], *y = problem->tensor[1];

    if (x->ndims != 4)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                            "x has %d dims; cuDNN's transforms with a descriptor take 4", x->ndims);
    if (cudnn_packed_format(y) < 0)
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                            "y is not packed; cuDNN's transforms with a descriptor write packed "
                            "tensors");
    if (x->type != y->type && moves(problem->params, x->ndims))
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                            "pads or folds from %s to %s; cuDNN takes them with the factors 1 and "
                            "0 alone, and a blend after that would round twice",
                            cudnn_type_name(x->type), cudnn_type_name(y->type));
    if (widens(problem->params, x->ndims) && folds(problem->params, x->ndims) &&
        cudnn_packed_format(x) != cudnn_packed_format(y))
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_LAYOUT,
                            "pads and a fold from one layout to another; cuDNN puts elements "
                            "elsewhere then");
    if (x->type == ANYDNN_PLUGIN_INT8X4 && moves(problem->params, x->ndims))
        return cudnn_refuse(why, ANYDNN_PLUGIN_REASON_TYPE,
                            "pads or folds of int8x4; cuDNN refuses them when it runs");
    return check_types(problem, any, why);
}

static int32_t check_transform_ex(const struct anydnn_plugin_problem *problem,
                                  struct cudnn_refusal *why)
{
    return check_moving(problem, ANY_OF | CUDNN_TYPE(INT8X4), why);
}

static int32_t check_transform_filter(const struct anydnn_plugin_problem *problem,
                                      struct cudnn_refusal *why)
{
    return check_moving(problem, ANY_OF, why);
}

static int32_t prepare_moving(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why)
{
    const struct anydnn_plugin_transform *params = plan->problem.params;
    const struct anydnn_plugin_tensor *y = plan->problem.tensor[1];
    int32_t before[ANYDNN_PLUGIN_DIM_MAX], after[ANYDNN_PLUGIN_DIM_MAX];
    uint32_t fold[ANYDNN_PLUGIN_SPATIAL_MAX];
    cudnnStatus_t status = cudnn.cudnnCreateTensorTransformDescriptor(&plan->made.transform);

    for (int32_t d = 0; d < y->ndims; d++) {
        before[d] = (int32_t)params->pad_before[d];
        after[d] = (int32_t)params->pad_after[d];
    }
    for (int32_t i = 0; i < y->ndims - 2; i++)
        fold[i] = params->fold[i] > 1 ? (uint32_t)params->fold[i] : 1;
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetTensorTransformDescriptor(
            plan->made.transform, (uint32_t)y->ndims, (cudnnTensorFormat_t)cudnn_packed_format(y),
            before, after, fold, (cudnnFoldingDirection_t)params->direction);
    return status == CUDNN_STATUS_SUCCESS
               ? 0
               : cudnn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER, status, "the transform");
}

static int32_t prepare_filter(struct anydnn_plugin_plan *plan, struct cudnn_refusal *why)
{
    int32_t reason = cudnn_filter_make(&plan->made.filter[0], plan->problem.tensor[0], "x", why);

    if (!reason)
        reason = cudnn_filter_make(&plan->made.filter[1], plan->problem.tensor[1], "y", why);
    return reason ? reason : prepare_moving(plan, why);
}

/* One step of cuDNN's, by the descriptors of the kind that the plan has. */
static cudnnStatus_t step(struct anydnn_plugin_plan *plan, const void *alpha, const void *x,
                          const void *beta, void *y)
{
    if (plan->made.filter[0])
        return cudnn.cudnnTransformFilter(plan->context->handle, plan->made.transform, alpha,
                                          plan->made.filter[0], x, beta, plan->made.filter[1], y);
    return cudnn.cudnnTransformTensorEx(plan->context->handle, plan->made.transform, alpha,
                                        plan->made.tensor[0], x, beta, plan->made.tensor[1], y);
}

static int32_t blend(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    const float ones[2] = {1, 0};
    const double wide_ones[2] = {1, 0};
    const void *one = plan->wide ? (const void *)&wide_ones[0] : (const void *)&ones[0];
    const void *zero = plan->wide ? (const void *)&wide_ones[1] : (const void *)&ones[1];
    void *const *data = call->operands->data;
    int32_t device = plan->context->device, dropped;
    void *scratch = NULL;
    int32_t status = cuda_scratch_take(device, call->stream,
                                       cudnn_tensor_bytes(plan->problem.tensor[1]), &scratch);

    if (status)
        return status;
    status = cudnn_ran(call, step(plan, one, data[0], zero, scratch), plan->operation->function);
    if (!status)
        status = cudnn_ran(
            call,
            cudnn.cudnnTransformTensor(plan->context->handle, &call->scale[0], plan->made.tensor[1],
                                       scratch, &call->scale[1], plan->made.tensor[1], data[1]),
            "cudnnTransformTensor");
    dropped = cuda_scratch_drop(device, call->stream, scratch);
    return status ? status : dropped;
}

static int32_t run_moving(struct anydnn_plugin_plan *plan, const struct cudnn_call *call)
{
    const struct anydnn_plugin_operands *operands = call->operands;

    if ((operands->scale[0] != 1 || operands->scale[1] != 0) &&
        plan->problem.tensor[0]->type == plan->problem.tensor[1]->type)
        return blend(plan, call);
    return cudnn_ran(
        call, step(plan, &call->scale[0], operands->data[0], &call->scale[1], operands->data[1]),
        plan->operation->function);
}

const struct cudnn_operation cudnn_transform_tensor_ex = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX,
    .types = ANY_OF | CUDNN_TYPE(DOUBLE) | CUDNN_TYPE(INT8X4),
    .layouts = CUDNN_LAYOUTS_AND_VECTORS,
    .params_size = sizeof(struct anydnn_plugin_transform),
    .tensors = 0x3,
    .function = "cudnnTransformTensorEx",
    .check = check_transform_ex,
    .prepare = prepare_moving,
    .run = run_moving,
};

const struct cudnn_operation cudnn_transform_filter = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_FILTER,
    .types = ANY_OF | CUDNN_TYPE(DOUBLE),
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC,
    .params_size = sizeof(struct anydnn_plugin_transform),
    .tensors = 0x3,
    .function = "cudnnTransformFilter",
    .check = check_transform_filter,
    .prepare = prepare_filter,
    .run = run_moving,
};
