/* SPDX-License-Identifier: Apache-2.0 */
/* Launches the kernels of reduce_tensor and of count_special. */
#include "table.h"

/* ------------------------------------------------------------------ reduce_tensor */

static void prepare(struct anydnn_plugin_plan *plan)
{
    const struct anydnn_plugin_reduce *params = plan->problem.params;
    struct reduce_job *job = plan->job;

    opencl_take_tensor(&job->a, plan, slot_reduce_tensor_a);
    opencl_take_tensor(&job->c, plan, slot_reduce_tensor_c);
    opencl_take_tensor(&job->indices, plan, slot_reduce_tensor_indices);
    for (int d = 0; d < job->a.ndims; d++)
        job->extents[d] = job->a.dims[d] == job->c.dims[d] ? 1 : job->a.dims[d];
    job->count = job->a.count / job->c.count;
    job->op = params->op;
    job->nan_propagate = params->nan_propagate;
}

static int32_t run(const struct anydnn_plugin_plan *plan, struct opencl_call *call)
{
    const struct reduce_job *job = plan->job;

    return opencl_launch_groups(
        plan, call, 0, job->c.count,
        OPENCL_SLOTS(slot_reduce_tensor_a, slot_reduce_tensor_c, slot_reduce_tensor_indices));
}

const struct opencl_operation opencl_reduce_tensor = {
    .operation = ANYDNN_PLUGIN_REDUCE_TENSOR,
    .types = OPENCL_FLOATS | OPENCL_TYPE(INT8),
    .layouts = KIT_LAYOUTS,
    .program = OPENCL_REDUCE,
    .kernels = {"reduce_elements"},
    .job_size = sizeof(struct reduce_job),
    .prepare = prepare,
    .run = run,
};

/* ------------------------------------------------------------------ count_special */

/* Describes the scalars of a type. Returns 0 for a type that only a reduction's indices have. */
static int take_type(struct special_job *job, int32_t type)
{
    job->bytes = (i32)kit_type_size(type);
    job->magnitude = UINT64_MAX;
    switch (kit_lane_type(type)) {
    case ANYDNN_PLUGIN_FLOAT:
        job->magnitude = 0x7fffffff;
        job->infinity = 0x7f800000;
        return 1;
    case ANYDNN_PLUGIN_DOUBLE:
        job->magnitude = INT64_MAX;
        job->infinity = UINT64_C(0x7ff0000000000000);
        return 1;
    case ANYDNN_PLUGIN_HALF:
        job->magnitude = 0x7fff;
        job->infinity = 0x7c00;
        return 1;
    case ANYDNN_PLUGIN_BFLOAT16:
        job->magnitude = 0x7fff;
        job->infinity = 0x7f80;
        return 1;
    case ANYDNN_PLUGIN_INT8:
    case ANYDNN_PLUGIN_UINT8:
    case ANYDNN_PLUGIN_INT32:
    case ANYDNN_PLUGIN_INT64:
        return 1;
    default:
        return 0;
    }
}

/* Takes the dims of a tensor. The lanes of vectors become a further dim. */
static void take_dims(struct special_job *job, const struct anydnn_plugin_tensor *tensor)
{
    int64_t lanes = kit_lanes(tensor->type);

    job->count = 1;
    job->ndims = tensor->ndims + 1;
    for (int d = 0; d < tensor->ndims; d++) {
        job->dims[d] = d == 1 ? tensor->dims[d] / lanes : tensor->dims[d];
        job->strides[d] = tensor->strides[d] * lanes;
        job->count *= tensor->dims[d];
    }
    job->dims[tensor->ndims] = lanes;
    job->strides[tensor->ndims] = 1;
}

/* Sets the arguments and enqueues the kernel. The caller holds the lock, since all threads share
 * the kernel. */
static cl_int enqueue(const struct opencl_device *device, void *stream,
                      const struct special_job *job, const void *data, uint64_t *counts)
{
    const size_t group = JOB_GROUP;
    cl_int error = opencl.clSetKernelArg(device->special, 0, sizeof *job, job);

    if (error == CL_SUCCESS)
        error = opencl.clSetKernelArgSVMPointer(device->special, 1, data);
    if (error == CL_SUCCESS)
        error = opencl.clSetKernelArgSVMPointer(device->special, 2, counts);
    if (error == CL_SUCCESS)
        error = opencl.clEnqueueNDRangeKernel(opencl_queue(device, stream), device->special, 1,
                                              NULL, &group, &group, 0, NULL, NULL);
    return error == CL_SUCCESS ? opencl.clFlush(opencl_queue(device, stream)) : error;
}

int32_t opencl_count_special(int32_t number, void *stream,
                             const struct anydnn_plugin_tensor *tensor, const void *data,
                             uint64_t *counts)
{
    struct special_job job = {0};
    struct opencl_device *device;
    int32_t status = opencl_enter(number, &device);

    if (status)
        return status;
    if (!take_type(&job, tensor->type))
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "elements of %s are not examined for special values",
                        kit_type_name(tensor->type));
    take_dims(&job, tensor);
    pthread_mutex_lock(&device->lock);
    if (!device->special)
        status = opencl_make_kernel(device, OPENCL_REDUCE, 0, "count_special", &device->special);
    if (!status)
        status =
            opencl_check(enqueue(device, stream, &job, data, counts), "counting special values");
    pthread_mutex_unlock(&device->lock);
    return status;
}
