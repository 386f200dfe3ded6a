/* SPDX-License-Identifier: Apache-2.0 */
/* The two exported objects of the backend cuda_naive, its description and its contexts. */
#include "cuda_naive.h"

#include <string.h>

const char cuda_backend_name[] = "cuda_naive";

/* Math modes are permissions, and default math is within each of them. */
#define EVERY_MATH 0xfu

static int32_t read_attribute(int32_t device, enum cudaDeviceAttr attribute, const char *what,
                              int32_t *value)
{
    int read = 0;
    int32_t status = cuda_check(device, cudaDeviceGetAttribute(&read, attribute, device), what);

    *value = read;
    return status;
}

/* Reads the setting `oracle`. */
static int32_t read_oracle(int32_t *oracle)
{
    const char *text = cuda_host->setting(cuda_host, "oracle");

    *oracle = text && strcmp(text, "on") == 0;
    if (!text || *oracle || strcmp(text, "off") == 0)
        return CUDA_SUCCESS_STATUS;
    return cuda_fail(CUDA_BAD_PARAM, "set.oracle is \"%.40s\"; it must be on or off", text);
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context *made;
    int32_t multiprocessors = 0, has_pools = 0, oracle = 0;
    int32_t status = cuda_device_usable(device);

    if (!status)
        status = read_attribute(device, cudaDevAttrMultiProcessorCount,
                                "asking for the multiprocessors", &multiprocessors);
    if (!status)
        status = read_attribute(device, cudaDevAttrMemoryPoolsSupported,
                                "asking for pools of memory", &has_pools);
    if (!status)
        status = read_oracle(&oracle);
    if (status)
        return status;
    made = cuda_host->alloc(sizeof *made);
    if (!made)
        return cuda_fail(CUDA_ALLOC_FAILED, "no memory for a context");
    *made = (struct anydnn_plugin_context){.device = device,
                                           .multiprocessors = multiprocessors,
                                           .has_pools = has_pools,
                                           .oracle = oracle};
    *context = made;
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

static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .name = cuda_backend_name,
    .vendor = "anydnn",
    .version = "0.1.0",
    .build_id = "",
    .space = "cuda",
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
        .maths = EVERY_MATH,
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
