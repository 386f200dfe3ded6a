/* SPDX-License-Identifier: Apache-2.0 */
/* Creates the context of a CUDA backend on a device, and publishes its table of operations. */
#include "plan.h"

int32_t cuda_read_attribute(int32_t device, enum cudaDeviceAttr attribute, const char *what,
                            int32_t *value)
{
    int read = 0;
    int32_t status = cuda_check(device, cudaDeviceGetAttribute(&read, attribute, device), what);

    *value = read;
    return status;
}

/* Reads the device attributes that every backend needs. */
static int32_t read_device(struct cuda_context *context, int32_t device)
{
    int32_t status = cuda_device_usable(device);

    context->device = device;
    if (!status)
        status = cuda_read_attribute(device, cudaDevAttrMultiProcessorCount,
                                     "querying the number of multiprocessors",
                                     &context->multiprocessors);
    if (!status)
        status = cuda_read_attribute(device, cudaDevAttrMemoryPoolsSupported,
                                     "querying support of memory pools", &context->has_pools);
    return status;
}

int32_t cuda_context_create(int32_t device, size_t bytes,
                            int32_t (*more)(struct anydnn_plugin_context *context),
                            struct anydnn_plugin_context **context)
{
    struct cuda_context read = {0};
    struct anydnn_plugin_context *made;
    int32_t status = read_device(&read, device);

    if (status)
        return status;
    made = kit_alloc(bytes, "a context");
    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    *(struct cuda_context *)made = read;
    status = more ? more(made) : ANYDNN_PLUGIN_STATUS_SUCCESS;
    if (status)
        kit_host->free(made);
    else
        *context = made;
    return status;
}

void cuda_context_destroy(struct anydnn_plugin_context *context)
{
    cuda_wait_device(((const struct cuda_context *)context)->device);
    kit_host->free(context);
}

void cuda_publish(struct anydnn_plugin *description, uint32_t maths)
{
    const struct anydnn_plugin_operation common = {
        .maths = maths,
        .candidates = cuda_candidates,
        .plan_create = cuda_plan_create,
        .plan_execute = cuda_plan_execute,
        .plan_destroy = cuda_plan_destroy,
    };

    for (uint32_t i = 0; i < cuda_operation_count; i++)
        kit_publish(description, &common, cuda_operations[i]->operation, cuda_operations[i]->types,
                    cuda_operations[i]->layouts);
}
