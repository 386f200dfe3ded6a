/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the function table of the OpenCL space, and reports errors. */
#include "opencl.h"

#include <stdio.h>

int32_t opencl_check(cl_int error, const char *what)
{
    int is_shortage = error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES ||
                      error == CL_OUT_OF_HOST_MEMORY;

    if (error == CL_SUCCESS)
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    return kit_fail(is_shortage ? ANYDNN_PLUGIN_STATUS_ALLOC_FAILED
                                : ANYDNN_PLUGIN_STATUS_EXECUTION_FAILED,
                    "%s: OpenCL error %d", what, (int)error);
}

/* Counts devices. A machine without a loader, a driver or a usable device has 0 devices; this is a
 * valid result, and the reason is reported. */
static int32_t device_count(int32_t *count)
{
    const char *why;

    *count = opencl_device_count(&why);
    if (*count == 0)
        kit_fail(ANYDNN_PLUGIN_STATUS_SUCCESS, "%s", why);
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

int32_t opencl_flush(int32_t number, void *stream)
{
    struct opencl_device *device;
    int32_t status = opencl_enter(number, &device);

    return status ? status
                  : opencl_check(opencl.clFlush(opencl_queue(device, stream)), "submitting work");
}

int32_t opencl_native(int32_t number, int32_t kind, void *stream, void **object)
{
    struct opencl_device *device;
    int32_t status = opencl_enter(number, &device);

    if (status)
        return status;
    switch (kind) {
    case ANYDNN_PLUGIN_NATIVE_CONTEXT:
        *object = device->context;
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    case ANYDNN_PLUGIN_NATIVE_DEVICE:
        *object = device->id;
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    case ANYDNN_PLUGIN_NATIVE_STREAM:
        *object = opencl_queue(device, stream);
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    default:
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "native objects of kind %d are unknown; the kinds are 1 to 3", kind);
    }
}

/* OpenCL has no current device. */
static int32_t device_current(int32_t *device)
{
    *device = 0;
    return ANYDNN_PLUGIN_STATUS_SUCCESS;
}

static int32_t device_name(int32_t number, char *text, size_t size)
{
    struct opencl_device *device;
    int32_t status = opencl_enter(number, &device);

    if (!status && size > 0)
        snprintf(text, size, "%s", device->name);
    return status;
}

static int32_t device_identity(int32_t number, char *text, size_t size)
{
    struct opencl_device *device;
    int32_t status = opencl_enter(number, &device);

    if (!status && size > 0)
        snprintf(text, size, "%s", device->identity);
    return status;
}

/* Returns 0, since OpenCL has no errors that stay. */
static int32_t poisoned(int32_t device)
{
    (void)device;
    return 0;
}

/* OpenCL cannot record a command queue, so that the host repeats recorded calls. */
const struct anydnn_plugin_space opencl_space = {
    .struct_size = sizeof(struct anydnn_plugin_space),
    .device_count = device_count,
    .device_current = device_current,
    .device_name = device_name,
    .pointer_owner = opencl_pointer_owner,
    .memory_alloc = opencl_memory_alloc,
    .memory_free = opencl_memory_free,
    .memory_copy = opencl_memory_copy,
    .memory_set = opencl_memory_set,
    .synchronize = opencl_synchronize,
    .stream_check = opencl_stream_check,
    .mark_create = opencl_mark_create,
    .mark_record = opencl_mark_record,
    .mark_elapsed = opencl_mark_elapsed,
    .mark_destroy = opencl_mark_destroy,
    .poisoned = poisoned,
    .stream_create = opencl_stream_create,
    .stream_destroy = opencl_stream_destroy,
    .stream_wait = opencl_stream_wait,
    .device_identity = device_identity,
    .host_alloc = opencl_host_alloc,
    .host_free = opencl_host_free,
    .memory_copy_async = opencl_memory_copy_async,
    .count_special = opencl_count_special,
    .flags = ANYDNN_PLUGIN_SPACE_BOTH,
    .flush = opencl_flush,
    .native = opencl_native,
    .pointer_resolve = opencl_pointer_resolve,
    .adopt = opencl_adopt,
    .memory_import = opencl_memory_import,
};
