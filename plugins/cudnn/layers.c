/* SPDX-License-Identifier: Apache-2.0 */
/* Implements pooling and activation with cuDNN, forward and backward. */
#include "table.h"

#include <math.h>

#define POOLING(name)    slot_pooling_backward_##name
#define ACTIVATION(name) slot_activation_backward_##name

/* ------------------------------------------------------------------ pooling */

static int32_t prepare_pooling(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_pooling *params = plan->problem.params;
    int window[ANYDNN_PLUGIN_SPATIAL_MAX], pad[ANYDNN_PLUGIN_SPATIAL_MAX];
    int stride[ANYDNN_PLUGIN_SPATIAL_MAX];
    int32_t count = cdn_spatial(window, params->window, params->spatial_dims, 1);
    cudnnStatus_t status = cudnn.cudnnCreatePoolingDescriptor(&plan->made.pooling);

    cdn_spatial(pad, params->pad, params->spatial_dims, 0);
    cdn_spatial(stride, params->stride, params->spatial_dims, 1);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnn.cudnnSetPoolingNdDescriptor(
            plan->made.pooling, (cudnnPoolingMode_t)params->mode,
            params->nan_propagate ? CUDNN_PROPAGATE_NAN : CUDNN_NOT_PROPAGATE_NAN, count, window,
            pad, stride);
    return status == CUDNN_STATUS_SUCCESS
               ? 0
               : cdn_refuse_status(why, ANYDNN_PLUGIN_REASON_PARAMETER, status, "the pooling");
}

static int is_max(const struct anydnn_plugin_pooling *params)
{
    return params->mode == CUDNN_POOLING_MAX || params->mode == CUDNN_POOLING_MAX_DETERMINISTIC;
}

/* Arranges the operands. For the gradient of the maximum, cuDNN requires the same layout for y and
 * dy, and for x and dx. The gradient of the average does not read y and x. */
static void arrange_pooling_backward(struct anydnn_plugin_plan *plan)
{
    if (!is_max(plan->problem.params))
        return;
    cdn_agree(plan, 1 << POOLING(y) | 1 << POOLING(dy), 0);
    cdn_agree(plan, 1 << POOLING(x) | 1 << POOLING(dx), 0);
}

/* Refuses windows that end beyond the padded input or begin inside the input. For these, cuDNN's
 * backward pass contradicts its forward pass. */
static int32_t check_pooling_backward(const struct anydnn_plugin_problem *problem,
                                      struct kit_refusal *why)
{
    const struct anydnn_plugin_pooling *params = problem->params;
    const struct anydnn_plugin_tensor *y = problem->tensor[POOLING(y)];
    const struct anydnn_plugin_tensor *x = problem->tensor[POOLING(x)];

    for (int32_t i = 0; i < params->spatial_dims; i++) {
        int64_t last = (y->dims[i + 2] - 1) * params->stride[i] + params->window[i];

        if (params->pad[i] < 0 || last > x->dims[i + 2] + 2 * params->pad[i])
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "spatial dim %d has pad %lld, and its windows reach %lld of %lld "
                              "padded elements; cuDNN's gradient is wrong for negative pads and "
                              "for windows beyond the padded input",
                              i, (long long)params->pad[i], (long long)last,
                              (long long)(x->dims[i + 2] + 2 * params->pad[i]));
    }
    return 0;
}

/* Refuses vectors of channels that cuDNN does not support. It only has 2-D images of them, and
 * otherwise returns INTERNAL_ERROR. The maximum of a window without elements is not the lowest
 * number: pooling_forward x=s8x4:3,4,2,4:nchw_vect_c window=7,5 pad=-1,0 stride=3,1 alpha=2. */
static int32_t check_pooling_forward(const struct anydnn_plugin_problem *problem,
                                     struct kit_refusal *why)
{
    const struct anydnn_plugin_pooling *params = problem->params;
    const struct anydnn_plugin_tensor *x = problem->tensor[slot_pooling_forward_x];

    if (kit_lanes(x->type) == 1)
        return 0;
    for (int32_t i = 0; i < params->spatial_dims; i++) {
        if (params->pad[i] < 0)
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "spatial dim %d has pad %lld; for vectors of channels, cuDNN's "
                              "result is wrong for windows without elements",
                              i, (long long)params->pad[i]);
    }
    return x->ndims <= 4
               ? 0
               : kit_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                            "x is %s with %d dims; cuDNN pools vectors of channels only in 4 dims",
                            kit_type_name(x->type), x->ndims);
}

static int32_t run_pooling_forward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnPoolingForward(
                       plan->context->handle, plan->made.pooling, &call->scale[0],
                       desc[slot_pooling_forward_x], data[slot_pooling_forward_x], &call->scale[1],
                       desc[slot_pooling_forward_y], data[slot_pooling_forward_y]),
                   plan->operation->function);
}

static int32_t run_pooling_backward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnPoolingBackward(
                       plan->context->handle, plan->made.pooling, &call->scale[0], desc[POOLING(y)],
                       data[POOLING(y)], desc[POOLING(dy)], data[POOLING(dy)], desc[POOLING(x)],
                       data[POOLING(x)], &call->scale[1], desc[POOLING(dx)], data[POOLING(dx)]),
                   plan->operation->function);
}

/* Chooses the mode. In mode `max`, cuDNN adds gradients of overlapping windows with atomics; a
 * second mode avoids that. */
static int32_t prepare_pooling_backward(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    struct anydnn_plugin_pooling *params = &plan->copies.params.pooling;

    if (params->mode == CUDNN_POOLING_MAX && plan->problem.deterministic)
        params->mode = CUDNN_POOLING_MAX_DETERMINISTIC;
    else if (params->mode == CUDNN_POOLING_MAX)
        plan->notes = ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC;
    return prepare_pooling(plan, why);
}

