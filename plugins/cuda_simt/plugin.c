/* SPDX-License-Identifier: Apache-2.0 */
/* The entry of the backend cuda_simt, its description and its contexts. */
#include "table.h"

static int32_t read_oracle(struct anydnn_plugin_context *context)
{
    return kit_setting_switch("oracle", &context->oracle);
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    return cuda_context_create(device, sizeof **context, read_oracle, context);
}

static const struct anydnn_plugin_setting setting_oracle = {
    .struct_size = sizeof setting_oracle,
    .kind = ANYDNN_PLUGIN_SETTING_CHOICE,
    .key = "oracle",
    .help = "convolutions run in double, one thread a result: on, off (off)",
};
static const struct anydnn_plugin_setting *const settings[] = {&setting_oracle};

static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .name = "cuda_simt",
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

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    kit_begin(host, &description);
    cuda_publish(&description, KIT_EVERY_MATH);
    *plugin = &description;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}
