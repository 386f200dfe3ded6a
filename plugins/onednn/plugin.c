/* SPDX-License-Identifier: Apache-2.0 */
/* The two exported objects of the backend onednn, its description and its contexts. */
#include "onednn.h"

#include <stdarg.h>
#include <stdio.h>

/* Math modes are permissions, and default math is within each of them. */
#define EVERY_MATH 0xfu

const struct anydnn_plugin_host *onednn_host;

int32_t onednn_fail(int32_t status, const char *format, ...)
{
    char text[400];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    onednn_host->set_error(onednn_host, text);
    return status;
}

int32_t onednn_refuse(struct onednn_refusal *why, int32_t reason, const char *format, ...)
{
    va_list list;

    why->reason = reason;
    va_start(list, format);
    vsnprintf(why->sentence, sizeof why->sentence, format, list);
    va_end(list);
    return reason;
}

const char *onednn_type_name(int32_t type)
{
    static const char *const names[] = {
        [ANYDNN_PLUGIN_FLOAT] = "float",     [ANYDNN_PLUGIN_DOUBLE] = "double",
        [ANYDNN_PLUGIN_HALF] = "half",       [ANYDNN_PLUGIN_INT8] = "int8",
        [ANYDNN_PLUGIN_INT32] = "int32",     [ANYDNN_PLUGIN_INT8X4] = "int8x4",
        [ANYDNN_PLUGIN_UINT8] = "uint8",     [ANYDNN_PLUGIN_UINT8X4] = "uint8x4",
        [ANYDNN_PLUGIN_INT8X32] = "int8x32", [ANYDNN_PLUGIN_BFLOAT16] = "bfloat16",
        [ANYDNN_PLUGIN_INT64] = "int64",
    };

    return type >= 0 && type < (int32_t)(sizeof names / sizeof names[0]) ? names[type]
                                                                         : "an unknown type";
}

/* ------------------------------------------------------------------ contexts */

/* Without the library a context is made all the same: the candidates say what is missing. */
static int32_t open_stream(struct anydnn_plugin_context *context)
{
    const char *sentence;
    int32_t status = onednn_library_open(&sentence);
    dnnl_status_t made;

    if (status != ONEDNN_SUCCESS)
        return status == ONEDNN_ALLOC_FAILED ? status : ONEDNN_SUCCESS;
    made = onednn.dnnl_stream_create(&context->stream, onednn_engine, dnnl_stream_default_flags);
    if (made != dnnl_success)
        return onednn_fail(onednn_status(made, ONEDNN_INTERNAL_ERROR),
                           "oneDNN cannot make a stream");
    return ONEDNN_SUCCESS;
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context *made;
    int32_t status;

    if (device != 0)
        return onednn_fail(ONEDNN_BAD_PARAM, "device is %d; the host has device 0 alone", device);
    status = onednn_threads_configure();
    if (status != ONEDNN_SUCCESS)
        return status;
    made = onednn_host->alloc(sizeof *made);
    if (!made)
        return onednn_fail(ONEDNN_ALLOC_FAILED, "no memory for a context");
    *made = (struct anydnn_plugin_context){0};
    status = open_stream(made);
    if (status != ONEDNN_SUCCESS) {
        onednn_host->free(made);
        return status;
    }
    *context = made;
    return ONEDNN_SUCCESS;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    if (context->stream)
        onednn.dnnl_stream_destroy(context->stream);
    if (context->arena_memory)
        onednn_host->free(context->arena_memory);
    onednn_host->free(context);
}

/* ------------------------------------------------------------------ description */

/* The published form of the table of operations; filled once, when the host asks for the
 * description. */
static struct anydnn_plugin_operation operations[ANYDNN_PLUGIN_OPERATION_END];
static const struct anydnn_plugin_operation *operation_list[ANYDNN_PLUGIN_OPERATION_END];

static const struct anydnn_plugin_setting setting_library = {
    .struct_size = sizeof setting_library,
    .key = "library",
    .help = "the library's file: a name or a path (libdnnl.so.3, or else libdnnl.so.2)",
};
static const struct anydnn_plugin_setting setting_threads = {
    .struct_size = sizeof setting_threads,
    .key = "threads",
    .help = "how many threads compute: a number, or auto (auto: one for each processor)",
};
static const struct anydnn_plugin_setting *const settings[] = {&setting_library, &setting_threads};

/* Not FORK_SAFE: OpenMP's threads do not exist in a child, and libgomp waits for them. */
static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .name = "onednn",
    .vendor = "anydnn",
    .version = "0.1.0",
    .build_id = "oneDNN 2.6 and 3.x",
    .space = "host",
    .operations = operation_list,
    .context_create = context_create,
    .context_destroy = context_destroy,
    .settings = settings,
    .setting_count = sizeof settings / sizeof settings[0],
};

static void publish(const struct onednn_operation *from, struct anydnn_plugin_operation *operation)
{
    *operation = (struct anydnn_plugin_operation){
        .struct_size = sizeof *operation,
        .operation = from->operation,
        .types = from->types,
        .layouts = from->layouts,
        .maths = EVERY_MATH,
        .candidates = onednn_candidates,
        .plan_create = onednn_plan_create,
        .plan_execute = onednn_plan_execute,
        .plan_destroy = onednn_plan_destroy,
    };
}

ANYDNN_PLUGIN_EXPORT const struct anydnn_plugin_abi anydnn_plugin_abi =
    ANYDNN_PLUGIN_ABI_INITIALIZER;

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    onednn_host = host;
    for (uint32_t i = 0; i < onednn_operation_count; i++) {
        publish(onednn_operations[i], &operations[i]);
        operation_list[i] = &operations[i];
    }
    description.operation_count = onednn_operation_count;
    description.limits = onednn_limits;
    description.limit_count = onednn_limit_count;
    *plugin = &description;
    return ONEDNN_SUCCESS;
}
