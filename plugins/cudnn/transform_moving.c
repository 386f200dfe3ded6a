/* SPDX-License-Identifier: Apache-2.0 */
/* Implements transforms of tensors and filters that move elements: pads and folds, in one step or
 * two. */
#include "transform.h"

#include "table.h"

#define SLOT(name) slot_transform_tensor_##name

static int pads(const struct anydnn_plugin_transform *params, int32_t ndims)
{
    int any = 0;

    for (int32_t d = 0; d < ndims; d++)
        any |= params->pad_before[d] != 0 || params->pad_after[d] != 0;
    return any;
}

static int folds(const struct anydnn_plugin_transform *params, int32_t ndims)
{
    int any = 0;

    for (int32_t i = 0; i < ndims - 2; i++)
        any |= params->fold[i] > 1;
    return any;
}

/* Returns 1 if elements move to other positions than in a plain transform. */
static int moves(const struct anydnn_plugin_transform *params, int32_t ndims)
{
    return pads(params, ndims) || folds(params, ndims);
}

static int has_two_steps(const struct anydnn_plugin_transform *params, int32_t ndims)
{
    return pads(params, ndims) && folds(params, ndims);
}

/*
 * Arranges the operands. Factors are not part of the problem, and cuDNN moves elements only with
 * the factors 1 and 0. A second step blends and must not round again, so operands of different
 * types become float. So do vectors, for which cuDNN refuses pads and folds. cuDNN writes packed
 * tensors. With both pads and a fold, it misplaces elements; then there are two steps with a tensor
 * between them, all in the same layout.
 */
static void arrange_moving(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_transform *params = plan->problem.params;
    const struct anydnn_plugin_tensor *x = &plan->copies.tensor[SLOT(x)],
                                      *y = &plan->copies.tensor[SLOT(y)];

    if (x->ndims != 4)
        return;
    if (moves(params, 4) && (x->type != y->type || kit_lanes(x->type) > 1))
        cdn_widen(plan, CDN_ALL_SLOTS,
                  CDN_TRANSFORM_SHORTS | CDN_TYPE(INT8) | CDN_TYPE(INT8X4) | CDN_TYPE(INT8X32));
    cdn_arrange_transform_types(plan);
    if (cdn_packed_format(y) < 0)
        cdn_move(plan, SLOT(y), CUDNN_TENSOR_NCHW, y->type);
    if (has_two_steps(params, 4) && cdn_packed_format(x) != cdn_packed_format(y))
        cdn_move(plan, SLOT(x), cdn_packed_format(y), x->type);
}

static void arrange_filter(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *x = &plan->copies.tensor[SLOT(x)];

    arrange_moving(plan);
    if (x->ndims == 4 && cdn_packed_format(x) < 0)
        cdn_move(plan, SLOT(x), CUDNN_TENSOR_NCHW, x->type);
}

/* Refuses a dim that is both padded and cropped. cuDNN creates a descriptor for it, but then
 * refuses to run, once after it had written y. */
static int32_t check_pads(const struct anydnn_plugin_transform *params, int32_t ndims,
                          struct kit_refusal *why)
{
    for (int32_t d = 0; d < ndims; d++) {
        int64_t before = params->pad_before[d], after = params->pad_after[d];

        if ((before < 0 && after > 0) || (before > 0 && after < 0))
            return kit_refuse(
                why, ANYDNN_PLUGIN_REASON_PARAMETER,
                "dim %d has pads of %lld and %lld; cuDNN requires pads of the same sign", d,
                (long long)before, (long long)after);
    }
    return 0;
}

static int32_t check_moving(const struct anydnn_plugin_problem *problem, uint32_t any,
                            struct kit_refusal *why)
{
    const struct anydnn_plugin_tensor *x = problem->tensor[SLOT(x)];
    int32_t reason = check_pads(problem->params, x->ndims, why);

    if (reason)
        return reason;
    if (x->ndims != 4)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                          "x has %d dims; cuDNN's transforms with a descriptor require 4",
                          x->ndims);
    return cdn_check_transform_types(problem, any, why);
}

static int32_t check_transform_ex(const struct anydnn_plugin_problem *problem,
                                  struct kit_refusal *why)
{
    return check_moving(problem, CDN_TRANSFORMED | CDN_TYPE(INT8X4), why);
}

