/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernels of the operations on tensors without windows, and of the bias gradient. */
#include "table.h"

#include <string.h>

_Static_assert(KIT_SAME_SLOT(transform_tensor, add_tensor, x) &&
                   KIT_SAME_SLOT(transform_tensor, add_tensor, y) &&
                   KIT_SAME_SLOT(transform_tensor_ex, transform_filter, x) &&
                   KIT_SAME_SLOT(transform_tensor_ex, transform_filter, y),
               "these operations share functions");

/* ------------------------------------------------------------------ blends */

static void two_prepare(struct anydnn_plugin_plan *plan)
{
    struct blend_job *job = plan->job;

    opencl_take_tensor(&job->x, plan, slot_transform_tensor_x);
    opencl_take_tensor(&job->out, plan, slot_transform_tensor_y);
}

static int32_t two_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct blend_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->out.count,
                         OPENCL_SLOTS(slot_transform_tensor_x, slot_transform_tensor_y));
}

static void scale_prepare(struct anydnn_plugin_plan *plan)
{
    struct blend_job *job = plan->job;

    opencl_take_tensor(&job->x, plan, slot_scale_tensor_y);
    opencl_take_tensor(&job->out, plan, slot_scale_tensor_y);
}

static int32_t scale_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct blend_job *job = plan->job;

    call->values.factor[1] = opencl_number(0);
    return opencl_launch(plan, call, 0, job->out.count,
                         OPENCL_SLOTS(slot_scale_tensor_y, slot_scale_tensor_y));
}

static void set_prepare(struct anydnn_plugin_plan *plan)
{
    struct blend_job *job = plan->job;

    opencl_take_tensor(&job->out, plan, slot_set_tensor_y);
    job->size = (int32_t)kit_type_size(job->out.type);
}

static int32_t set_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct blend_job *job = plan->job;

    memcpy(call->values.value, call->operands->value, (size_t)(job->size * job->out.lanes));
    return opencl_launch(plan, call, 0, job->out.count, OPENCL_SLOTS(slot_set_tensor_y));
}

static void bias_prepare(struct anydnn_plugin_plan *plan)
{
    struct blend_job *job = plan->job;

    opencl_take_tensor(&job->x, plan, slot_convolution_backward_bias_dy);
    opencl_take_tensor(&job->out, plan, slot_convolution_backward_bias_db);
}

static int32_t bias_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct blend_job *job = plan->job;

    return opencl_launch_groups(
        plan, call, 0, job->x.dims[1],
        OPENCL_SLOTS(slot_convolution_backward_bias_dy, slot_convolution_backward_bias_db));
}

/* ------------------------------------------------------------------ op_tensor */

static void op_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_op_tensor *params = plan->problem.params;
    struct op_job *job = plan->job;

    opencl_take_tensor(&job->a, plan, slot_op_tensor_a);
    opencl_take_tensor(&job->c, plan, slot_op_tensor_c);
    if (params->op != ANYDNN_PLUGIN_OP_TENSOR_SQRT && params->op != ANYDNN_PLUGIN_OP_TENSOR_NOT)
        opencl_take_tensor(&job->b, plan, slot_op_tensor_b);
    job->op = params->op;
    job->nan_propagate = params->nan_propagate;
}

static int32_t op_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct op_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->c.count,
                         OPENCL_SLOTS(slot_op_tensor_a, slot_op_tensor_b, slot_op_tensor_c));
}

/* ------------------------------------------------------------------ transforms with folds and pads
 */

static void transform_prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_transform *params = plan->problem.params;
    struct transform_job *job = plan->job;
    int64_t block = 1;

    opencl_take_tensor(&job->x, plan, slot_transform_tensor_ex_x);
    opencl_take_tensor(&job->y, plan, slot_transform_tensor_ex_y);
    job->folds = params->direction == ANYDNN_PLUGIN_TRANSFORM_FOLD;
    for (int d = 2; d < job->x.ndims; d++) {
        job->fold[d - 2] = params->fold[d - 2];
        block *= params->fold[d - 2];
    }
    job->channels = (job->folds ? job->y : job->x).dims[1] / block;
    for (int d = 0; d < job->x.ndims; d++) {
        job->inner[d] = job->x.dims[d];
        if (!job->folds && d > 0)
            job->inner[d] = d == 1 ? job->channels : job->x.dims[d] * job->fold[d - 2];
        job->pad_before[d] = params->pad_before[d];
        job->pad_after[d] = params->pad_after[d];
    }
}

static int32_t transform_run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct transform_job *job = plan->job;

    return opencl_launch(plan, call, 0, job->y.count,
                         OPENCL_SLOTS(slot_transform_tensor_ex_x, slot_transform_tensor_ex_y));
}

/* ------------------------------------------------------------------ entries */

#define TYPES (OPENCL_FLOATS | OPENCL_INTEGERS | OPENCL_VECTORS)

/* An entry whose job is a struct blend_job. */
#define BLEND(number, kernel, set, kinds, function)                                                \
    {                                                                                              \
        .operation = ANYDNN_PLUGIN_##number, .types = (set), .layouts = (kinds),                   \
        .program = OPENCL_TENSOR, .kernels = {kernel}, .job_size = sizeof(struct blend_job),       \
        .prepare = function##_prepare, .run = function##_run,                                      \
    }

const struct opencl_operation opencl_transform_tensor =
    BLEND(TRANSFORM_TENSOR, "blend_elements", TYPES, OPENCL_LAYOUTS_AND_VECTORS, two);
const struct opencl_operation opencl_add_tensor =
    BLEND(ADD_TENSOR, "blend_elements", TYPES, OPENCL_LAYOUTS_AND_VECTORS, two);
const struct opencl_operation opencl_scale_tensor =
    BLEND(SCALE_TENSOR, "blend_elements", TYPES, OPENCL_LAYOUTS_AND_VECTORS, scale);
const struct opencl_operation opencl_set_tensor =
    BLEND(SET_TENSOR, "set_elements", TYPES, OPENCL_LAYOUTS_AND_VECTORS, set);
const struct opencl_operation opencl_convolution_backward_bias =
    BLEND(CONVOLUTION_BACKWARD_BIAS, "channel_sums", OPENCL_FLOATS, KIT_LAYOUTS, bias);
const struct opencl_operation opencl_op_tensor = {
    .operation = ANYDNN_PLUGIN_OP_TENSOR,
    .types = OPENCL_FLOATS | OPENCL_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_TENSOR,
    .kernels = {"op_elements"},
    .job_size = sizeof(struct op_job),
    .prepare = op_prepare,
    .run = op_run,
};
const struct opencl_operation opencl_transform_tensor_ex = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_TENSOR_EX,
    .types = TYPES,
    .layouts = OPENCL_LAYOUTS_AND_VECTORS,
    .program = OPENCL_TENSOR,
    .kernels = {"transform_elements"},
    .job_size = sizeof(struct transform_job),
    .prepare = transform_prepare,
    .run = transform_run,
};
const struct opencl_operation opencl_transform_filter = {
    .operation = ANYDNN_PLUGIN_TRANSFORM_FILTER,
    .types = OPENCL_FLOATS | OPENCL_TYPE(INT8) | OPENCL_TYPE(UINT8),
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_TENSOR,
    .kernels = {"transform_elements"},
    .job_size = sizeof(struct transform_job),
    .prepare = transform_prepare,
    .run = transform_run,
};