const struct cdn_operation cdn_pooling_forward = {
    .operation = ANYDNN_PLUGIN_POOLING_FORWARD,
    .types = CDN_FLOATS | CDN_TYPE(INT8) | CDN_TYPE(INT8X4) | CDN_TYPE(INT8X32),
    .layouts = CDN_LAYOUTS_AND_VECTORS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnPoolingForward",
    .check = check_pooling_forward,
    .prepare = prepare_pooling,
    .run = run_pooling_forward,
};

const struct cdn_operation cdn_pooling_backward = {
    .operation = ANYDNN_PLUGIN_POOLING_BACKWARD,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnPoolingBackward",
    .arrange = arrange_pooling_backward,
    .check = check_pooling_backward,
    .prepare = prepare_pooling_backward,
    .run = run_pooling_backward,
};

/* ------------------------------------------------------------------ activation */

static int32_t check_activation(const struct anydnn_plugin_problem *problem,
                                struct kit_refusal *why)
{
    const struct anydnn_plugin_activation *params = problem->params;

    if (params->mode == CUDNN_ACTIVATION_IDENTITY)
        return kit_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                          "cuDNN provides the identity only in the fused convolution");
    return 0;
}

static int32_t check_activation_forward(const struct anydnn_plugin_problem *problem,
                                        struct kit_refusal *why)
{
    const struct anydnn_plugin_activation *params = problem->params;
    const struct anydnn_plugin_tensor *y = problem->tensor[slot_activation_forward_y];

    return cdn_is_flushed(params->mode, y->type) ? cdn_refuse_flushed(params->mode, y->type, why)
                                                 : check_activation(problem, why);
}

/* Returns the slot that cuDNN's gradient reads as x. cuDNN defines ReLU's gradient by x, anydnn by
 * y, which selects the same elements; so y serves as x. Only swish needs x itself. */
static int32_t gradient_input(const struct anydnn_plugin_activation *params)
{
    return params->mode == CUDNN_ACTIVATION_SWISH ? ACTIVATION(x) : ACTIVATION(y);
}

/* Gives y the layout of dy, and dx that of the operand that serves as x. If these pairs differ,
 * cuDNN 9.19 returns NOT_SUPPORTED. */
static void arrange_activation_backward(struct anydnn_plugin_plan *plan)
{
    cdn_agree(plan,
              1 << ACTIVATION(y) | 1 << ACTIVATION(dy) | 1 << ACTIVATION(dx) |
                  1 << gradient_input(plan->problem.params),
              0);
}

static int32_t prepare_activation(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    const struct anydnn_plugin_activation *params = plan->problem.params;

    return cdn_activation_make(&plan->made.activation, params->mode, params->nan_propagate,
                               params->coef, why);
}

/* Returns the largest number below the ceiling, in the type of the comparison. cuDNN's gradient of
 * the clipped ReLU includes the ceiling, and y serves as x; so this number replaces the ceiling. */
static double below(double ceiling, int wide)
{
    float single = (float)ceiling;

    if (wide)
        return nextafter(ceiling, -INFINITY);
    return (double)single < ceiling ? single : nextafterf(single, -INFINITY);
}

static int32_t prepare_activation_backward(struct anydnn_plugin_plan *plan, struct kit_refusal *why)
{
    struct anydnn_plugin_activation *params = &plan->copies.params.activation;

    if (params->mode == CUDNN_ACTIVATION_CLIPPED_RELU)
        params->coef = below(params->coef, plan->wide);
    return prepare_activation(plan, why);
}

static int32_t run_activation_forward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;

    return cdn_ran(call,
                   cudnn.cudnnActivationForward(plan->context->handle, plan->made.activation,
                                                &call->scale[0], desc[slot_activation_forward_x],
                                                data[slot_activation_forward_x], &call->scale[1],
                                                desc[slot_activation_forward_y],
                                                data[slot_activation_forward_y]),
                   plan->operation->function);
}

static int32_t run_activation_backward(struct anydnn_plugin_plan *plan, const struct cdn_call *call)
{
    void *const *data = call->operands->data;
    cudnnTensorDescriptor_t *desc = plan->made.tensor;
    int32_t x = gradient_input(plan->problem.params);

    return cdn_ran(
        call,
        cudnn.cudnnActivationBackward(plan->context->handle, plan->made.activation, &call->scale[0],
                                      desc[ACTIVATION(y)], data[ACTIVATION(y)],
                                      desc[ACTIVATION(dy)], data[ACTIVATION(dy)], desc[x], data[x],
                                      &call->scale[1], desc[ACTIVATION(dx)], data[ACTIVATION(dx)]),
        plan->operation->function);
}

const struct cdn_operation cdn_activation_forward = {
    .operation = ANYDNN_PLUGIN_ACTIVATION_FORWARD,
    .types = CDN_FLOATS | CDN_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnActivationForward",
    .check = check_activation_forward,
    .prepare = prepare_activation,
    .run = run_activation_forward,
};

const struct cdn_operation cdn_activation_backward = {
    .operation = ANYDNN_PLUGIN_ACTIVATION_BACKWARD,
    .types = CDN_FLOATS,
    .layouts = KIT_LAYOUTS,
    .tensors = CDN_ALL_SLOTS,
    .function = "cudnnActivationBackward",
    .arrange = arrange_activation_backward,
    .check = check_activation,
    .prepare = prepare_activation_backward,
    .run = run_activation_backward,
};
