/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernels of divisive normalization. */
#include "table.h"

#define FORWARD(name)  slot_divisive_normalization_forward_##name
#define BACKWARD(name) slot_divisive_normalization_backward_##name

/* Takes the tensors, the window and the coefficients, which are rounded to the type of the scaling
 * factors, as anydnn.h specifies. */
static void prepare(struct anydnn_plugin_plan *plan, int x, int means, int out)
{
    const struct anydnn_plugin_lrn *params = plan->problem.params;
    int is_double = plan->problem.tensor[x]->type == ANYDNN_PLUGIN_DOUBLE;
    double alpha = is_double ? params->alpha : (double)(float)params->alpha;
    struct divisive_job *job = plan->job;

    opencl_take_tensor(&job->x, plan, x);
    opencl_take_tensor(&job->means, plan, means);
    opencl_take_tensor(&job->out, plan, out);
    job->before = (params->n - 1) / 2;
    job->after = params->n - 1 - job->before;
    for (int d = 2; d < job->x.ndims; d++)
        alpha /= params->n;
    job->alpha = opencl_number(alpha);
    job->beta = opencl_number(is_double ? params->beta : (double)(float)params->beta);
    job->k = opencl_number(is_double ? params->k : (double)(float)params->k);
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    prepare(plan, FORWARD(x), FORWARD(means), FORWARD(y));
}

static int32_t forward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct divisive_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->x.count,
                         OPENCL_SLOTS(FORWARD(x), FORWARD(means), FORWARD(y)));
}

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    struct divisive_job *job = plan->job;

    prepare(plan, BACKWARD(x), BACKWARD(means), BACKWARD(dx));
    opencl_take_tensor(&job->dy, plan, BACKWARD(dy));
    opencl_take_tensor(&job->dmeans, plan, BACKWARD(dmeans));
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct divisive_job *job = plan->job;
    int32_t status = opencl_take_scratch(call, kit_times(job->x.count, 2));

    if (!status)
        status = opencl_launch(plan, call, 0, job->x.count,
                               OPENCL_SLOTS(OPENCL_SCRATCH, BACKWARD(x), BACKWARD(means),
                                            BACKWARD(dy), BACKWARD(dmeans)));
    if (!status)
        status =
            opencl_launch(plan, call, 1, job->x.count,
                          OPENCL_SLOTS(OPENCL_SCRATCH, BACKWARD(x), BACKWARD(means), BACKWARD(dx)));
    return status;
}

const struct opencl_operation opencl_divisive_normalization_forward = {
    .operation = ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_FORWARD,
    .types = OPENCL_FLOATS,
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_DIVISIVE,
    .kernels = {"divisive_forward"},
    .job_size = sizeof(struct divisive_job),
    .prepare = forward_prepare,
    .run = forward_run,
};
const struct opencl_operation opencl_divisive_normalization_backward = {
    .operation = ANYDNN_PLUGIN_DIVISIVE_NORMALIZATION_BACKWARD,
    .types = OPENCL_FLOATS,
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_DIVISIVE,
    .kernels = {"divisive_parts", "divisive_backward"},
    .job_size = sizeof(struct divisive_job),
    .prepare = backward_prepare,
    .run = backward_run,
};
