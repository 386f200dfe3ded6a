/* SPDX-License-Identifier: Apache-2.0 */
/* Implements softmax forward and backward. A vector runs over c (channel) or over all dims but n
 * (instance). Each vector is processed separately, in passes: maximum, sum, result. */
#include "walk.h"

#include <float.h>
#include <math.h>

/* The values of struct anydnn_plugin_softmax. */
enum { FAST, ACCURATE, LOG };
enum { INSTANCE, CHANNEL };

/* The cost of three passes with two exponentials in multiply-adds, for distribution over
 * threads. */
#define COST 30

struct softmax_state {
    struct kit_walk vectors; /* the first elements of all vectors */
    struct kit_walk vector;  /* the elements of one vector */
};

struct softmax_job {
    const struct softmax_state *state;
    double alpha, beta;
    int32_t algorithm;
};

/* The state of a vector while it is processed. `max` is subtracted from every x. */
struct softmax_pass {
    const struct softmax_job *job;
    double max;
    double sum;
    double log_sum;
};

#define CPU_REF_TEMPLATE "softmax_forward.inc"
#include "each_float.inc"

#define CPU_REF_TEMPLATE "softmax_forward.inc"
#include "each_int8.inc"

#define CPU_REF_TEMPLATE "softmax_backward.inc"
#include "each_float.inc"

static void prepare(struct anydnn_plugin_plan *plan, int32_t tensors)
{
    const struct anydnn_plugin_softmax *params = plan->problem.params;
    struct softmax_state *state = plan->state;
    uint32_t along = params->mode == CHANNEL ? 1u << 1 : ~1u;

    cpu_ref_walk_init(&state->vectors, plan->problem.tensor, tensors, ~along);
    cpu_ref_walk_init(&state->vector, plan->problem.tensor, tensors, along);
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    prepare(plan, 2);
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    prepare(plan, 3);
}

const struct cpu_ref_kernel cpu_ref_softmax_forward = {
    .operation = ANYDNN_PLUGIN_SOFTMAX_FORWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_softmax_forward_x,
    .uniform = 1u << slot_softmax_forward_x | 1u << slot_softmax_forward_y,
    .state_size = sizeof(struct softmax_state),
    .prepare = forward_prepare,
    .run = {CPU_REF_EACH_FLOAT(forward_run), [ANYDNN_PLUGIN_INT8] = forward_run_int8},
};

const struct cpu_ref_kernel cpu_ref_softmax_backward = {
    .operation = ANYDNN_PLUGIN_SOFTMAX_BACKWARD,
    .layouts = KIT_LAYOUTS,
    .main_slot = slot_softmax_backward_dy,
    .uniform = 1u << slot_softmax_backward_y | 1u << slot_softmax_backward_dy |
               1u << slot_softmax_backward_dx,
    .state_size = sizeof(struct softmax_state),
    .prepare = backward_prepare,
    .run = {CPU_REF_EACH_FLOAT(backward_run)},
};
