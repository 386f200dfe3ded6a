/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the handle: creation and destruction, stream, determinism, routes, and the last
 * call's record. */
#include "dispatch/handle/handle.h"
#include "dispatch/handle/guard.h"
#include "dispatch/last_call.h"
#include "shadow/shadow.h"

#include <stdio.h>

#include "load/load.h"
#include "sys/callback.h"
#include "sys/error.h"
#include "sys/process.h"
#include "trace/trace.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

static anydnnStatus_t check_pointer(const char *entry, const char *argument, const void *pointer)
{
    if (pointer)
        return SUCCESS;
    return adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: %s is NULL", entry, argument);
}

/* Checks the handle, then one pointer. */
static anydnnStatus_t check(anydnnHandle_t handle, const char *entry, const char *argument,
                            const void *pointer)
{
    anydnnStatus_t status = adn_handle_check(handle, entry);

    return status == SUCCESS ? check_pointer(entry, argument, pointer) : status;
}

static anydnnStatus_t create(anydnnHandle_t *handle, const char *device, const char *entry)
{
    anydnnStatus_t status = check_pointer(entry, "handle", handle);

    if (status == SUCCESS && adn_process_exiting)
        return adn_fail(ANYDNN_STATUS_SHUTTING_DOWN, "%s: the process is exiting", entry);
    if (status == SUCCESS)
        status = adn_handle_create(handle, device, entry);
    if (status == SUCCESS)
        adn_trace_begin(*handle);
    if (status == SUCCESS)
        adn_shadow_begin(*handle);
    return status;
}

anydnnStatus_t anydnnCreate(anydnnHandle_t *handle)
{
    ADN_ENTRY_SCOPE;

    return create(handle, NULL, "anydnnCreate");
}

anydnnStatus_t anydnnCreateOnDevice(anydnnHandle_t *handle, const char *device)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check_pointer("anydnnCreateOnDevice", "device", device);

    return status == SUCCESS ? create(handle, device, "anydnnCreateOnDevice") : status;
}

anydnnStatus_t anydnnDestroy(anydnnHandle_t handle)
{
    ADN_ENTRY_SCOPE;

    if (!handle)
        return SUCCESS;
    if (handle->magic != ADN_HANDLE_MAGIC)
        return adn_handle_check(handle, "anydnnDestroy");
    /* As with cuDNN, a stream of the application may no longer exist. In that case, only the
     * backends' contexts wait for the work. */
    if (!adn_process_exiting && !handle->space->host &&
        handle->fork_number == adn_process_fork_number && adn_handle_owns_stream(handle))
        handle->space->functions->synchronize(handle->device, handle->stream);
    adn_handle_destroy(handle);
    return SUCCESS;
}

anydnnStatus_t anydnnGetDevice(anydnnHandle_t handle, char *text, size_t size)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnGetDevice", "text", text);

    if (status == SUCCESS && size > 0)
        snprintf(text, size, "%s", handle->device_name);
    return status;
}

anydnnStatus_t anydnnSetStream(anydnnHandle_t handle, anydnnStream_t streamId)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = adn_handle_check(handle, "anydnnSetStream");

    if (status == SUCCESS)
        status = adn_guard_lost("anydnnSetStream", handle);
    if (status != SUCCESS)
        return status;
    if (!streamId)
        streamId = handle->home;
    if (ADN_BACKEND_CALL(handle->space->functions->stream_check(handle->device, streamId)) != 0)
        return adn_fail(ANYDNN_STATUS_MAPPING_ERROR,
                        "anydnnSetStream: streamId %p is not a stream of device %s%s%s",
                        (void *)streamId, handle->device_name, adn_load_error_text()[0] ? ": " : "",
                        adn_load_error_text());
    handle->stream = streamId;
    return SUCCESS;
}

anydnnStatus_t anydnnGetStream(anydnnHandle_t handle, anydnnStream_t *streamId)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnGetStream", "streamId", streamId);

    if (status == SUCCESS)
        *streamId = handle->stream;
    return status;
}

anydnnStatus_t anydnnSetDeterministic(anydnnHandle_t handle, int deterministic)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = adn_handle_check(handle, "anydnnSetDeterministic");

    if (status != SUCCESS)
        return status;
    if (deterministic != 0 && deterministic != 1)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnSetDeterministic: deterministic is %d; it must be 0 or 1",
                        deterministic);
    if (handle->modes.deterministic != deterministic)
        adn_handle_forget(handle);
    handle->modes.deterministic = deterministic;
    return SUCCESS;
}

