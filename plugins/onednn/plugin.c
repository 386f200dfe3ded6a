/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the entry of the backend onednn, its description and its contexts. */
#include "onednn.h"

/* ------------------------------------------------------------------ contexts */

/* Opens the context's stream. Without the library, the context is created all the same, and the
 * candidates report what is missing. */
static int32_t open_stream(struct anydnn_plugin_context *context)
{
    const char *sentence;
    int32_t status = onednn_library_open(&sentence);
    dnnl_status_t made;

    if (status != ANYDNN_PLUGIN_STATUS_SUCCESS)
        return status == ANYDNN_PLUGIN_STATUS_ALLOC_FAILED ? status : ANYDNN_PLUGIN_STATUS_SUCCESS;
    made = onednn.dnnl_stream_create(&context->stream, onednn_engine, dnnl_stream_default_flags);
    if (made != dnnl_success)
        return kit_fail(onednn_status(made, ANYDNN_PLUGIN_STATUS_INTERNAL_ERROR),
                        "oneDNN cannot create a stream");
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context *made;
    int32_t status;

    status = kit_check_host_device(device);
    if (!status)
        status = onednn_threads_configure();
    if (status)
        return status;
    made = kit_alloc(sizeof *made, "a context");
    if (!made)
        return ANYDNN_PLUGIN_STATUS_ALLOC_FAILED;
    status = open_stream(made);
    if (status != ANYDNN_PLUGIN_STATUS_SUCCESS) {
        kit_host->free(made);
        return status;
    }
    *context = made;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    if (context->stream)
        onednn.dnnl_stream_destroy(context->stream);
    if (context->arena_memory)
        kit_host->free(context->arena_memory);
    kit_host->free(context);
}

/* ------------------------------------------------------------------ description */

static const struct anydnn_plugin_setting setting_library = {
    .struct_size = sizeof setting_library,
    .kind = ANYDNN_PLUGIN_SETTING_CODE,
    .key = "library",
    .help = "file of the library: a name or a path (libdnnl.so.3, or else libdnnl.so.2)",
};
static const struct anydnn_plugin_setting setting_threads = {
    .struct_size = sizeof setting_threads,
    .kind = ANYDNN_PLUGIN_SETTING_CHOICE,
    .key = "threads",
    .help = "number of threads: a number, or auto (auto: one for each processor)",
};
static const struct anydnn_plugin_setting *const settings[] = {&setting_library, &setting_threads};

/* FORK_SAFE is not set: OpenMP's threads do not exist in a child, and libgomp would wait for
 * them. */
static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .name = "onednn",
    .vendor = "anydnn",
    .version = "0.1.0",
    .build_id = "oneDNN 2.6 and 3.x",
    .space = "host",
    .context_create = context_create,
    .context_destroy = context_destroy,
    .library_version = onednn_library_version,
    .settings = settings,
    .setting_count = sizeof settings / sizeof settings[0],
};

static const struct anydnn_plugin_operation common = {
    .maths = KIT_EVERY_MATH,
    .candidates = onednn_candidates,
    .plan_create = onednn_plan_create,
    .plan_execute = onednn_plan_execute,
    .plan_destroy = onednn_plan_destroy,
};

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    kit_begin(host, &description);
    for (uint32_t i = 0; i < onednn_operation_count; i++)
        kit_publish(&description, &common, onednn_operations[i]->operation,
                    onednn_operations[i]->types, onednn_operations[i]->layouts);
    description.limits = onednn_limits;
    description.limit_count = onednn_limit_count;
    *plugin = &description;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}
