/* SPDX-License-Identifier: Apache-2.0 */
/* Fills jobs in, and enqueues kernels. */
#include "plan.h"

#include <string.h>

/* ------------------------------------------------------------------ jobs */

void opencl_take_tensor(struct job_tensor *to, const struct anydnn_plugin_plan *plan, int slot)
{
    const struct anydnn_plugin_tensor *from = plan->problem.tensor[slot];

    if (!from)
        return;
    to->type = kit_lane_type(from->type);
    to->lanes = (int32_t)kit_lanes(from->type);
    to->ndims = from->ndims;
    to->present = 1;
    to->count = 1;
    for (int d = 0; d < from->ndims; d++) {
        to->dims[d] = from->dims[d];
        to->strides[d] = from->dims[d] > 1 ? from->strides[d] * to->lanes : 0;
        to->count *= from->dims[d];
    }
}

struct job_number opencl_number(double value)
{
    struct job_number number = {.single = (float)value};

    memcpy(&number.bits, &value, sizeof number.bits);
    return number;
}

struct job_activation opencl_activation(int32_t mode, int32_t nan_propagate, double coef)
{
    return (struct job_activation){
        .coef = opencl_number(coef), .mode = mode, .nan_propagate = nan_propagate};
}

/* ------------------------------------------------------------------ launches */

static void *pointer_of(const struct opencl_call *call, int slot)
{
    void *const *data = call->operands->data;

    for (int i = 0; i < ANYDNN_PLUGIN_OPERAND_MAX && !data[slot]; i++)
        if (data[i])
            return data[i];
    return data[slot];
}

/* Sets the arguments behind the job: the call's values, then the pointers. */
static cl_int set_arguments(const struct opencl_call *call, cl_kernel kernel, const int slots[],
                            int count)
{
    cl_int error = opencl.clSetKernelArg(kernel, 1, sizeof call->values, &call->values);

    for (int i = 0; i < count && error == CL_SUCCESS; i++)
        error = slots[i] == OPENCL_SCRATCH
                    ? opencl.clSetKernelArg(kernel, (cl_uint)i + 2, sizeof(cl_mem), &call->scratch)
                    : opencl.clSetKernelArgSVMPointer(kernel, (cl_uint)i + 2,
                                                      pointer_of(call, slots[i]));
    return error;
}

int32_t opencl_launch(const struct anydnn_plugin_plan *plan, struct opencl_call *call, int kernel,
                      int64_t items, const int slots[], int count)
{
    int64_t groups = items / JOB_GROUP + (items % JOB_GROUP != 0);

    return opencl_launch_groups(plan, call, kernel, groups, slots, count);
}

int32_t opencl_launch_groups(const struct anydnn_plugin_plan *plan, struct opencl_call *call,
                             int kernel, int64_t groups, const int slots[], int count)
{
    const size_t group = JOB_GROUP, total = (size_t)groups * JOB_GROUP;
    int32_t status;

    if (groups > (int64_t)(SIZE_MAX / JOB_GROUP))
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "the kernel would have %lld groups, which are too many", (long long)groups);
    status = opencl_check(set_arguments(call, plan->kernel[kernel], slots, count),
                          "setting a kernel's arguments");
    if (status)
        return status;
    status = opencl_check(opencl.clEnqueueNDRangeKernel(call->queue, plan->kernel[kernel], 1, NULL,
                                                        &total, &group, 0, NULL, NULL),
                          "enqueueing a kernel");
    if (!status)
        *call->effect = ANYDNN_PLUGIN_EFFECT_ENQUEUED;
    return status;
}

int32_t opencl_take_scratch(struct opencl_call *call, int64_t numbers)
{
    cl_int error = CL_SUCCESS;

    call->scratch = opencl.clCreateBuffer(call->device->context, CL_MEM_READ_WRITE,
                                          kit_bytes(numbers, sizeof(double)), NULL, &error);
    return opencl_check(error, "allocating memory between kernels");
}
