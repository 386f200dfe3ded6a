/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the entry point of the backend clblast, its description and its contexts. */
#include "clblast.h"

/* Checks that the owner of the space publishes what this backend uses. */
static int32_t find_space(const struct anydnn_plugin_space **space)
{
    const struct anydnn_plugin_space *owner = kit_host->space(kit_host);

    if (!owner)
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "no live backend owns the space opencl, in which this one works");
    if (!owner->native || !owner->pointer_resolve || !owner->memory_copy_async)
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "the backend that owns the space opencl publishes no native objects or "
                        "buffers");
    *space = owner;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* Returns 1 if the device computes with double. */
static int has_double(cl_device_id device)
{
    cl_device_fp_config doubles = 0;

    return clblast.clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles,
                                   NULL) == CL_SUCCESS &&
           doubles != 0;
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    const struct anydnn_plugin_space *space = NULL;
    struct anydnn_plugin_context *made;
    void *id = NULL;
    int32_t status = clblast_load();

    if (!status)
        status = find_space(&space);
    if (!status)
        status = space->native(device, ANYDNN_PLUGIN_NATIVE_DEVICE, NULL, &id);
    if (status)
        return status;
    made = kit_alloc(sizeof *made, "a context");
    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    made->device = device;
    made->space = space;
    made->has_double = has_double(id);
    *context = made;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

/* Waits for the default stream alone: nothing of this backend is in use by queued work. */
static void context_destroy(struct anydnn_plugin_context *context)
{
    context->space->synchronize(context->device, NULL);
    kit_host->free(context);
}

static const struct anydnn_plugin_setting setting_library = {
    .struct_size = sizeof setting_library,
    .kind = ANYDNN_PLUGIN_SETTING_CODE,
    .key = "library",
    .help = "file of CLBlast: a name or a path (libclblast.so.1)",
};
static const struct anydnn_plugin_setting *const settings[] = {&setting_library};

/* FORK_SAFE is not set: drivers start threads, which do not exist in a child. */
static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .name = "clblast",
    .vendor = "anydnn",
    .version = "0.1.0",
    .build_id = "CLBlast 1.5 and later",
    .space = "opencl",
    .space_convention = CLBLAST_CONVENTION,
    .context_create = context_create,
    .context_destroy = context_destroy,
    .settings = settings,
    .setting_count = sizeof settings / sizeof settings[0],
};

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    static const int32_t operations[] = {ANYDNN_PLUGIN_CONVOLUTION_FORWARD, ANYDNN_PLUGIN_MATMUL};
    const uint32_t types =
        ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_FLOAT) | ANYDNN_PLUGIN_TYPE_BIT(ANYDNN_PLUGIN_DOUBLE);
    const struct anydnn_plugin_operation common = {
        .maths = KIT_EVERY_MATH,
        .candidates = clblast_candidates,
        .plan_create = clblast_plan_create,
        .plan_execute = clblast_plan_execute,
        .plan_destroy = clblast_plan_destroy,
    };

    kit_begin(host, &description);
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        kit_publish(&description, &common, operations[i], types,
                    ANYDNN_PLUGIN_LAYOUT_NCHW | ANYDNN_PLUGIN_LAYOUT_STRIDED);
    *plugin = &description;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}
