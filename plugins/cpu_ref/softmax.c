/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax forward and backward. A vector runs over c (channel) or over all dims but n (instance);
 * each is worked on by itself, in passes: maximum, sum, result. */
#include "walk.h"

#include <float.h>
#include <math.h>

/* Slots. */
enum { FORWARD_X, FORWARD_Y };
enum { BACKWARD_Y, BACKWARD_DY, BACKWARD_DX };

/* Numbers of struct anydnn_plugin_softmax. */
enum { FAST, ACCURATE, LOG, ALGORITHM_END };
enum { INSTANCE, CHANNEL, MODE_END };

/* Three passes with two exponentials, in multiply-adds for the cut into threads. */
#define COST 30

struct softmax_state {
    struct cpu_ref_walk vectors; /* where vectors begin */
    struct cpu_ref_walk vector;  /* within one */
};

struct softmax_job {
    const struct softmax_state *state;
    double alpha, beta;
    int32_t algorithm;
};

/* What the passes over one vector hand on: `max` is subtracted from every x. */
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

static int32_t check_params(const struct anydnn_plugin_problem *problem,
                            struct cpu_ref_refusal *why)
{
    const struct anydnn_plugin_softmax *params = problem->params;
    const char *name = cpu_ref_operation_name(problem->operation);

    if (params->algorithm < 0 || params->algorithm >= ALGORITHM_END)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                              "%s: algorithm is %d; fast, accurate and log are 0 to 2", name,
                              params->algorithm);
    if (params->mode < 0 || params->mode >= MODE_END)
        return cpu_ref_refuse(why, ANYDNN_PLUGIN_REASON_PARAMETER,
                              "%s: mode is %d; instance and channel are 0 and 1", name,
                              params->mode);
    return 0;
}

static int32_t check_shapes(const struct anydnn_plugin_problem *problem, uint32_t inputs,
                            int32_t out, struct cpu_ref_refusal *why)
{
    int32_t reason = check_params(problem, why);

    if (!reason && problem->tensor[out]->ndims < 2)
        return cpu_ref_refuse(
            why, ANYDNN_PLUGIN_REASON_SHAPE, "%s: %s has 1 dimension; n and c are the least",
            cpu_ref_operation_name(problem->operation), cpu_ref_slot_name(problem->operation, out));
    if (!reason)
        reason = cpu_ref_check_dims(problem, inputs, out, why);
    return reason ? reason : cpu_ref_check_alias(problem, out, why);
}

static int32_t forward_check(const struct anydnn_plugin_problem *problem,
                             struct cpu_ref_refusal *why)
{
    return check_shapes(problem, 1u << FORWARD_X, FORWARD_Y, why);
}

static int32_t backward_check(const struct anydnn_plugin_problem *problem,
                              struct cpu_ref_refusal *why)
{
    return check_shapes(problem, 1u << BACKWARD_Y | 1u << BACKWARD_DY, BACKWARD_DX, why);
}

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
    .layouts = CPU_REF_LAYOUTS,
    .main_slot = FORWARD_X,
    .required = 1u << FORWARD_X | 1u << FORWARD_Y,
    .outputs = 1u << FORWARD_Y,
    .uniform = 1u << FORWARD_X | 1u << FORWARD_Y,
    .params_size = sizeof(struct anydnn_plugin_softmax),
    .state_size = sizeof(struct softmax_state),
    .check = forward_check,
    .prepare = forward_prepare,
    .run = {CPU_REF_EACH_FLOAT(forward_run), [ANYDNN_PLUGIN_INT8] = forward_run_int8},
};

const struct cpu_ref_kernel cpu_ref_softmax_backward = {
    .operation = ANYDNN_PLUGIN_SOFTMAX_BACKWARD,
    .layouts = CPU_REF_LAYOUTS,
    .main_slot = BACKWARD_DY,
    .required = 1u << BACKWARD_Y | 1u << BACKWARD_DY | 1u << BACKWARD_DX,
    .outputs = 1u << BACKWARD_DX,
    .uniform = 1u << BACKWARD_Y | 1u << BACKWARD_DY | 1u << BACKWARD_DX,
    .params_size = sizeof(struct anydnn_plugin_softmax),
    .state_size = sizeof(struct softmax_state),
    .check = backward_check,
    .prepare = backward_prepare,
    .run = {CPU_REF_EACH_FLOAT(backward_run)},
};
