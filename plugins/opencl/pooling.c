/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernels of pooling. */
#include "table.h"

#include <float.h>

#define FORWARD(name)  slot_pooling_forward_##name
#define BACKWARD(name) slot_pooling_backward_##name

static double lowest_of(int32_t type)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return (double)-FLT_MAX;
    case ANYDNN_PLUGIN_DOUBLE:
        return -DBL_MAX;
    case ANYDNN_PLUGIN_HALF:
        return -65504;
    case ANYDNN_PLUGIN_BFLOAT16:
        return -0x1.fep127;
    default:
        return -128;
    }
}

static void prepare(struct anydnn_plugin_plan *plan, int x, int y)
{
    const struct anydnn_plugin_pooling *params = plan->problem.params;
    struct pooling_job *job = plan->job;

    opencl_take_tensor(&job->x, plan, x);
    opencl_take_tensor(&job->y, plan, y);
    job->spatial = params->spatial_dims;
    job->is_max = params->mode == ANYDNN_PLUGIN_POOLING_MAX ||
                  params->mode == ANYDNN_PLUGIN_POOLING_MAX_DETERMINISTIC;
    job->counts_padding = params->mode == ANYDNN_PLUGIN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING;
    job->nan_propagate = params->nan_propagate;
    for (int s = 0; s < params->spatial_dims; s++) {
        job->window[s] = params->window[s];
        job->pad[s] = params->pad[s];
        job->stride[s] = params->stride[s];
    }
    job->lowest = opencl_number(lowest_of(job->x.type));
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    prepare(plan, FORWARD(x), FORWARD(y));
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct pooling_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->y.count, OPENCL_SLOTS(FORWARD(x), FORWARD(y)));
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    struct pooling_job *job = plan->job;

    prepare(plan, BACKWARD(x), BACKWARD(y));
    opencl_take_tensor(&job->dy, plan, BACKWARD(dy));
    opencl_take_tensor(&job->dx, plan, BACKWARD(dx));
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct pooling_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->dx.count,
                         OPENCL_SLOTS(BACKWARD(y), BACKWARD(dy), BACKWARD(x), BACKWARD(dx)));
}

const struct opencl_operation opencl_pooling_forward = {
    .operation = ANYDNN_PLUGIN_POOLING_FORWARD,
    .types = OPENCL_FLOATS | OPENCL_TYPE(INT8) | OPENCL_TYPE(INT8X4) | OPENCL_TYPE(INT8X32),
    .layouts = OPENCL_LAYOUTS_AND_VECTORS,
    .program = OPENCL_POOLING,
    .kernels = {"pooling_forward"},
    .job_size = sizeof(struct pooling_job),
    .prepare = forward_prepare,
    .run = forward_run,
};
const struct opencl_operation opencl_pooling_backward = {
    .operation = ANYDNN_PLUGIN_POOLING_BACKWARD,
    .types = OPENCL_FLOATS,
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_POOLING,
    .kernels = {"pooling_backward"},
    .job_size = sizeof(struct pooling_job),
    .prepare = backward_prepare,
    .run = backward_run,
};