static int32_t check_transform_filter(const struct anydnn_plugin_problem *problem,
                                      struct kit_refusal *why)
{
    return check_moving(problem, CDN_TRANSFORMED, why);
}

/* Creates one of cuDNN's transforms, with the pads or the folds of the problem, or both. */
static cudnnStatus_t make_step(const struct anydnn_plugin_plan *plan, int with_pads, int with_folds,
                               cudnnTensorTransformDescriptor_t *made)
{
    const struct anydnn_plugin_transform *params = plan->problem.params;
    const struct anydnn_plugin_tensor *y = plan->problem.tensor[SLOT(y)];
    int32_t before[ANYDNN_PLUGIN_DIM_MAX], after[ANYDNN_PLUGIN_DIM_MAX];
    uint32_t fold[ANYDNN_PLUGIN_SPATIAL_MAX];
    cudnnStatus_t status = cudnn.cudnnCreateTensorTransformDescriptor(made);

    for (int32_t d = 0; d < y->ndims; d++) {
        before[d] = with_pads ? (int32_t)params->pad_before[d] : 0;
        after[d] = with_pads ? (int32_t)params->pad_after[d] : 0;
    }
    for (int32_t i = 0; i < y->ndims - 2; i++)
        fold[i] = with_folds && params->fold[i] > 1 ? (uint32_t)params->fold[i] : 1;
    return status != CUDNN_STATUS_SUCCESS
               ? status
               : cudnn.cudnnSetTensorTransformDescriptor(
                     *made, (uint32_t)y->ndims, (cudnnTensorFormat_t)cdn_packed_format(y), before,
                     after, fold,
                     with_folds ? (cudnnFoldingDirection_t)params->direction
                                : CUDNN_TRANSFORM_FOLD);
}

/* Describes the tensor between the steps. A fold follows the pads; an unfold precedes them. */
static void describe_between(const struct anydnn_plugin_plan *plan,
                             struct anydnn_plugin_tensor *between)
{
    const struct anydnn_plugin_transform *params = plan->problem.params;

    *between = plan->copies.tensor[SLOT(x)];
    for (int32_t d = 0; d < between->ndims && params->direction == CUDNN_TRANSFORM_FOLD; d++)
        between->dims[d] += params->pad_before[d] + params->pad_after[d];
    for (int32_t i = 0; i < between->ndims - 2 && params->direction != CUDNN_TRANSFORM_FOLD; i++) {
        int64_t fold = params->fold[i] > 1 ? params->fold[i] : 1;

        between->dims[1] /= fold;
        between->dims[i + 2] *= fold;
    }
    cdn_pack(between, cdn_packed_format(&plan->copies.tensor[SLOT(y)]));
}

static int32_t prepare_moving(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_transform *params = plan->problem.params;
    int two = has_two_steps(params, plan->copies.tensor[SLOT(x)].ndims);
    int pads_first = !two || params->direction == CUDNN_TRANSFORM_FOLD;
    struct anydnn_plugin_tensor between;
    cudnnStatus_t status = make_step(plan, pads_first, !two || !pads_first, &plan->made.transform);

    if (status == CUDNN_STATUS_SUCCESS && two)
        status = make_step(plan, !pads_first, pads_first, &plan->made.second);
    if (status != CUDNN_STATUS_SUCCESS)
        return cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER, status, "the transform");
    if (!two)
        return 0;
    describe_between(plan, &between);
    return cdn_tensor_make(&plan->made.between, &between, 4,
                           "the tensor between padding and folding", why);
}

static int32_t prepare_filter(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    int32_t reason = 0;

    if (has_two_steps(plan->problem.params, plan->copies.tensor[SLOT(x)].ndims))
        return prepare_moving(plan, why);
    reason = cdn_filter_make(&plan->made.filter[0], plan->problem.tensor[SLOT(x)], "x", why);
    if (!reason)
        reason = cdn_filter_make(&plan->made.filter[1], plan->problem.tensor[SLOT(y)], "y", why);
    return reason ? reason : prepare_moving(plan, why);
}