anydnnStatus_t anydnnGetDeterministic(anydnnHandle_t handle, int *deterministic)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnGetDeterministic", "deterministic", deterministic);

    if (status == SUCCESS)
        *deterministic = handle->modes.deterministic;
    return status;
}

anydnnStatus_t anydnnSetBatchInvariant(anydnnHandle_t handle, int batchInvariant)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = adn_handle_check(handle, "anydnnSetBatchInvariant");

    if (status != SUCCESS)
        return status;
    if (batchInvariant != 0 && batchInvariant != 1)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnSetBatchInvariant: batchInvariant is %d; it must be 0 or 1",
                        batchInvariant);
    if (handle->modes.batch_invariant != batchInvariant)
        adn_handle_forget(handle);
    handle->modes.batch_invariant = batchInvariant;
    return SUCCESS;
}

anydnnStatus_t anydnnGetBatchInvariant(anydnnHandle_t handle, int *batchInvariant)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status =
        check(handle, "anydnnGetBatchInvariant", "batchInvariant", batchInvariant);

    if (status == SUCCESS)
        *batchInvariant = handle->modes.batch_invariant;
    return status;
}

anydnnStatus_t anydnnSetRoute(anydnnHandle_t handle, const char *operation, const char *mode,
                              const char *list)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnSetRoute", "operation", operation);

    if (status == SUCCESS)
        status = check_pointer("anydnnSetRoute", "list", list);
    return status == SUCCESS ? adn_handle_set_route(handle, operation, mode, list) : status;
}

anydnnStatus_t anydnnGetDispatchInfo(anydnnHandle_t handle, const char *key, char *text,
                                     size_t size)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnGetDispatchInfo", "key", key);

    if (status == SUCCESS)
        status = check_pointer("anydnnGetDispatchInfo", "text", text);
    return status == SUCCESS ? adn_record_text(handle, key, text, size) : status;
}

anydnnStatus_t anydnnGetDispatchInfoInt(anydnnHandle_t handle, const char *key, int64_t *value)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnGetDispatchInfoInt", "key", key);

    if (status == SUCCESS)
        status = check_pointer("anydnnGetDispatchInfoInt", "value", value);
    return status == SUCCESS ? adn_record_int(handle, key, value) : status;
}

anydnnStatus_t anydnnSetTrace(anydnnHandle_t handle, const char *text)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnSetTrace", "text", text);

    return status == SUCCESS ? adn_trace_set(handle, "anydnnSetTrace", text) : status;
}

anydnnStatus_t anydnnSetShadow(anydnnHandle_t handle, const char *text)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnSetShadow", "text", text);

    return status == SUCCESS ? adn_shadow_set(handle, "anydnnSetShadow", text) : status;
}

anydnnStatus_t anydnnSetCheck(anydnnHandle_t handle, const char *text)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnSetCheck", "text", text);

    return status == SUCCESS ? adn_shadow_check_set(handle, "anydnnSetCheck", text) : status;
}

anydnnStatus_t anydnnGetShadowInfo(anydnnHandle_t handle, const char *key, char *text, size_t size)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnGetShadowInfo", "key", key);

    if (status == SUCCESS)
        status = check_pointer("anydnnGetShadowInfo", "text", text);
    return status == SUCCESS ? adn_shadow_text(handle, "anydnnGetShadowInfo", key, text, size)
                             : status;
}

anydnnStatus_t anydnnGetShadowInfoInt(anydnnHandle_t handle, const char *key, int64_t *value)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnGetShadowInfoInt", "key", key);

    if (status == SUCCESS)
        status = check_pointer("anydnnGetShadowInfoInt", "value", value);
    return status == SUCCESS ? adn_shadow_int(handle, "anydnnGetShadowInfoInt", key, value)
                             : status;
}

anydnnStatus_t anydnnQueryRuntimeError(anydnnHandle_t handle, anydnnStatus_t *rstatus,
                                       anydnnErrQueryMode_t mode, void *tag)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnQueryRuntimeError", "rstatus", rstatus);

    (void)tag;
    if (status != SUCCESS)
        return status;
    if ((int)mode < 0 || (int)mode > ANYDNN_ERRQUERY_BLOCKING)
        return adn_fail(
            ANYDNN_STATUS_BAD_PARAM,
            "anydnnQueryRuntimeError: mode is %d; it must be an anydnnErrQueryMode_t, 0 to 2",
            (int)mode);
    if (mode == ANYDNN_ERRQUERY_BLOCKING)
        handle->space->functions->synchronize(handle->device, handle->stream);
    *rstatus = handle->space->poisoned || handle->space->functions->poisoned(handle->device)
                   ? ANYDNN_STATUS_SPACE_POISONED
                   : SUCCESS;
    return SUCCESS;
}
