/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling forward and backward: conditions, geometry and table entries. */
#include "pooling.h"
#include "element.h"
#include "walk.h"

#include <float.h>
#include <math.h>

/* Slots. */
enum { FORWARD_X, FORWARD_Y };
enum { BACKWARD_Y, BACKWARD_DY, BACKWARD_X, BACKWARD_DX };

/* Dims that count the rows of a tensor; the planes. */
#define ROW_DIMS   (IMAGE_DIMS - 1)
#define PLANE_DIMS 2

/* Elements of a row that are accumulated at a time. */
#define LANES 128

/* Where a maximum starts: the lowest finite value of the type. */
static const double lowest_float = -FLT_MAX;
static const double lowest_double = -DBL_MAX;
static const double lowest_half = CPU_REF_HALF_LOWEST;
static const double lowest_bfloat16 = CPU_REF_BFLOAT16_LOWEST;
static const double lowest_int8 = INT8_MIN;

struct pooling_job {
    const struct pooling_state *state;
    const struct anydnn_plugin_operands *operands;
};

/* What of x one window covers, and which row of dx in it is being gathered. */
struct window {
    const void *x; /* the plane */
    struct pooling_range at[IMAGE_SPATIAL];
    int64_t d, h;
};

static int same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Multiply-adds of a row of y, and no more than that of a row of dx, for the cut into threads. */
static int64_t row_cost(const struct pooling_state *state, const struct image *tensor)
{
    double cost = state->window_size * (double)tensor->dims[4];
    return cost < 1e9 ? (int64_t)cost : 1000000000;
}

#define CPU_REF_TEMPLATE "pooling_forward.inc"
#include "each_float.inc"

#define CPU_REF_TEMPLATE "pooling_forward.inc"
#include "each_int8.inc"

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
    if (params->spatial_dims < 1 || params->spatial_dims > IMAGE_SPATIAL)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_SHAPE,
                              "%s: %d spatial dimensions; cpu_ref has 1 to %d", name,
                              params->spatial_dims, IMAGE_SPATIAL);
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

static void prepare_windows(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_pooling *params = plan->problem.params;
    struct pooling_state *state = plan->state;
    int32_t missing = IMAGE_SPATIAL - params->spatial_dims;

    for (int32_t s = 0; s < IMAGE_SPATIAL; s++) {
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
    state->x = image_of(plan->problem.tensor[FORWARD_X]);
    state->y = image_of(plan->problem.tensor[FORWARD_Y]);
    state->lanes = cpu_ref_lanes(plan->problem.tensor[FORWARD_X]->type);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    struct pooling_state *state = plan->state;

    prepare_windows(plan);
    state->y = image_of(plan->problem.tensor[BACKWARD_Y]);
    state->dy = image_of(plan->problem.tensor[BACKWARD_DY]);
    state->x = image_of(plan->problem.tensor[BACKWARD_X]);
    state->dx = image_of(plan->problem.tensor[BACKWARD_DX]);
}

/* ------------------------------------------------------------------ table entries */

const struct cpu_ref_kernel cpu_ref_pooling_forward = {
    .operation = ANYDNN_PLUGIN_POOLING_FORWARD,
    .layouts = CPU_REF_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C,
    .main_slot = FORWARD_X,
    .required = 1u << FORWARD_X | 1u << FORWARD_Y,
    .outputs = 1u << FORWARD_Y,
    .uniform = 1u << FORWARD_X | 1u << FORWARD_Y,
    .params_size = sizeof(struct anydnn_plugin_pooling),
    .state_size = sizeof(struct pooling_state),
    .check = forward_check,
    .prepare = forward_prepare,
    .run = {CPU_REF_EACH_FLOAT(forward_run), [ANYDNN_PLUGIN_INT8] = forward_run_int8,
            [ANYDNN_PLUGIN_INT8X4] = forward_run_int8, [ANYDNN_PLUGIN_INT8X32] = forward_run_int8},
};

const struct cpu_ref_kernel cpu_ref_pooling_backward = {
    .operation = ANYDNN_PLUGIN_POOLING_BACKWARD,
    .layouts = CPU_REF_LAYOUTS,
    .main_slot = BACKWARD_DY,
    .required = 1u << BACKWARD_Y | 1u << BACKWARD_DY | 1u << BACKWARD_X | 1u << BACKWARD_DX,
    .outputs = 1u << BACKWARD_DX,
    .uniform = 1u << BACKWARD_Y | 1u << BACKWARD_DY | 1u << BACKWARD_X | 1u << BACKWARD_DX,
    .params_size = sizeof(struct anydnn_plugin_pooling),
    .state_size = sizeof(struct pooling_state),
    .check = backward_check,
    .prepare = backward_prepare,
    .run = {CPU_REF_EACH_FLOAT(backward_run)},
};