/* Runs one step of cuDNN, with the plan's kind of descriptors. */
static int32_t run_step(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                        const void *alpha, const void *beta, void *y)
{
    const struct cdn_descriptors *made = &plan->made;
    cudnnHandle_t handle = plan->context->handle;
    const void *x = call->operands->data[SLOT(x)];

    return cdn_ran(call,
                   made->filter[0]
                       ? cudnn.cudnnTransformFilter(handle, made->transform, alpha, made->filter[0],
                                                    x, beta, made->filter[1], y)
                       : cudnn.cudnnTransformTensorEx(handle, made->transform, alpha,
                                                      made->tensor[SLOT(x)], x, beta,
                                                      made->tensor[SLOT(y)], y),
                   plan->operation->function);
}

static int32_t run_two_steps(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                             const void *alpha, const void *beta, void *y)
{
    const struct cdn_descriptors *made = &plan->made;
    cudnnHandle_t handle = plan->context->handle;
    const void *one = cdn_number(plan, CDN_ONE), *zero = cdn_number(plan, CDN_ZERO);
    int32_t status, dropped, device = plan->context->device;
    struct anydnn_plugin_tensor between;
    void *scratch = NULL;

    describe_between(plan, &between);
    status = cuda_scratch_take(device, call->stream, cdn_tensor_bytes(&between), &scratch);
    if (status)
        return status;
    status = cdn_ran(
        call,
        cudnn.cudnnTransformTensorEx(handle, made->transform, one, made->tensor[SLOT(x)],
                                     call->operands->data[SLOT(x)], zero, made->between, scratch),
        plan->operation->function);
    cdn_wrote_scratch(call, status);
    if (!status)
        status = cdn_ran(call,
                         cudnn.cudnnTransformTensorEx(handle, made->second, alpha, made->between,
                                                      scratch, beta, made->tensor[SLOT(y)], y),
                         plan->operation->function);
    dropped = cuda_scratch_drop(device, call->stream, scratch);
    return status ? status : dropped;
}

static int32_t run_steps(struct anydnn_plugin_plan *plan, const struct cdn_call *call,
                         const void *alpha, const void *beta, void *y)
{
    return plan->made.second ? run_two_steps(plan, call, alpha, beta, y)
                             : run_step(plan, call, alpha, beta, y);
}

static int32_t blend(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    int32_t device = plan->context->device, dropped;
    void *scratch = NULL;
    int32_t status = cuda_scratch_take(device, call->stream,
                                       cdn_tensor_bytes(plan->problem.tensor[SLOT(y)]), &scratch);

    if (status)
        return status;
    status = run_steps(plan, call, cdn_number(plan, CDN_ONE), cdn_number(plan, CDN_ZERO), scratch);
    cdn_wrote_scratch(call, status);
    if (!status)
        status = cdn_ran(call,
                         cudnn.cudnnTransformTensor(plan->context->handle, &call->scale[0],
                                                    plan->made.tensor[SLOT(y)], scratch,
                                                    &call->scale[1], plan->made.tensor[SLOT(y)],
                                                    call->operands->data[SLOT(y)]),
                         "cudnnTransformTensor");
    dropped = cuda_scratch_drop(device, call->stream, scratch);
    return status ? status : dropped;
}

static int32_t run_moving(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    const struct anydnn_plugin_operands *operands = call->operands;

    if ((operands->scale[0] != 1 || operands->scale[1] != 0) &&
        plan->problem.tensor[SLOT(x)]->type == plan->problem.tensor[SLOT(y)]->type)
        return blend(plan, call);
    return run_steps(plan, call, &call->scale[0], &call->scale[1], operands->data[SLOT(y)]);
}

const struct cdn_operation cdn_transform_tensor_ex = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX,
    .types = CDN_TRANSFORMED | CDN_TYPE(DOUBLE) | CDN_TYPE(INT8X4) | CDN_TYPE(INT8X32),
    .layouts = CDN_LAYOUTS_AND_VECTORS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnTransformTensorEx",
    .arrange = arrange_moving,
    .check = check_transform_ex,
    .prepare = prepare_moving,
    .run = run_moving,
};

const struct cdn_operation cdn_transform_filter = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_FILTER,
    .types = CDN_TRANSFORMED | CDN_TYPE(DOUBLE),
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnTransformFilter",
    .arrange = arrange_filter,
    .check = check_transform_filter,
    .prepare = prepare_filter,
    .run = run_moving,
};
