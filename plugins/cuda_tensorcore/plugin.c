/* SPDX-License-Identifier: Apache-2.0 */
/* The two exported objects of the backend cuda_tensorcore, its description and its contexts. */
#include "tensorcore.h"

const char cuda_backend_name[] = "cuda_tensorcore";

/* All but default: what permits matrix units. */
#define MATRIX_MATH 0xeu

static int32_t read_attribute(int32_t device, enum cudaDeviceAttr attribute, const char *what,
                              int32_t *value)
{
    int read = 0;
    int32_t status = cuda_check(device, cudaDeviceGetAttribute(&read, attribute, device), what);

    *value = read;
    return status;
}

/* Asking which code the driver takes makes the device's context. */
static int32_t read_capability(int32_t device, int32_t *capability)
{
    struct cuda_visit visit;
    int32_t status = cuda_enter(&visit, device);

    if (status)
        return status;
    status = tc_code_capability(device, capability);
    cuda_leave(&visit);
    return status;
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context read = {.device = device};
    int32_t status = cuda_device_usable(device);

    if (!status)
        status = read_attribute(device, cudaDevAttrMultiProcessorCount,
                                "asking for the multiprocessors", &read.multiprocessors);
    if (!status)
        status = read_attribute(device, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                "asking for the shared memory of a block", &read.shared_bytes);
    if (!status)
        status = read_capability(device, &read.capability);
    if (status)
        return status;
    *context = cuda_host->alloc(sizeof **context);
    if (!*context)
        return cuda_fail(CUDA_ALLOC_FAILED, "no memory for a context");
    **context = read;
    return CUDA_SUCCESS_STATUS;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    cuda_host->free(context);
}

/* The published form of the table of operations; filled once, when the host asks for the
 * description. */
static struct anydnn_plugin_operation operations[ANYDNN_PLUGIN_OPERATION_END];
static const struct anydnn_plugin_operation *operation_list[ANYDNN_PLUGIN_OPERATION_END];

static const struct anydnn_plugin_limit depthwise = {
    .struct_size = sizeof depthwise,
    .value = 2,
    .name = "channels of a group",
    .sentence = "groups of at least 2 channels",
};
static const struct anydnn_plugin_limit dims = {
    .struct_size = sizeof dims,
    .value = CONV_DIMS,
    .name = "spatial dims",
    .sentence = "up to 3 spatial dims",
};
static const struct anydnn_plugin_limit *const limits[] = {&depthwise, &dims};

static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .name = cuda_backend_name,
    .vendor = "anydnn",
    .version = "0.1.0",
    .build_id = "",
    .space = "cuda",
    .limit_count = sizeof limits / sizeof limits[0],
    .limits = limits,
    .operations = operation_list,
    .space_functions = &cuda_space,
    .context_create = context_create,
    .context_destroy = context_destroy,
};

static void publish(const struct cuda_operation *from, struct anydnn_plugin_operation *operation)
{
    *operation = (struct anydnn_plugin_operation){
        .struct_size = sizeof *operation,
        .operation = from->operation,
        .types = from->types,
        .layouts = from->layouts,
        .maths = MATRIX_MATH,
        .candidates = cuda_candidates,
        .plan_create = cuda_plan_create,
        .plan_execute = cuda_plan_execute,
        .plan_destroy = cuda_plan_destroy,
    };
}

ANYDNN_PLUGIN_EXPORT const struct anydnn_plugin_abi anydnn_plugin_abi =
    ANYDNN_PLUGIN_ABI_INITIALIZER;

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    cuda_host = host;
    for (uint32_t i = 0; i < cuda_operation_count; i++) {
        publish(cuda_operations[i], &operations[i]);
        operation_list[i] = &operations[i];
    }
    description.operation_count = cuda_operation_count;
    *plugin = &description;
    return CUDA_SUCCESS_STATUS;
}
