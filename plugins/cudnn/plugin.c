/* SPDX-License-Identifier: Apache-2.0 */
/* The two exported objects of the backend cudnn, its description and its contexts. */
#include "backend.h"

#include "engines.h"
#include "table.h"

/* What the operations without matrix units compute is default math, which is within every mode. */
#define EVERY_MATH 0xfu

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define HEADERS    TEXT(CUDNN_MAJOR) "." TEXT(CUDNN_MINOR) "." TEXT(CUDNN_PATCHLEVEL)

/* Without the library a context is made all the same: the candidates say what is missing. */
static int32_t open_handle(struct anydnn_plugin_context *context)
{
    struct cuda_visit visit;
    int32_t status;

    if (cudnn_library_open(&context->missing))
        return CUDA_SUCCESS_STATUS;
    status = cuda_enter(&visit, context->device);
    if (status)
        return status;
    status = cudnn_check(cudnn.cudnnCreate(&context->handle), "cudnnCreate");
    if (!status && cudnn_library_check(&context->missing)) {
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
    made = cuda_host->alloc(sizeof *made);
    if (!made)
        return cuda_fail(CUDA_ALLOC_FAILED, "no memory for a context");
    *made = (struct anydnn_plugin_context){.device = device};
    status = open_handle(made);
    if (status) {
        cuda_host->free(made);
        return status;
    }
    *context = made;
    return CUDA_SUCCESS_STATUS;
}

static void context_destroy(struct anydnn_plugin_context *context)
{
    struct cuda_visit visit;

    cuda_wait_device(context->device);
    if (context->handle && !cudnn_is_reset(context) && cuda_enter(&visit, context->device) == 0) {
        cudnn_lists_destroy(context);
        (void)cudnn.cudnnDestroy(context->handle);
        cuda_leave(&visit);
    }
    cuda_host->free(context);
}

/* The published form of the table of operations; filled once, when the host asks for the
 * description. */
static struct anydnn_plugin_operation operations[ANYDNN_PLUGIN_OPERATION_END];
static const struct anydnn_plugin_operation *operation_list[ANYDNN_PLUGIN_OPERATION_END];

static const struct anydnn_plugin_setting setting_library = {
    .struct_size = sizeof setting_library,
    .key = "library",
    .help = "the library's file: a name or a path (libcudnn.so.9)",
};
static const struct anydnn_plugin_setting *const settings[] = {&setting_library};

static struct anydnn_plugin description = {
    .struct_size = sizeof description,
    .name = "cudnn",
    .vendor = "anydnn",
    .version = "0.1.0",
    .build_id = "cuDNN " HEADERS,
    .space = "cuda",
    .operations = operation_list,
    .space_functions = &cuda_space,
    .context_create = context_create,
    .context_destroy = context_destroy,
    .settings = settings,
    .setting_count = sizeof settings / sizeof settings[0],
};

static void publish(const struct cudnn_operation *from, struct anydnn_plugin_operation *operation)
{
    *operation = (struct anydnn_plugin_operation){
        .struct_size = sizeof *operation,
        .operation = from->operation,
        .types = from->types,
        .layouts = from->layouts,
        .maths = EVERY_MATH,
        .candidates = cudnn_candidates,
        .plan_create = cudnn_plan_create,
        .plan_execute = cudnn_plan_execute,
        .plan_destroy = cudnn_plan_destroy,
    };
}

ANYDNN_PLUGIN_EXPORT const struct anydnn_plugin_abi anydnn_plugin_abi =
    ANYDNN_PLUGIN_ABI_INITIALIZER;

ANYDNN_PLUGIN_EXPORT int32_t anydnn_plugin_main(const struct anydnn_plugin_host *host,
                                                const struct anydnn_plugin **plugin)
{
    cuda_host = host;
    for (uint32_t i = 0; i < cudnn_operation_count; i++) {
        publish(cudnn_operations[i], &operations[i]);
        operation_list[i] = &operations[i];
    }
    description.operation_count = cudnn_operation_count;
    description.limits = cudnn_limits;
    description.limit_count = cudnn_limit_count;
    *plugin = &description;
    return CUDA_SUCCESS_STATUS;
}
