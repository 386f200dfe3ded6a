/* SPDX-License-Identifier: Apache-2.0 */
/* The two exported objects of the backend cpu_ref, its description and its contexts. */
#include "cpu_ref.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Math modes are permissions, and default math is within each of them. */
#define EVERY_MATH 0xfu

const struct anydnn_plugin_host *cpu_ref_host;

int32_t cpu_ref_fail(int32_t status, const char *format, ...)
{
    char text[400];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    cpu_ref_host->set_error(cpu_ref_host, text);
    return status;
}

/* Reads the setting `emulate`. */
static int32_t read_emulate(int32_t *emulates)
{
    const char *text = cpu_ref_host->setting(cpu_ref_host, "emulate");

    *emulates = text && strcmp(text, "on") == 0;
    if (!text || *emulates || strcmp(text, "off") == 0)
        return CPU_REF_SUCCESS;
    return cpu_ref_fail(CPU_REF_BAD_PARAM, "set.emulate is \"%.40s\"; it must be on or off", text);
}

static int32_t context_create(int32_t device, struct anydnn_plugin_context **context)
{
    struct anydnn_plugin_context *made;
    int32_t emulates, status;

    if (device != 0)
        return cpu_ref_fail(CPU_REF_BAD_PARAM, "device is %d; the host has device 0 alone", device);
    status = read_emulate(&emulates);
    if (status == CPU_REF_SUCCESS)
        status = cpu_ref_parallel_configure();
    if (status != CPU_REF_SUCCESS)
        return status;
    made = cpu_ref_host->alloc(sizeof *made);
    if (!made)
        return cpu_ref_fail(CPU_REF_ALLOC_FAILED, "no memory for a context");
    *made = (struct anydnn_plugin_context){.device = device, .emulates = emulates};
    *context = made;
    return CPU_REF_SUCCESS;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    cpu_ref_host->free(context);
}

/* The published form of the table of operations; filled once, when the host asks for the
 * description. */
static struct anydnn_plugin_operation operations[ANYDNN_PLUGIN_OPERATION_END];
static const struct anydnn_plugin_operation *operation_list[ANYDNN_PLUGIN_OPERATION_END];

static const struct anydnn_plugin_setting setting_threads = {
    .struct_size = sizeof setting_threads,
    .key = "threads",
    .help = "how many threads compute: a number (one for each processor that the process may use)",
};
static const struct anydnn_plugin_setting setting_emulate = {
    .struct_size = sizeof setting_emulate,
    .key = "emulate",
    .help = "convolutions round operands as their math mode permits: on, off (off)",
};
static const struct anydnn_plugin_setting *const settings[] = {&setting_threads, &setting_emulate};

static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .flags = ANYDNN_PLUGIN_FORK_SAFE | ANYDNN_PLUGIN_REFERENCE,
    .name = "cpu_ref",
    .vendor = "anydnn",
    .version = "0.1.0",
    .build_id = "",
    .space = "host",
    .operations = operation_list,
    .context_create = context_create,
    .context_destroy = context_destroy,
    .settings = settings,
    .setting_count = sizeof settings / sizeof settings[0],
};

static void publish(const struct cpu_ref_kernel *kernel, struct anydnn_plugin_operation *operation)
{
    *operation = (struct anydnn_plugin_operation){
        .struct_size = sizeof *operation,
        .operation = kernel->operation,
        .types = cpu_ref_kernel_types(kernel),
        .layouts = kernel->layouts,
        .maths = EVERY_MATH,
        .candidates = cpu_ref_candidates,
        .plan_create = cpu_ref_plan_create,
        .plan_execute = cpu_ref_plan_execute,
        .plan_destroy = cpu_ref_plan_destroy,
    };
}

ANYDNN_PLUGIN_EXPORT const struct anydnn_plugin_abi anydnn_plugin_abi =
    ANYDNN_PLUGIN_ABI_INITIALIZER;

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    cpu_ref_host = host;
    for (uint32_t i = 0; i < cpu_ref_kernel_count; i++) {
        publish(cpu_ref_kernels[i], &operations[i]);
        operation_list[i] = &operations[i];
    }
    description.operation_count = cpu_ref_kernel_count;
    *plugin = &description;
    return CPU_REF_SUCCESS;
}
