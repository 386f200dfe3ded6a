/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts, and the published form of a backend's table of operations. */
#include "plan.h"

static int32_t read_attribute(int32_t device, enum cudaDeviceAttr attribute, const char *what,
                              int32_t *value)
{
    int read = 0;
    int32_t status = cuda_check(device, cudaDeviceGetAttribute(&read, attribute, device), what);

    *value = read;
    return status;
}

int32_t cuda_context_create(int32_t device, int32_t (*more)(struct anydnn_plugin_context *context),
                            struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context read = {.device = device};
    int32_t status = cuda_device_usable(device), major = 0, minor = 0;

    if (!status)
        status = read_attribute(device, cudaDevAttrMultiProcessorCount,
                                "asking for the multiprocessors", &read.multiprocessors);
    if (!status)
        status = read_attribute(device, cudaDevAttrMemoryPoolsSupported,
                                "asking for pools of memory", &read.has_pools);
    if (!status)
        status = read_attribute(device, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                "asking for the shared memory of a block", &read.shared_bytes);
    if (!status)
        status = read_attribute(device, cudaDevAttrComputeCapabilityMajor,
                                "asking for the compute capability", &major);
    if (!status)
        status = read_attribute(device, cudaDevAttrComputeCapabilityMinor,
                                "asking for the compute capability", &minor);
    read.generation = 10 * major + minor;
    if (!status && more)
        status = more(&read);
    if (status)
        return status;
    *context = kit_alloc(sizeof **context, "a context");
    if (!*context)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    **context = read;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

void cuda_context_destroy(struct anydnn_plugin_context *context)
{
    cuda_wait_device(context->device);
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
