/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the entry of the backend cpu_ref, its description and its contexts. */
#include "cpu_ref.h"

#include "../kit/limits.h"

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context *made;
    int32_t emulates, status;

    status = kit_check_host_device(device);
    if (!status)
        status = kit_setting_switch("emulate", &emulates);
    if (!status)
        status = cpu_ref_parallel_configure();
    if (status)
        return status;
    made = kit_alloc(sizeof *made, "a context");
    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    *made = (struct anydnn_plugin_context){.device = device, .emulates = emulates};
    *context = made;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    kit_host->free(context);
}

static const struct anydnn_plugin_setting setting_threads = {
    .struct_size = sizeof setting_threads,
    .kind = ANYDNN_PLUGIN_SETTING_CHOICE,
    .key = "threads",
    .help = "number of threads: a number, or auto (auto: one for each processor)",
};
static const struct anydnn_plugin_setting setting_emulate = {
    .struct_size = sizeof setting_emulate,
    .kind = ANYDNN_PLUGIN_SETTING_CHOICE,
    .key = "emulate",
    .help = "round operands of convolutions as their math mode permits: on or off (off)",
};
static const struct anydnn_plugin_setting *const settings[] = {&setting_threads, &setting_emulate};

static const struct anydnn_plugin_limit *const limits[] = {&kit_parameter_types};

static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .flags = ANYDNN_PLUGIN_FORK_SAFE | ANYDNN_PLUGIN_REFERENCE,
    .name = "cpu_ref",
    .vendor = "anydnn",
    .version = "0.1.0",
    .build_id = "",
    .space = "host",
    .limits = limits,
    .limit_count = sizeof limits / sizeof limits[0],
    .context_create = context_create,
    .context_destroy = context_destroy,
    .settings = settings,
    .setting_count = sizeof settings / sizeof settings[0],
};

static const struct anydnn_plugin_operation common = {
    .maths = KIT_EVERY_MATH,
    .candidates = cpu_ref_candidates,
    .plan_create = cpu_ref_plan_create,
    .plan_execute = cpu_ref_plan_execute,
    .plan_destroy = cpu_ref_plan_destroy,
};

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    kit_begin(host, &description);
    for (uint32_t i = 0; i < cpu_ref_kernel_count; i++) {
        const struct cpu_ref_kernel *kernel = cpu_ref_kernels[i];

        kit_publish(&description, &common, kernel->operation, cpu_ref_kernel_types(kernel),
                    kernel->layouts);
    }
    *plugin = &description;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}
