/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling forward and backward: conditions, geometry and table entries. */
#include "pooling.h"
#include "walk.h"

#include <float.h>
#include <math.h>

/* Slots. */
enum { FORWARD_X, FORWARD_Y };
enum { BACKWARD_Y, BACKWARD_DY, BACKWARD_X, BACKWARD_DX };

/* Elements of a row that are accumulated at a time. */
#define LANES 128

/* Where a maximum starts: the lowest finite value of the type. */
static const double lowest_float = -FLT_MAX;
static const double lowest_double = -DBL_MAX;

struct pooling_job {
    const struct pooling_state *state;
    const struct anydnn_plugin_operands *operands;
};

/* What of x one window covers, and which row of dx in it is being gathered. */
struct window {
    const void *x; /* the plane */
    struct pooling_range at[POOLING_SPATIAL];
    int64_t d, h;
};

static int same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Index tuple n, c, d, h of a row of `tensor`. */
static void row_index(const struct pooling_tensor *tensor, int64_t row, int64_t index[4])
{
    for (int32_t d = 3; d >= 0; d--) {
        index[d] = row % tensor->dims[d];
        row /= tensor->dims[d];
    }
}

/* Offset of index[0..count-1]. */
static int64_t index_offset(const struct pooling_tensor *tensor, const int64_t index[],
                            int32_t count)
{
    int64_t offset = 0;
    for (int32_t d = 0; d < count; d++)
        offset += index[d] * tensor->strides[d];
    return offset;
}

/* Multiply-adds of a row of y, and no more than that of a row of dx, for the cut into threads. */
static int64_t row_cost(const struct pooling_state *state, const struct pooling_tensor *tensor)
{
    double cost = state->window_size * (double)tensor->dims[4];
    return cost < 1e9 ? (int64_t)cost : 1000000000;
}

#define CPU_REF_TEMPLATE "pooling_forward.inc"
#include "each_float.inc"

#define CPU_REF_TEMPLATE "pooling_backward.inc"
#include "each_float.inc"

/* ------------------------------------------------------------------ conditions */

static int32_t check_params(const struct anydnn_plugin_problem *problem, int32_t ndims,
                            struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_pooling *params = problem->params;
    const char *name = cpu_ref_operation_name(problem->operation);
    struct cpu_ref_text text;

    if (params->mode < 0 || params->mode >= POOLING_MODE_END)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                              "%s: mode %d is none from 0 to %d", name, params->mode,
                              POOLING_MODE_END - 1);
    if (params->spatial_dims < 1 || params->spatial_dims > POOLING_SPATIAL)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s: %d spatial dimensions; cpu_ref has 1 to %d", name,
                              params->spatial_dims, POOLING_SPATIAL);
    if (ndims != params->spatial_dims + 2)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s: x has %d dimensions and the window %d; x must have 2 more", name,
                              ndims, params->spatial_dims);
    for (int32_t s = 0; s < params->spatial_dims; s++) {
        if (params->window[s] < 1)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                                  "%s: window is %s; each must be at least 1", name,
                                  cpu_ref_dims_text(&text, params->window, params->spatial_dims));
        if (params->stride[s] < 1)
            return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                                  "%s: stride is %s; each must be at least 1", name,
                                  cpu_ref_dims_text(&text, params->stride, params->spatial_dims));
    }
    return 0;
}

/* The number of windows is that of y, whatever fits; only n and c must agree. */
static int32_t check_shapes(const struct anydnn_plugin_problem *problem, int32_t x_slot,
                            int32_t y_slot, int32_t out, struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_tensor *x = problem->tensor[x_slot];
    const struct anydnn_plugin_tensor *y = problem->tensor[y_slot];
    int32_t reason = check_params(problem, x->ndims, why);
    struct cpu_ref_text a, b;

    if (reason)
        return reason;
    if (y->ndims != x->ndims || y->dims[0] != x->dims[0] || y->dims[1] != x->dims[1])
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s: x has dims %s and y has %s; their number, n and c must be equal",
                              cpu_ref_operation_name(problem->operation),
                              cpu_ref_dims_text(&a, x->dims, x->ndims),
                              cpu_ref_dims_text(&b, y->dims, y->ndims));
    if (problem->alias[out])
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS, "%s: %s is written over %s",
                              cpu_ref_operation_name(problem->operation),
                              cpu_ref_slot_name(problem->operation, out),
                              cpu_ref_slot_name(problem->operation, problem->alias[out] - 1));
    return 0;
}

