/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the entry point of the backend cuda_naive, its description and its contexts. */
#include "../cuda_common/table.h"
#include "../kit/limits.h"

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    return cuda_context_create(device, sizeof **context, NULL, context);
}

static const struct anydnn_plugin_limit *const limits[] = {&kit_parameter_types};

static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .flags = ANYDNN_PLUGIN_REFERENCE,
    .name = "cuda_naive",
    .vendor = "anydnn",
    .version = "0.1.0",
    .build_id = "",
    .space = "cuda",
    .space_convention = CUDA_SPACE_CONVENTION,
    .space_functions = &cuda_space,
    .limits = limits,
    .limit_count = sizeof limits / sizeof limits[0],
    .context_create = context_create,
    .context_destroy = cuda_context_destroy,
};

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    kit_begin(host, &description);
    cuda_publish(&description, KIT_EVERY_MATH);
    *plugin = &description;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}
