/* SPDX-License-Identifier: Apache-2.0 */
/* Implements candidates and plans for all operations. */
#include "plan.h"

/* The number of the only engine of each operation. */
#define THE_ENGINE 1

static const struct opencl_operation *find(int32_t operation)
{
    for (uint32_t i = 0; i < opencl_operation_count; i++) {
        if (opencl_operations[i]->operation == operation)
            return opencl_operations[i];
    }
    return NULL;
}

/* Refuses the types that kernels without double cannot compute. */
static int32_t check_types(const struct opencl_device *device,
                           const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    for (int32_t slot = 0; slot < ANYDNN_PLUGIN_OPERAND_MAX; slot++) {
        const struct anydnn_plugin_tensor *tensor = problem->tensor[slot];

        if (tensor && !device->has_double &&
            (tensor->type == ANYDNN_PLUGIN_DOUBLE || tensor->type == ANYDNN_PLUGIN_INT32))
            return kit_refuse(why, ANYDNN_PLUGIN_REASON_DEVICE,
                              "%s is %s; the OpenCL device %s does not compute with double, which "
                              "this type requires",
                              kit_slot_name(problem->operation, slot), kit_type_name(tensor->type),
                              device->name);
    }
    return 0;
}

static int32_t check(const struct opencl_device *device, const struct opencl_operation *operation,
                     const struct anydnn_plugin_problem *problem, struct kit_refusal *why)
{
    int32_t reason = kit_check_extensions(problem, why);

    if (!reason)
        reason = check_types(device, problem, why);
    return reason || !operation->check ? reason : operation->check(problem, why);
}

int32_t opencl_candidates(struct anydnn_plugin_context *context,
                          const struct anydnn_plugin_problem *problem, anydnn_plugin_offer_fn offer,
                          void *cookie)
{
    const struct opencl_operation *operation = find(problem->operation);
    struct anydnn_plugin_candidate candidate = {.engine = THE_ENGINE};
    struct anydnn_plugin_problem copy;
    struct kit_copies copies;
    struct kit_refusal why;

    kit_copy_problem(&copy, &copies, problem);
    if (!operation)
        kit_refuse(&why, ANYDNN_PLUGIN_REASON_OPERATION, "%s does not provide %s", kit_name,
                   kit_operation_name(problem->operation));
    if (!operation || check(context->device, operation, &copy, &why))
        kit_offer_refusal(&why, offer, cookie);
    else
        kit_offer(&candidate, 1, operation->algorithms, operation->first, offer, cookie);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------ plans */

void opencl_plan_destroy(struct anydnn_plugin_plan *plan)
{
    for (int i = 0; i < OPENCL_KERNELS; i++)
        if (plan->kernel[i])
            opencl.clReleaseKernel(plan->kernel[i]);
    if (plan->buffer)
        opencl.clReleaseMemObject(plan->buffer);
    kit_host->free(plan);
}

/* Creates the kernels, whose first argument is the job. */
static int32_t make_kernels(struct anydnn_plugin_plan *plan)
{
    const struct opencl_operation *operation = plan->operation;
    int32_t type =
        operation->program == OPENCL_CONV ? kit_lane_type(plan->problem.tensor[0]->type) : 0;
    cl_int error = CL_SUCCESS;
    int32_t status;

    plan->buffer =
        opencl.clCreateBuffer(plan->device->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                              operation->job_size, plan->job, &error);
    status = opencl_check(error, "creating a buffer");
    pthread_mutex_lock(&plan->device->lock);
    for (int i = 0; i < OPENCL_KERNELS && operation->kernels[i] && !status; i++) {
        status = opencl_make_kernel(plan->device, operation->program, type, operation->kernels[i],
                                    &plan->kernel[i]);
        if (!status)
            status = opencl_check(
                opencl.clSetKernelArg(plan->kernel[i], 0, sizeof(cl_mem), &plan->buffer),
                "setting a kernel's argument");
    }
    pthread_mutex_unlock(&plan->device->lock);
    return status;
}

/* Refuses a plan that was not offered. */
static int32_t check_plan(struct anydnn_plugin_context *context,
                          const struct opencl_operation *operation,
                          const struct anydnn_plugin_problem *problem, uint64_t engine)
{
    struct kit_refusal why;

    if (!operation)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "%s does not provide operation %d",
                        kit_name, problem->operation);
    if (engine != THE_ENGINE)
        return kit_fail(ANYDNN_PLUGIN_STATUS_BAD_PARAM, "operation %d: engine %llu does not exist",
                        problem->operation, (unsigned long long)engine);
    if (check(context->device, operation, problem, &why))
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "%s", why.sentence);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int32_t opencl_plan_create(struct anydnn_plugin_context *context,
                           const struct anydnn_plugin_problem *problem, uint64_t engine,
                           struct anydnn_plugin_plan **plan)
{
    const struct opencl_operation *operation = find(problem->operation);
    struct anydnn_plugin_problem copy;
    struct anydnn_plugin_plan *made;
    struct kit_copies copies;
    size_t job_at = (sizeof *made + 63) / 64 * 64;
    int32_t status;

    kit_copy_problem(&copy, &copies, problem);
    status = check_plan(context, operation, &copy, engine);
    if (status)
        return status;
    made = kit_alloc(job_at + operation->job_size, "a plan");
    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    kit_copy_problem(&made->problem, &made->copies, problem);
    made->problem.extension = NULL;
    made->operation = operation;
    made->device = context->device;
    made->job = (char *)made + job_at;
    operation->prepare(made);
    status = make_kernels(made);
    if (status)
        opencl_plan_destroy(made);
    else
        *plan = made;
    return status;
}

int32_t opencl_plan_execute(struct anydnn_plugin_plan *plan,
                            const struct anydnn_plugin_operands *operands, int32_t *effect)
{
    struct anydnn_plugin_operands whole;
    struct opencl_call call = {.device = plan->device, .effect = effect};
    struct opencl_device *device;
    cl_int flushed = CL_SUCCESS;
    int32_t status;

    *effect = ANYDNN_PLUGIN_EFFECT_NONE;
    operands = kit_whole_operands(operands, &whole);
    status = opencl_enter(plan->device->number, &device);
    if (status)
        return status;
    call.operands = operands;
    call.queue = opencl_queue(device, operands->stream);
    for (int i = 0; i < JOB_AVERAGE; i++)
        call.values.factor[i] = opencl_number(operands->scale[i]);
    call.values.factor[JOB_AVERAGE] = opencl_number(operands->number[0]);
    status = plan->operation->run(plan, &call);
    if (call.scratch)
        opencl.clReleaseMemObject(call.scratch);
    if (*effect == ANYDNN_PLUGIN_EFFECT_ENQUEUED)
        flushed = opencl.clFlush(call.queue);
    return status ? status : opencl_check(flushed, "submitting a call");
}