static int32_t forward_check(const struct anydnn_plugin_problem *problem,
                             struct cpu_ref_refusal *why)
{
    return check_shapes(problem, FORWARD_X, FORWARD_Y, FORWARD_Y, why);
}

static int32_t backward_check(const struct anydnn_plugin_problem *problem,
                              struct cpu_ref_refusal *why)
{
    int32_t reason = check_shapes(problem, BACKWARD_X, BACKWARD_Y, BACKWARD_DX, why);

    if (!reason)
        reason = cpu_ref_check_dims(problem, 1u << BACKWARD_DY, BACKWARD_Y, why);
    return reason ? reason : cpu_ref_check_dims(problem, 1u << BACKWARD_X, BACKWARD_DX, why);
}

/* ------------------------------------------------------------------ geometry */

static void prepare_tensor(struct pooling_tensor *to, const struct anydnn_plugin_tensor *tensor)
{
    int32_t missing = POOLING_SPATIAL + 2 - tensor->ndims;

    for (int32_t d = 0; d < POOLING_SPATIAL + 2; d++) {
        int32_t from = d < 2 ? d : d - missing;

        to->dims[d] = d >= 2 && from < 2 ? 1 : tensor->dims[from];
        to->strides[d] = d >= 2 && from < 2 ? 0 : tensor->strides[from];
    }
}

static void prepare_windows(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_pooling *params = plan->problem.params;
    struct pooling_state *state = plan->state;
    int32_t missing = POOLING_SPATIAL - params->spatial_dims;

    for (int32_t s = 0; s < POOLING_SPATIAL; s++) {
        state->window[s] = s < missing ? 1 : params->window[s - missing];
        state->pad[s] = s < missing ? 0 : params->pad[s - missing];
        state->stride[s] = s < missing ? 1 : params->stride[s - missing];
    }
    state->window_size =
        (double)state->window[0] * (double)state->window[1] * (double)state->window[2];
    state->mode = params->mode;
    state->nan_propagate = params->nan_propagate;
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    struct pooling_state *state = plan->state;

    prepare_windows(plan);
    prepare_tensor(&state->x, plan->problem.tensor[FORWARD_X]);
    prepare_tensor(&state->y, plan->problem.tensor[FORWARD_Y]);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    struct pooling_state *state = plan->state;

    prepare_windows(plan);
    prepare_tensor(&state->y, plan->problem.tensor[BACKWARD_Y]);
    prepare_tensor(&state->dy, plan->problem.tensor[BACKWARD_DY]);
    prepare_tensor(&state->x, plan->problem.tensor[BACKWARD_X]);
    prepare_tensor(&state->dx, plan->problem.tensor[BACKWARD_DX]);
}

/* ------------------------------------------------------------------ table entries */

const struct cpu_ref_kernel cpu_ref_pooling_forward = {
    .operation = ANYDNN_PLUGIN_POOLING_FORWARD,
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,
    .main_slot = FORWARD_X,
    .required = 1u << FORWARD_X | 1u << FORWARD_Y,
    .outputs = 1u << FORWARD_Y,
    .uniform = 1u << FORWARD_X | 1u << FORWARD_Y,
    .params_size = sizeof(struct anydnn_plugin_pooling),
    .state_size = sizeof(struct pooling_state),
    .check = forward_check,
    .prepare = forward_prepare,
    .run = {[ANYDNN_PLUGIN_FLOAT] = forward_run_float, [ANYDNN_PLUGIN_DOUBLE] = forward_run_double},
};

const struct cpu_ref_kernel cpu_ref_pooling_backward = {
    .operation = ANYDNN_PLUGIN_POOLING_BACKWARD,
    .layouts = ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_NHWC | ANYDNN_PLUGIN_LAYOUT_STRIDED,
    .main_slot = BACKWARD_DY,
    .required = 1u << BACKWARD_Y | 1u << BACKWARD_DY | 1u << BACKWARD_X | 1u << BACKWARD_DX,
    .outputs = 1u << BACKWARD_DX,
    .uniform = 1u << BACKWARD_Y | 1u << BACKWARD_DY | 1u << BACKWARD_X | 1u << BACKWARD_DX,
    .params_size = sizeof(struct anydnn_plugin_pooling),
    .state_size = sizeof(struct pooling_state),
    .check = backward_check,
    .prepare = backward_prepare,
    .run =
        {[ANYDNN_PLUGIN_FLOAT] = backward_run_float, [ANYDNN_PLUGIN_DOUBLE] = backward_run_double},
};
