/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernels of batch normalization. The values of the cells pass from one kernel to the
 * next in a scratch buffer of the call. */
#include "table.h"

#define INFERENCE(name) slot_batch_normalization_inference_##name
#define TRAINING(name)  slot_batch_normalization_training_##name
#define BACKWARD(name)  slot_batch_normalization_backward_##name

static void prepare(struct anydnn_plugin_plan *plan, int x)
{
    const struct anydnn_plugin_batch_normalization *params = plan->problem.params;
    struct norm_job *job = plan->job;

    opencl_take_tensor(&job->x, plan, x);
    job->is_activated = params->ops != ANYDNN_PLUGIN_BATCHNORM_OPS_BN;
    job->run = params->mode == ANYDNN_PLUGIN_BATCHNORM_PER_ACTIVATION
                   ? 1
                   : job->x.count / job->x.dims[0] / job->x.dims[1];
    job->count = job->run * job->x.dims[0];
    job->cells = job->x.count / job->count;
    job->f = opencl_activation(params->activation, params->nan_propagate, params->coef);
    job->epsilon = opencl_number(params->epsilon);
}

/* ------------------------------------------------------------------ inference */

static void inference_prepare(struct anydnn_plugin_plan *plan)
{
    struct norm_job *job = plan->job;

    prepare(plan, INFERENCE(x));
    opencl_take_tensor(&job->scale, plan, INFERENCE(scale));
    opencl_take_tensor(&job->bias, plan, INFERENCE(bias));
    opencl_take_tensor(&job->mean, plan, INFERENCE(mean));
    opencl_take_tensor(&job->var, plan, INFERENCE(var));
    opencl_take_tensor(&job->y, plan, INFERENCE(y));
}

static int32_t inference_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct norm_job *job = plan->job;
    int32_t status = opencl_take_scratch(call, job->cells * NORM_VALUES);

    if (!status)
        status = opencl_launch(plan, call, 0, job->cells,
                               OPENCL_SLOTS(OPENCL_SCRATCH, INFERENCE(mean), INFERENCE(var)));
    if (!status)
        status = opencl_launch(plan, call, 1, job->y.count,
                               OPENCL_SLOTS(OPENCL_SCRATCH, INFERENCE(x), INFERENCE(scale),
                                            INFERENCE(bias), INFERENCE(x), INFERENCE(y)));
    return status;
}

/* ------------------------------------------------------------------ training */

static void training_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_batch_normalization *params = plan->problem.params;
    struct norm_job *job = plan->job;

    prepare(plan, TRAINING(x));
    opencl_take_tensor(&job->scale, plan, TRAINING(scale));
    opencl_take_tensor(&job->bias, plan, TRAINING(bias));
    if (params->ops == ANYDNN_PLUGIN_BATCHNORM_OPS_BN_ADD_ACTIVATION)
        opencl_take_tensor(&job->z, plan, TRAINING(z));
    opencl_take_tensor(&job->mean, plan, TRAINING(running_mean));
    opencl_take_tensor(&job->var, plan, TRAINING(running_var));
    opencl_take_tensor(&job->y, plan, TRAINING(y));
    opencl_take_tensor(&job->save_mean, plan, TRAINING(save_mean));
    opencl_take_tensor(&job->save_inv_var, plan, TRAINING(save_inv_var));
}

/* Writes the reserve before y, because y may overwrite x. */
static int32_t training_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct norm_job *job = plan->job;
    int32_t status = opencl_take_scratch(call, job->cells * NORM_VALUES);

    if (!status)
        status = opencl_launch_groups(plan, call, 0, job->cells,
                                      OPENCL_SLOTS(OPENCL_SCRATCH, TRAINING(x),
                                                   TRAINING(running_mean), TRAINING(running_var),
                                                   TRAINING(save_mean), TRAINING(save_inv_var)));
    if (!status && job->is_activated)
        status = opencl_launch(plan, call, 2, (job->x.count + 7) / 8,
                               OPENCL_SLOTS(OPENCL_SCRATCH, TRAINING(x), TRAINING(scale),
                                            TRAINING(bias), TRAINING(z), TRAINING(reserve)));
    if (!status)
        status = opencl_launch(plan, call, 1, job->y.count,
                               OPENCL_SLOTS(OPENCL_SCRATCH, TRAINING(x), TRAINING(scale),
                                            TRAINING(bias), TRAINING(z), TRAINING(y)));
    return status;
}

/* ------------------------------------------------------------------ backward */

static void backward_prepare(struct anydnn_plugin_plan *plan)
{
    struct norm_job *job = plan->job;

    prepare(plan, BACKWARD(x));
    opencl_take_tensor(&job->dy, plan, BACKWARD(dy));
    opencl_take_tensor(&job->y, plan, BACKWARD(y));
    opencl_take_tensor(&job->scale, plan, BACKWARD(scale));
    opencl_take_tensor(&job->bias, plan, BACKWARD(bias));
    opencl_take_tensor(&job->save_mean, plan, BACKWARD(save_mean));
    opencl_take_tensor(&job->save_inv_var, plan, BACKWARD(save_inv_var));
    opencl_take_tensor(&job->dx, plan, BACKWARD(dx));
    opencl_take_tensor(&job->dz, plan, BACKWARD(dz));
    opencl_take_tensor(&job->dscale, plan, BACKWARD(dscale));
    opencl_take_tensor(&job->dbias, plan, BACKWARD(dbias));
}

static int32_t backward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct norm_job *job = plan->job;
    int32_t status = opencl_take_scratch(call, job->cells * NORM_VALUES);

    if (!status)
        status = opencl_launch_groups(
            plan, call, 0, job->cells,
            OPENCL_SLOTS(OPENCL_SCRATCH, BACKWARD(x), BACKWARD(save_mean), BACKWARD(save_inv_var)));
    if (!status)
        status = opencl_launch_groups(
            plan, call, 1, job->cells,
            OPENCL_SLOTS(OPENCL_SCRATCH, BACKWARD(x), BACKWARD(dy), BACKWARD(y), BACKWARD(scale),
                         BACKWARD(bias), BACKWARD(reserve), BACKWARD(dscale), BACKWARD(dbias)));
    if (!status)
        status = opencl_launch(plan, call, 2, job->x.count,
                               OPENCL_SLOTS(OPENCL_SCRATCH, BACKWARD(x), BACKWARD(dy), BACKWARD(y),
                                            BACKWARD(scale), BACKWARD(bias), BACKWARD(reserve),
                                            BACKWARD(dx), BACKWARD(dz)));
    return status;
}

const struct opencl_operation opencl_batch_normalization_inference = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_INFERENCE,
    .types = OPENCL_FLOATS | OPENCL_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_NORM,
    .kernels = {"norm_given", "norm_forward"},
    .job_size = sizeof(struct norm_job),
    .prepare = inference_prepare,
    .run = inference_run,
};
const struct opencl_operation opencl_batch_normalization_training = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_TRAINING,
    .types = OPENCL_FLOATS,
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_NORM,
    .kernels = {"norm_measured", "norm_forward", "norm_reserve"},
    .job_size = sizeof(struct norm_job),
    .prepare = training_prepare,
    .run = training_run,
};
const struct opencl_operation opencl_batch_normalization_backward = {
    .operation = ANYDNN_PLUGIN_BATCH_NORMALIZATION_BACKWARD,
    .types = OPENCL_FLOATS,
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_NORM,
    .kernels = {"norm_statistics", "norm_sums", "norm_backward"},
    .job_size = sizeof(struct norm_job),
    .prepare = backward_prepare,
    .run = backward_run,
};
