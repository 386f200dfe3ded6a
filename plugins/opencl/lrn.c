/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernels of local response normalization across channels. */
#include "table.h"

#define FORWARD(name)  slot_lrn_forward_##name
#define BACKWARD(name) slot_lrn_backward_##name

/* Takes the window and the coefficients, which are rounded to the type of the scaling factors, as
 * anydnn.h specifies. */
static void take_params(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_lrn *params = plan->problem.params;
    int is_double = plan->problem.tensor[0]->type == ANYDNN_PLUGIN_DOUBLE;
    double alpha = is_double ? params->alpha : (double)(float)params->alpha;
    double beta = is_double ? params->beta : (double)(float)params->beta;
    double k = is_double ? params->k : (double)(float)params->k;
    struct lrn_job *job = plan->job;

    job->before = (params->n - 1) / 2;
    job->after = params->n - 1 - job->before;
    job->alpha = opencl_number(alpha / params->n);
    job->beta = opencl_number(beta);
    job->k = opencl_number(k);
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    struct lrn_job *job = plan->job;

    take_params(plan);
    opencl_take_tensor(&job->x, plan, FORWARD(x));
    opencl_take_tensor(&job->out, plan, FORWARD(y));
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct lrn_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->out.count, OPENCL_SLOTS(FORWARD(x), FORWARD(y)));
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    struct lrn_job *job = plan->job;

    take_params(plan);
    opencl_take_tensor(&job->x, plan, BACKWARD(x));
    opencl_take_tensor(&job->dy, plan, BACKWARD(dy));
    opencl_take_tensor(&job->out, plan, BACKWARD(dx));
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct lrn_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->out.count,
                         OPENCL_SLOTS(BACKWARD(dy), BACKWARD(x), BACKWARD(dx)));
}

/* Refuses to run in place. A work-item reads neighboring channels, which others would overwrite. */
static int32_t check(const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    int out = problem->operation == ANYDNN_PLUGIN_LRN_FORWARD ? (int)FORWARD(y) : (int)BACKWARD(dx);

    if (!problem->alias[out])
        return 0;
    return kit_refuse(why, ANYDNN_PLUGIN_REASON_ALIAS,
                      "%s: %s must not overwrite %s, whose channels other work-items still read",
                      kit_operation_name(problem->operation),
                      kit_slot_name(problem->operation, out),
                      kit_slot_name(problem->operation, problem->alias[out] - 1));
}

const struct opencl_operation opencl_lrn_forward = {
    .operation = ANYDNN_PLUGIN_LRN_FORWARD,
    .types = OPENCL_FLOATS | OPENCL_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_LRN,
    .kernels = {"lrn_forward"},
    .job_size = sizeof(struct lrn_job),
    .check = check,
    .prepare = forward_prepare,
    .run = forward_run,
};
const struct opencl_operation opencl_lrn_backward = {
    .operation = ANYDNN_PLUGIN_LRN_BACKWARD,
    .types = OPENCL_FLOATS,
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_LRN,
    .kernels = {"lrn_backward"},
    .job_size = sizeof(struct lrn_job),
    .check = check,
    .prepare = backward_prepare,
    .run = backward_run,
};
