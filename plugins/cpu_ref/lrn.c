/* SPDX-License-Identifier: Apache-2.0 */
/* Implements local response normalization across channels, forward and backward. */
#include "lrn.h"
#include "table.h"
#include "walk.h"

#include <math.h>

/* The positions of a row that are processed at a time. */
#define LANES 64

/* The cost of a power in multiply-adds, for distribution over threads. */
#define COST 30

/* The tensors of the iterations: forward x, y; backward x, dy, dx. */
enum { WALK_X, FORWARD_WALK_Y, WALK_DY = 1, WALK_DX };

struct lrn_state {
    struct kit_walk places; /* all dims but the channels */
    struct lrn_coefficients lrn;
    int64_t channels;
    int64_t stride[3]; /* stride of the channels, for each tensor of the iteration */
};

struct lrn_job {
    const struct lrn_state *state;
    double alpha, beta;
};

#define CPU_REF_TEMPLATE "lrn_forward.inc"
#include "each_float.inc"

#define CPU_REF_TEMPLATE "lrn_forward.inc"
#include "each_int8.inc"

#define CPU_REF_TEMPLATE "lrn_backward.inc"
#include "each_float.inc"

/* ------------------------------------------------------------------ plans */

static void prepare(struct anydnn_plugin_plan *plan,
                    const struct anydnn_plugin_tensor *const walked[], int32_t count)
{
    struct lrn_state *state = plan->state;

    cpu_ref_walk_init(&state->places, walked, count, ~(1u << 1));
    state->lrn = lrn_coefficients(&plan->problem, 1, walked[0]->type);
    state->channels = walked[0]->dims[1];
    for (int32_t t = 0; t < count; t++)
        state->stride[t] = walked[t]->strides[1];
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    prepare(plan, plan->problem.tensor, 2);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_tensor *walked[] = {plan->problem.tensor[slot_lrn_backward_x],
                                                   plan->problem.tensor[slot_lrn_backward_dy],
                                                   plan->problem.tensor[slot_lrn_backward_dx]};
    prepare(plan, walked, 3);
}

const struct cpu_ref_kernel cpu_ref_lrn_forward = {
    .operation = ANYDNN_PLUGIN_LRN_FORWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_lrn_forward_x,
    .uniform = 1u << slot_lrn_forward_x | 1u << slot_lrn_forward_y,
    .state_size = sizeof(struct lrn_state),
    .prepare = forward_prepare,
    .run = {CPU_REF_EACH_FLOAT(forward_run), [ANYDNN_PLUGIN_INT8] = forward_run_int8},
};

const struct cpu_ref_kernel cpu_ref_lrn_backward = {
    .operation = ANYDNN_PLUGIN_LRN_BACKWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_lrn_backward_dy,
    .uniform = 1u << slot_lrn_backward_y | 1u << slot_lrn_backward_dy | 1u << slot_lrn_backward_x |
               1u << slot_lrn_backward_dx,
    .state_size = sizeof(struct lrn_state),
    .prepare = backward_prepare,
    .run = {CPU_REF_EACH_FLOAT(backward_run)},
};
