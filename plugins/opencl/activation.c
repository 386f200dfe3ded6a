/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernels of activation forward and backward. */
#include "table.h"

#define FORWARD(name)  slot_activation_forward_##name
#define BACKWARD(name) slot_activation_backward_##name

static void prepare(struct anydnn_plugin_plan *plan, int out)
{
    const struct anydnn_plugin_activation *params = plan->problem.params;
    struct activation_job *job = plan->job;

    opencl_take_tensor(&job->out, plan, out);
    job->f = opencl_activation(params->mode, params->nan_propagate, params->coef);
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    struct activation_job *job = plan->job;

    prepare(plan, FORWARD(y));
    opencl_take_tensor(&job->x, plan, FORWARD(x));
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct activation_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->out.count, OPENCL_SLOTS(FORWARD(x), FORWARD(y)));
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    struct activation_job *job = plan->job;

    prepare(plan, BACKWARD(dx));
    opencl_take_tensor(&job->y, plan, BACKWARD(y));
    opencl_take_tensor(&job->dy, plan, BACKWARD(dy));
    opencl_take_tensor(&job->x, plan, BACKWARD(x));
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct activation_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->out.count,
                         OPENCL_SLOTS(BACKWARD(y), BACKWARD(dy), BACKWARD(x), BACKWARD(dx)));
}

const struct opencl_operation opencl_activation_forward = {
    .operation = ANYDNN_PLUGIN_ACTIVATION_FORWARD,
    .types = OPENCL_FLOATS | OPENCL_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_ACTIVATION,
    .kernels = {"activation_forward"},
    .job_size = sizeof(struct activation_job),
    .prepare = forward_prepare,
    .run = forward_run,
};
const struct opencl_operation opencl_activation_backward = {
    .operation = ANYDNN_PLUGIN_ACTIVATION_BACKWARD,
    .types = OPENCL_FLOATS,
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_ACTIVATION,
    .kernels = {"activation_backward"},
    .job_size = sizeof(struct activation_job),
    .prepare = backward_prepare,
    .run = backward_run,
};
