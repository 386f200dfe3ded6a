/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the entry of the backend cudnn, its description and its contexts. */
#include "backend.h"

#include "engines.h"
#include "table.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define HEADERS    TEXT(CUDNN_MAJOR) "." TEXT(CUDNN_MINOR) "." TEXT(CUDNN_PATCHLEVEL)

/* Opens the context's handle. Without the library, the context is created all the same, and the
 * candidates report what is missing. */
static int32_t open_handle(struct anydnn_plugin_context *context)
{
    struct cuda_visit visit;
    int32_t status;

    if (cdn_library_open(&context->missing))
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    status = cuda_enter(&visit, context->device);
    if (status)
        return status;
    status = cdn_check(cudnn.cudnnCreate(&context->handle), "cudnnCreate");
    if (!status && cdn_library_check(&context->missing)) {
        (void)cudnn.cudnnDestroy(context->handle);
        context->handle = NULL;
    }
    context->primary = cuda_primary(context->device);
    cuda_leave(&visit);
    return status;
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context *made;
    int32_t status = cuda_device_usable(device);

    if (status)
        return status;
    made = kit_alloc(sizeof *made, "a context");
    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    made->device = device;
    status = open_handle(made);
    if (status) {
        kit_host->free(made);
        return status;
    }
    *context = made;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    struct cuda_visit visit;

    cuda_wait_device(context->device);
    if (context->handle && !cdn_is_reset(context) && cuda_enter(&visit, context->device) == 0) {
        cdn_lists_destroy(context);
        (void)cudnn.cudnnDestroy(context->handle);
        cuda_leave(&visit);
    }
    kit_host->free(context);
}

static const struct anydnn_plugin_setting setting_library = {
    .struct_size = sizeof setting_library,
    .kind = ANYDNN_PLUGIN_SETTING_CODE,
    .key = "library",
    .help = "file of the library: a name or a path (libcudnn.so.9)",
};
static const struct anydnn_plugin_setting *const settings[] = {&setting_library};

static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .name = "cudnn",
    .vendor = "anydnn",
    .version = "0.1.0",
    .build_id = "cuDNN " HEADERS,
    .space = "cuda",
    .space_convention = CUDA_SPACE_CONVENTION,
    .space_functions = &cuda_space,
    .context_create = context_create,
    .context_destroy = context_destroy,
    .errata = cdn_errata_list,
    .library_version = cdn_library_version_text,
    .settings = settings,
    .setting_count = sizeof settings / sizeof settings[0],
};

/* The functions of every operation. Operations without matrix units compute in default math, which
 * every mode permits. */
static const struct anydnn_plugin_operation common = {
    .maths = KIT_EVERY_MATH,
    .candidates = cdn_candidates,
    .plan_create = cdn_plan_create,
    .plan_execute = cdn_plan_execute,
    .plan_destroy = cdn_plan_destroy,
};

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    kit_begin(host, &description);
    for (uint32_t i = 0; i < cdn_operation_count; i++)
        kit_publish(&description, &common, cdn_operations[i]->operation, cdn_operations[i]->types,
                    cdn_operations[i]->layouts);
    description.limits = cdn_limits;
    description.limit_count = cdn_limit_count;
    *plugin = &description;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}
