/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernels of the convolutions and of im2col. The engine is offered under cuDNN's
 * algorithms without transforms, the deterministic one first. */
#include "table.h"

#define FORWARD(name) slot_convolution_forward_##name
#define FUSED(name)   slot_convolution_bias_activation_forward_##name
#define DATA(name)    slot_convolution_backward_data_##name
#define FILTER(name)  slot_convolution_backward_filter_##name

static void take_params(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_convolution *params = plan->problem.params;
    struct conv_job *job = plan->job;

    job->spatial = params->spatial_dims;
    job->flipped = params->mode == ANYDNN_PLUGIN_CONVOLUTION;
    job->f = opencl_activation(params->activation, params->nan_propagate, params->coef);
    for (int s = 0; s < params->spatial_dims; s++) {
        job->pad[s] = params->pad[s];
        job->stride[s] = params->stride[s];
        job->dilation[s] = params->dilation[s];
    }
}

static void prepare(struct anydnn_plugin_plan *plan, int x, int w, int y)
{
    const struct anydnn_plugin_convolution *params = plan->problem.params;
    struct conv_job *job = plan->job;

    take_params(plan);
    opencl_take_tensor(&job->x, plan, x);
    opencl_take_tensor(&job->w, plan, w);
    opencl_take_tensor(&job->y, plan, y);
    job->channels = job->w.dims[1];
    job->filters = job->w.dims[0] / params->groups;
    job->positions = job->y.count / job->y.dims[1];
}

static void forward_prepare(struct anydnn_plugin_plan *plan)
{
    prepare(plan, FORWARD(x), FORWARD(w), FORWARD(y));
}

/* The plain operation has neither z nor bias. */
static int32_t forward_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct conv_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->y.count,
                         OPENCL_SLOTS(FORWARD(x), FORWARD(w), FORWARD(x), FORWARD(x), FORWARD(y)));
}

static void fused_prepare(struct anydnn_plugin_plan *plan)
{
    struct conv_job *job = plan->job;

    prepare(plan, FUSED(x), FUSED(w), FUSED(y));
    opencl_take_tensor(&job->z, plan, FUSED(z));
    opencl_take_tensor(&job->bias, plan, FUSED(bias));
}

static int32_t fused_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct conv_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->y.count,
                         OPENCL_SLOTS(FUSED(x), FUSED(w), FUSED(z), FUSED(bias), FUSED(y)));
}

static void data_prepare(struct anydnn_plugin_plan *plan)
{
    prepare(plan, DATA(dx), DATA(w), DATA(dy));
}

static int32_t data_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct conv_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->x.count, OPENCL_SLOTS(DATA(w), DATA(dy), DATA(dx)));
}

static void filter_prepare(struct anydnn_plugin_plan *plan)
{
    prepare(plan, FILTER(x), FILTER(dw), FILTER(dy));
}

static int32_t filter_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct conv_job *job = plan->job;

    return opencl_launch_groups(plan, call, 0, job->w.count,
                                OPENCL_SLOTS(FILTER(x), FILTER(dy), FILTER(dw)));
}

static void im2col_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_convolution *params = plan->problem.params;
    struct conv_job *job = plan->job;

    take_params(plan);
    opencl_take_tensor(&job->x, plan, slot_im2col_x);
    opencl_take_tensor(&job->y, plan, slot_im2col_col);
    for (int s = 0; s < params->spatial_dims; s++) {
        int64_t covered = (params->window[s] - 1) * params->dilation[s] + 1;

        job->window[s] = params->window[s];
        job->outputs[s] =
            (job->x.dims[2 + s] + 2 * params->pad[s] - covered) / params->stride[s] + 1;
    }
}

static int32_t im2col_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct conv_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->y.count, OPENCL_SLOTS(slot_im2col_x, slot_im2col_col));
}

#define TYPES (OPENCL_FLOATS | OPENCL_TYPE(INT8) | OPENCL_TYPE(UINT8) | OPENCL_VECTORS)

const struct opencl_operation opencl_convolution_forward = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_FORWARD,
    .types = TYPES,
    .layouts = OPENCL_LAYOUTS_AND_VECTORS,
    .algorithms = 0xf,
    .first = ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
    .program = OPENCL_CONV,
    .kernels = {"conv_forward"},
    .job_size = sizeof(struct conv_job),
    .prepare = forward_prepare,
    .run = forward_run,
};
const struct opencl_operation opencl_convolution_bias_activation_forward = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_BIAS_ACTIVATION_FORWARD,
    .types = TYPES,
    .layouts = OPENCL_LAYOUTS_AND_VECTORS,
    .algorithms = 0xf,
    .first = ANYDNN_PLUGIN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
    .program = OPENCL_CONV,
    .kernels = {"conv_forward"},
    .job_size = sizeof(struct conv_job),
    .prepare = fused_prepare,
    .run = fused_run,
};
const struct opencl_operation opencl_convolution_backward_data = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_DATA,
    .types = OPENCL_FLOATS,
    .layouts = KIT_LAYOUTS,
    .algorithms = 0x3,
    .first = ANYDNN_PLUGIN_CONVOLUTION_BWD_DATA_ALGO_1,
    .program = OPENCL_CONV,
    .kernels = {"conv_backward_data"},
    .job_size = sizeof(struct conv_job),
    .prepare = data_prepare,
    .run = data_run,
};
const struct opencl_operation opencl_convolution_backward_filter = {
    .operation = ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER,
    .types = OPENCL_FLOATS,
    .layouts = KIT_LAYOUTS,
    .algorithms = 0xb,
    .first = ANYDNN_PLUGIN_CONVOLUTION_BWD_FILTER_ALGO_1,
    .program = OPENCL_CONV,
    .kernels = {"conv_backward_filter"},
    .job_size = sizeof(struct conv_job),
    .prepare = filter_prepare,
    .run = filter_run,
};
const struct opencl_operation opencl_im2col = {
    .operation = ANYDNN_PLUGIN_IM2COL,
    .types = OPENCL_FLOATS,
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_CONV,
    .kernels = {"im2col"},
    .job_size = sizeof(struct conv_job),
    .prepare = im2col_prepare,
    .run = im2col_run,
};
