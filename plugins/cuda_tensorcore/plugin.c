/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the entry point of the backend cuda_tensorcore, its description and its contexts. */
#include "tensorcore.h"

/* The math modes that permit matrix units: all but default. */
#define MATRIX_MATH 0xeu

static int32_t read_attributes(struct anydnn_plugin_context *context)
{
    int32_t device = context->cuda.device, major = 0, minor = 0;
    int32_t status =
        cuda_read_attribute(device, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                            "querying the shared memory of a block", &context->shared_bytes);

    if (!status)
        status = cuda_read_attribute(device, cudaDevAttrComputeCapabilityMajor,
                                     "querying the compute capability", &major);
    if (!status)
        status = cuda_read_attribute(device, cudaDevAttrComputeCapabilityMinor,
                                     "querying the compute capability", &minor);
    context->generation = 10 * major + minor;
    return status;
}

/* Reads the properties of the device. The query for the loaded code creates the device's CUDA
 * context. */
static int32_t read_device(struct anydnn_plugin_context *context)
{
    struct cuda_visit visit;
    int32_t status = read_attributes(context);

    if (!status)
        status = cuda_enter(&visit, context->cuda.device);
    if (status)
        return status;
    status = tc_code_capability(context->cuda.device, &context->capability[TC_CODE_ANY]);
    if (!status)
        context->capability[TC_CODE_90A] = tc_code_90a_capability(context->generation);
    cuda_leave(&visit);
    return status;
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    return cuda_context_create(device, sizeof **context, read_device, context);
}

static const struct anydnn_plugin_limit depthwise = {
    .struct_size = sizeof depthwise,
    .value = 2,
    .name = "channels of a group",
    .sentence = "groups must have at least 2 channels",
};
static const struct anydnn_plugin_limit dims = {
    .struct_size = sizeof dims,
    .value = CONV_DIMS,
    .name = "spatial dims",
    .sentence = "cuda_tensorcore supports up to 3 spatial dims",
};
static const struct anydnn_plugin_limit *const limits[] = {&depthwise, &dims};

static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .name = "cuda_tensorcore",
    .vendor = "anydnn",
    .version = "0.1.0",
    .build_id = "",
    .space = "cuda",
    .space_convention = CUDA_SPACE_CONVENTION,
    .limit_count = sizeof limits / sizeof limits[0],
    .limits = limits,
    .space_functions = &cuda_space,
    .context_create = context_create,
    .context_destroy = cuda_context_destroy,
};

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    kit_begin(host, &description);
    cuda_publish(&description, MATRIX_MATH);
    *plugin = &description;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}
