/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernels of dropout. */
#include "table.h"

#include <math.h>

#define FORWARD(name)  slot_dropout_forward_##name
#define BACKWARD(name) slot_dropout_backward_##name

static void prepare(struct anydnn_plugin_plan *plan, int in, int out)
{
    const struct anydnn_plugin_dropout *params = plan->problem.params;
    struct dropout_job *job = plan->job;

    opencl_take_tensor(&job->in, plan, in);
    opencl_take_tensor(&job->out, plan, out);
    job->threshold = (u64)ceil(params->probability * 0x1p32);
    job->kept = opencl_number(1 - params->probability);
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    prepare(plan, FORWARD(x), FORWARD(y));
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct dropout_job *job = plan->job;
    int32_t status =
        opencl_launch(plan, call, 0, (job->out.count + 7) / 8,
                      OPENCL_SLOTS(FORWARD(x), FORWARD(states), FORWARD(y), FORWARD(reserve)));

    return status ? status : opencl_launch(plan, call, 1, 1, OPENCL_SLOTS(FORWARD(states)));
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    prepare(plan, BACKWARD(dy), BACKWARD(dx));
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct dropout_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->out.count,
                         OPENCL_SLOTS(BACKWARD(dy), BACKWARD(reserve), BACKWARD(dx)));
}

const struct opencl_operation opencl_dropout_forward = {
    .operation = ANYDNN_PLUGIN_DROPOUT_FORWARD,
    .types = OPENCL_FLOATS,
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_DROPOUT,
    .kernels = {"dropout_forward", "dropout_advance"},
    .job_size = sizeof(struct dropout_job),
    .prepare = forward_prepare,
    .run = forward_run,
};
const struct opencl_operation opencl_dropout_backward = {
    .operation = ANYDNN_PLUGIN_DROPOUT_BACKWARD,
    .types = OPENCL_FLOATS,
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_DROPOUT,
    .kernels = {"dropout_backward"},
    .job_size = sizeof(struct dropout_job),
    .prepare = backward_prepare,
    .run = backward_run,
};
