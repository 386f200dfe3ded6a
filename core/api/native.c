/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of native objects: handles on the application's own, those of a handle, and imported
 * memory. */
#include "dispatch/handle/guard.h"
#include "dispatch/handle/handle.h"
#include "shadow/shadow.h"

#include "load/load.h"
#include "sys/callback.h"
#include "sys/error.h"
#include "trace/trace.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

static anydnnStatus_t check_pointer(const char *entry, const char *argument, const void *pointer)
{
    if (pointer)
        return SUCCESS;
    return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: %s is NULL", entry, argument);
}

/* Checks the handle and its device. */
static anydnnStatus_t check(anydnnHandle_t handle, const char *entry)
{
    anydnnStatus_t status = adn_handle_check(handle, entry);

    adn_load_error_clear();
    return status == SUCCESS ? adn_guard_lost(entry, handle) : status;
}

anydnnStatus_t anydnnCreateOnNative(anydnnHandle_t *handle, const char *space, void *context,
                                    void *stream)
{
    ADN_ENTRY_SCOPE;
    static const char entry[] = "anydnnCreateOnNative";
    anydnnStatus_t status = check_pointer(entry, "handle", handle);

    if (status == SUCCESS)
        status = check_pointer(entry, "space", space);
    if (status == SUCCESS)
        status = check_pointer(entry, "context", context);
    if (status == SUCCESS && adn_process_exiting)
        return adn_fail(ANYDNN_STATUS_SHUTTING_DOWN, "%s: the process is exiting", entry);
    if (status == SUCCESS)
        status = adn_handle_adopt(handle, space, context, stream, entry);
    if (status == SUCCESS) {
        adn_trace_begin(*handle);
        adn_shadow_begin(*handle);
    }
    return status;
}

anydnnStatus_t anydnnGetNative(anydnnHandle_t handle, anydnnNative_t kind, void **object)
{
    ADN_ENTRY_SCOPE;
    static const char entry[] = "anydnnGetNative";
    const struct anydnn_plugin_space *functions;
    anydnnStatus_t status = check(handle, entry);
    void *found = NULL;
    int32_t result;

    if (status == SUCCESS)
        status = check_pointer(entry, "object", object);
    if (status != SUCCESS)
        return status;
    if ((int)kind < ANYDNN_NATIVE_CONTEXT || (int)kind > ANYDNN_NATIVE_STREAM)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: kind is %d; it must be an anydnnNative_t, 1 to 3", entry, (int)kind);
    functions = handle->space->functions;
    if (!functions->native)
        return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED, "%s: device %s publishes no native objects",
                        entry, handle->device_name);
    result =
        ADN_BACKEND_CALL(functions->native(handle->device, (int32_t)kind, handle->stream, &found));
    if (result != 0)
        return adn_guard_failed(entry, handle, NULL, result);
    *object = found;
    return SUCCESS;
}

anydnnStatus_t anydnnMemImport(anydnnHandle_t handle, void *native, size_t bytes, void **ptr)
{
    ADN_ENTRY_SCOPE;
    static const char entry[] = "anydnnMemImport";
    const struct anydnn_plugin_space *functions;
    anydnnStatus_t status = check(handle, entry);
    void *pointer = NULL;
    int32_t result;

    if (status == SUCCESS)
        status = check_pointer(entry, "native", native);
    if (status == SUCCESS)
        status = check_pointer(entry, "ptr", ptr);
    if (status == SUCCESS && bytes == 0)
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: bytes is 0; it must be at least 1", entry);
    if (status != SUCCESS)
        return status;
    functions = handle->space->functions;
    if (!functions->memory_import) {
        *ptr = native;
        return SUCCESS;
    }
    result = ADN_BACKEND_CALL(functions->memory_import(handle->device, native, bytes, &pointer));
    if (result != 0)
        return adn_guard_failed(entry, handle, NULL, result);
    *ptr = pointer;
    return SUCCESS;
}
