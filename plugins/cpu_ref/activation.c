/* SPDX-License-Identifier: Apache-2.0 */
/* Implements activation forward and backward. The gradient is a function of y and dy; only swish
 * needs x. */
#include "activate.h"
#include "walk.h"

/* The cost of an exponential in multiply-adds, for distribution over threads. */
#define COST 10

struct activation_job {
    double alpha, beta, coef;
    int32_t mode;
    int32_t nan_propagate;
};

static const int64_t unit[KIT_WALK_TENSORS] = {1, 1, 1, 1};
static const struct activation_job plain_relu = {.alpha = 1, .mode = CPU_REF_RELU};

static int is_plain(const struct activation_job *job)
{
    return job->mode == CPU_REF_RELU && !job->nan_propagate && job->alpha == 1 && job->beta == 0;
}

#define CPU_REF_TEMPLATE "activation_forward.inc"
#include "each_float.inc"

#define CPU_REF_TEMPLATE "activation_forward.inc"
#include "each_int8.inc"

#define CPU_REF_TEMPLATE "activation_backward.inc"
#include "each_float.inc"

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    cpu_ref_walk_init(plan->state, plan->problem.tensor, 2, KIT_WALK_ALL);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    cpu_ref_walk_init(plan->state, plan->problem.tensor, 4, KIT_WALK_ALL);
}

const struct cpu_ref_kernel cpu_ref_activation_forward = {
    .operation = ANYDNN_PLUGIN_ACTIVATION_FORWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_activation_forward_x,
    .uniform = 1u << slot_activation_forward_x | 1u << slot_activation_forward_y,
    .state_size = sizeof(struct kit_walk),
    .prepare = forward_prepare,
    .run = {CPU_REF_EACH_FLOAT(forward_run), [ANYDNN_PLUGIN_INT8] = forward_run_int8},
};

const struct cpu_ref_kernel cpu_ref_activation_backward = {
    .operation = ANYDNN_PLUGIN_ACTIVATION_BACKWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_activation_backward_dy,
    .uniform = 1u << slot_activation_backward_y | 1u << slot_activation_backward_dy |
               1u << slot_activation_backward_x | 1u << slot_activation_backward_dx,
    .state_size = sizeof(struct kit_walk),
    .prepare = backward_prepare,
    .run = {CPU_REF_EACH_FLOAT(backward_run)},
};
