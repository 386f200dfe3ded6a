/* SPDX-License-Identifier: Apache-2.0 */
/* The two exported objects of the backend cuda_naive, its description and its contexts. */
#include "../cuda_common/plan.h"

#include <string.h>

const char cuda_backend_name[] = "cuda_naive";

/* Math modes are permissions, and default math is within each of them. */
#define EVERY_MATH 0xfu

/* Reads the setting `oracle`. */
static int32_t read_oracle(struct anydnn_plugin_context *context)
{
    const char *text = cuda_host->setting(cuda_host, "oracle");

    context->oracle = text && strcmp(text, "on") == 0;
    if (!text || context->oracle || strcmp(text, "off") == 0)
        return CUDA_SUCCESS_STATUS;
    return cuda_fail(CUDA_BAD_PARAM, "set.oracle is \"%.40s\"; it must be on or off", text);
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    return cuda_context_create(device, read_oracle, context);
}

static const struct anydnn_plugin_setting setting_oracle = {
    .struct_size = sizeof setting_oracle,
    .key = "oracle",
    .help = "convolutions run in double, one thread a result: on, off (off)",
};
static const struct anydnn_plugin_setting *const settings[] = {&setting_oracle};

static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .name = cuda_backend_name,
    .vendor = "anydnn",
    .version = "0.1.0",
    .build_id = "",
    .space = "cuda",
    .space_functions = &cuda_space,
    .context_create = context_create,
    .context_destroy = cuda_context_destroy,
    .settings = settings,
    .setting_count = sizeof settings / sizeof settings[0],
};

ANYDNN_PLUGIN_EXPORT const struct anydnn_plugin_abi anydnn_plugin_abi =
    ANYDNN_PLUGIN_ABI_INITIALIZER;

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    cuda_host = host;
    cuda_publish(&description, EVERY_MATH);
    *plugin = &description;
    return CUDA_SUCCESS_STATUS;
}
