/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the entry point of the backend opencl, its description and its contexts. */
#include "plan.h"

#include "../kit/limits.h"

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context *made;
    struct opencl_device *found;
    int32_t is_off, status = kit_setting_switch("no_double", &is_off);

    if (!status)
        status = opencl_enter(device, &found);
    if (status)
        return status;
    made = kit_alloc(sizeof *made, "a context");
    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    made->device = found;
    *context = made;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    struct opencl_device *device;

    if (opencl_enter(context->device->number, &device) == 0)
        opencl_finish(device);
    kit_host->free(context);
}

/* A test builds a second backend from these sources. */
#ifndef OPENCL_NAME
#define OPENCL_NAME "opencl"
#endif

#define SETTING(name, what, text)                                                                  \
    {                                                                                              \
        .struct_size = sizeof(struct anydnn_plugin_setting), .kind = (what), .key = (name),        \
        .help = (text),                                                                            \
    }

static const struct anydnn_plugin_setting setting_library =
    SETTING("library", ANYDNN_PLUGIN_SETTING_CODE,
            "file of the OpenCL loader: a name or a path (libOpenCL.so.1)");
static const struct anydnn_plugin_setting setting_platform =
    SETTING("platform", ANYDNN_PLUGIN_SETTING_CHOICE,
            "use only platforms with this in their name (all platforms)");
static const struct anydnn_plugin_setting setting_device =
    SETTING("device", ANYDNN_PLUGIN_SETTING_CHOICE,
            "use only devices of this kind, gpu, accelerator or cpu, or with this in their name "
            "(all devices)");
static const struct anydnn_plugin_setting setting_no_double =
    SETTING("no_double", ANYDNN_PLUGIN_SETTING_CHOICE,
            "compute without double, as on a device that lacks it: on or off (off)");
static const struct anydnn_plugin_setting *const settings[] = {&setting_library, &setting_platform,
                                                               &setting_device, &setting_no_double};

static const struct anydnn_plugin_limit *const limits[] = {&kit_parameter_types};

/* FORK_SAFE is not set: drivers start threads, which do not exist in a child. */
static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .flags = ANYDNN_PLUGIN_REFERENCE,
    .name = OPENCL_NAME,
    .vendor = "anydnn",
    .version = "0.1.0",
    .build_id = "OpenCL 2.0 and later",
    .space = "opencl",
    .space_convention = OPENCL_CONVENTION,
    .space_functions = &opencl_space,
    .limits = limits,
    .limit_count = sizeof limits / sizeof limits[0],
    .context_create = context_create,
    .context_destroy = context_destroy,
    .settings = settings,
    .setting_count = sizeof settings / sizeof settings[0],
};

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    const struct anydnn_plugin_operation common = {
        .maths = KIT_EVERY_MATH,
        .candidates = opencl_candidates,
        .plan_create = opencl_plan_create,
        .plan_execute = opencl_plan_execute,
        .plan_destroy = opencl_plan_destroy,
    };

    kit_begin(host, &description);
    for (uint32_t i = 0; i < opencl_operation_count; i++)
        kit_publish(&description, &common, opencl_operations[i]->operation,
                    opencl_operations[i]->types, opencl_operations[i]->layouts);
    *plugin = &description;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}
