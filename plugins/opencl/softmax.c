/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernels of softmax. */
#include "table.h"

#define FORWARD(name)  slot_softmax_forward_##name
#define BACKWARD(name) slot_softmax_backward_##name

static void prepare(struct anydnn_plugin_plan *plan, int y)
{
    const struct anydnn_plugin_softmax *params = plan->problem.params;
    struct softmax_job *job = plan->job;

    opencl_take_tensor(&job->y, plan, y);
    job->algorithm = params->algorithm;
    job->by_channel = params->mode == ANYDNN_PLUGIN_SOFTMAX_MODE_CHANNEL;
    job->length = job->by_channel ? job->y.dims[1] : job->y.count / job->y.dims[0];
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    struct softmax_job *job = plan->job;

    prepare(plan, FORWARD(y));
    opencl_take_tensor(&job->x, plan, FORWARD(x));
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct softmax_job *job = plan->job;

    return opencl_launch_groups(plan, call, 0, job->y.count / job->length,
                                OPENCL_SLOTS(FORWARD(x), FORWARD(y)));
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    struct softmax_job *job = plan->job;

    prepare(plan, BACKWARD(y));
    opencl_take_tensor(&job->dy, plan, BACKWARD(dy));
    opencl_take_tensor(&job->dx, plan, BACKWARD(dx));
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct softmax_job *job = plan->job;

    return opencl_launch_groups(plan, call, 0, job->y.count / job->length,
                                OPENCL_SLOTS(BACKWARD(y), BACKWARD(dy), BACKWARD(dx)));
}

const struct opencl_operation opencl_softmax_forward = {
    .operation = ANYDNN_PLUGIN_SOFTMAX_FORWARD,
    .types = OPENCL_FLOATS | OPENCL_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_SOFTMAX,
    .kernels = {"softmax_forward"},
    .job_size = sizeof(struct softmax_job),
    .prepare = forward_prepare,
    .run = forward_run,
};
const struct opencl_operation opencl_softmax_backward = {
    .operation = ANYDNN_PLUGIN_SOFTMAX_BACKWARD,
    .types = OPENCL_FLOATS,
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_SOFTMAX,
    .kernels = {"softmax_backward"},
    .job_size = sizeof(struct softmax_job),
    .prepare = backward_prepare,
    .run = backward_run,
};
