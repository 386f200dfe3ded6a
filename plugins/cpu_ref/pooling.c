/* SPDX-License-Identifier: Apache-2.0 */
/* Implements pooling forward and backward: geometry and table entries. */
#include "pooling.h"
#include "element.h"
#include "walk.h"

#include <float.h>
#include <math.h>

/* The number of leading dims that count rows, and of those that count planes. */
#define ROW_DIMS   (IMAGE_DIMS - 1)
#define PLANE_DIMS 2

/* The elements of a row accumulated at a time. */
#define LANES 128

/* The initial values of a maximum: the lowest finite value of the type. */
static const double lowest_float = -FLT_MAX;
static const double lowest_double = -DBL_MAX;
static const double lowest_half = CPU_REF_HALF_LOWEST;
static const double lowest_bfloat16 = CPU_REF_BFLOAT16_LOWEST;
static const double lowest_int8 = INT8_MIN;

struct pooling_job {
    const struct pooling_state *state;
    const struct anydnn_plugin_operands *operands;
};

/* The part of x that one window covers, and the row of dx in it that is being gathered. */
struct window {
    const void *x; /* start of the plane */
    struct pooling_range at[IMAGE_SPATIAL];
    int64_t d, h;
};

static int same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Returns the multiply-adds of a row of y, which also bound those of a row of dx, for distribution
 * over threads. */
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
    state->x = image_of(plan->problem.tensor[slot_pooling_forward_x]);
    state->y = image_of(plan->problem.tensor[slot_pooling_forward_y]);
    state->lanes = kit_lanes(plan->problem.tensor[slot_pooling_forward_x]->type);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    struct pooling_state *state = plan->state;

    prepare_windows(plan);
    state->y = image_of(plan->problem.tensor[slot_pooling_backward_y]);
    state->dy = image_of(plan->problem.tensor[slot_pooling_backward_dy]);
    state->x = image_of(plan->problem.tensor[slot_pooling_backward_x]);
    state->dx = image_of(plan->problem.tensor[slot_pooling_backward_dx]);
}

/* ------------------------------------------------------------------ table entries */

const struct cpu_ref_kernel cpu_ref_pooling_forward = {
    .operation = ANYDNN_PLUGIN_POOLING_FORWARD,
    .layouts = KIT_LAYOUTS | ANYDNN_PLUGIN_LAYOUT_VECT_C,
    .main_slot = slot_pooling_forward_x,
    .apart = 1u << slot_pooling_forward_y,
    .uniform = 1u << slot_pooling_forward_x | 1u << slot_pooling_forward_y,
    .state_size = sizeof(struct pooling_state),
    .check = image_check,
    .prepare = forward_prepare,
    .run = {CPU_REF_EACH_FLOAT(forward_run), [ANYDNN_PLUGIN_INT8] = forward_run_int8,
            [ANYDNN_PLUGIN_INT8X4] = forward_run_int8, [ANYDNN_PLUGIN_INT8X32] = forward_run_int8},
};

const struct cpu_ref_kernel cpu_ref_pooling_backward = {
    .operation = ANYDNN_PLUGIN_POOLING_BACKWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_pooling_backward_dy,
    .apart = 1u << slot_pooling_backward_dx,
    .uniform = 1u << slot_pooling_backward_y | 1u << slot_pooling_backward_dy |
               1u << slot_pooling_backward_x | 1u << slot_pooling_backward_dx,
    .state_size = sizeof(struct pooling_state),
    .check = image_check,
    .prepare = backward_prepare,
    .run = {CPU_REF_EACH_FLOAT(backward_run)},
};
