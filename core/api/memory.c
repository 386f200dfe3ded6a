/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a handle's memory, time and recordings. */
#include "dispatch/handle/capture.h"
#include "dispatch/handle/guard.h"
#include "dispatch/handle/handle.h"

#include <stdlib.h>

#include "load/load.h"
#include "sys/callback.h"
#include "sys/error.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

struct anydnnMarkStruct {
    anydnnHandle_t handle;
    void *mark;
};

static anydnnStatus_t check(anydnnHandle_t handle, const char *entry, const char *argument,
                            const void *pointer)
{
    anydnnStatus_t status = adn_handle_check(handle, entry);

    adn_load_error_clear();
    if (status == SUCCESS)
        status = adn_guard_lost(entry, handle);
    if (status == SUCCESS && !pointer)
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM, "%s: %s is NULL", entry, argument);
    return status;
}

static anydnnStatus_t answer(anydnnHandle_t handle, const char *entry, int32_t result)
{
    return result == 0 ? SUCCESS : adn_guard_failed(entry, handle, NULL, result);
}

anydnnStatus_t anydnnMemAlloc(anydnnHandle_t handle, size_t bytes, void **ptr)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnMemAlloc", "ptr", ptr);
    void *memory = NULL;

    if (status != SUCCESS)
        return status;
    /* An allocation of 0 bytes returns a pointer that may be freed, on every device. */
    if (adn_space_memory_alloc(handle->space, handle->device, bytes > 0 ? bytes : 1, &memory) == 0)
        *ptr = memory;
    else
        status = adn_guard_poisoned("anydnnMemAlloc", handle);
    if (memory || status != SUCCESS)
        return status;
    return adn_fail(ANYDNN_STATUS_ALLOC_FAILED,
                    "anydnnMemAlloc: device %s cannot allocate %zu bytes%s%s", handle->device_name,
                    bytes, adn_load_error_text()[0] ? ": " : "", adn_load_error_text());
}

anydnnStatus_t anydnnMemFree(anydnnHandle_t handle, void *ptr)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnMemFree", "handle", handle);

    if (status != SUCCESS || !ptr)
        return status;
    return answer(handle, "anydnnMemFree",
                  ADN_BACKEND_CALL(handle->space->functions->memory_free(handle->device, ptr)));
}

/* Adds the copy or fill to the recording in progress. Returns 1 if it was recorded, 0 if not, or -1
 * with the last error set. */
static int record(anydnnHandle_t handle, const char *entry, void *to, const void *from, int byte,
                  size_t bytes, anydnnMemCopyKind_t kind)
{
    int taken =
        handle->recording ? adn_recording_memory(handle, to, from, byte, bytes, (int32_t)kind) : 0;

    if (taken < 0)
        adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory for the recording", entry);
    return taken;
}

anydnnStatus_t anydnnMemCopy(anydnnHandle_t handle, void *dst, const void *src, size_t bytes,
                             anydnnMemCopyKind_t kind)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnMemCopy", "dst", dst);
    int taken;

    if (status == SUCCESS)
        status = check(handle, "anydnnMemCopy", "src", src);
    if (status == SUCCESS &&
        ((int)kind < ANYDNN_MEMCPY_HOST_TO_DEVICE || (int)kind > ANYDNN_MEMCPY_DEVICE_TO_DEVICE))
        status = adn_fail(ANYDNN_STATUS_BAD_PARAM,
                          "anydnnMemCopy: kind is %d; it must be an anydnnMemCopyKind_t, 0 to 2",
                          (int)kind);
    if (status != SUCCESS || bytes == 0)
        return status;
    taken = record(handle, "anydnnMemCopy", dst, src, -1, bytes, kind);
    if (taken != 0)
        return taken > 0 ? SUCCESS : ANYDNN_STATUS_ALLOC_FAILED;
    return answer(handle, "anydnnMemCopy",
                  ADN_BACKEND_CALL(handle->space->functions->memory_copy(
                      handle->device, handle->stream, dst, src, bytes, (int32_t)kind)));
}

anydnnStatus_t anydnnMemSet(anydnnHandle_t handle, void *ptr, int byte, size_t bytes)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnMemSet", "ptr", ptr);
    int taken;

    if (status != SUCCESS || bytes == 0)
        return status;
    byte &= 255;
    taken = record(handle, "anydnnMemSet", ptr, NULL, byte, bytes, ANYDNN_MEMCPY_DEVICE_TO_DEVICE);
    if (taken != 0)
        return taken > 0 ? SUCCESS : ANYDNN_STATUS_ALLOC_FAILED;
    return answer(handle, "anydnnMemSet",
                  ADN_BACKEND_CALL(handle->space->functions->memory_set(
                      handle->device, handle->stream, ptr, byte, bytes)));
}

anydnnStatus_t anydnnSynchronize(anydnnHandle_t handle)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnSynchronize", "handle", handle);

    if (status == SUCCESS)
        status = answer(handle, "anydnnSynchronize",
                        ADN_BACKEND_CALL(
                            handle->space->functions->synchronize(handle->device, handle->stream)));
    if (status != SUCCESS)
        return status;
    adn_handle_settle(handle);
    return adn_handle_complain_now(handle, "anydnnSynchronize");
}

anydnnStatus_t anydnnMark(anydnnHandle_t handle, anydnnMark_t *out)
{
    ADN_ENTRY_SCOPE;
    const struct anydnn_plugin_space *functions;
    anydnnStatus_t status = check(handle, "anydnnMark", "mark", out);
    anydnnMark_t mark;
    int32_t result;

    if (status != SUCCESS)
        return status;
    functions = handle->space->functions;
    if (handle->recording)
        return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                        "anydnnMark: a recording is in progress; marks cannot be recorded");
    mark = calloc(1, sizeof(*mark));
    if (!mark)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "anydnnMark: out of memory");
    mark->handle = handle;
    result = adn_space_mark_create(handle->space, handle->device, &mark->mark);
    if (result == 0) {
        result =
            ADN_BACKEND_CALL(functions->mark_record(handle->device, handle->stream, mark->mark));
        if (result != 0)
            functions->mark_destroy(handle->device, mark->mark);
    }
    if (result == 0)
        *out = mark;
    else
        free(mark);
    return answer(handle, "anydnnMark", result);
}

anydnnStatus_t anydnnMarkElapsed(anydnnHandle_t handle, anydnnMark_t from, anydnnMark_t to,
                                 double *microseconds)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnMarkElapsed", "from", from);

    if (status == SUCCESS)
        status = check(handle, "anydnnMarkElapsed", "to", to);
    if (status == SUCCESS)
        status = check(handle, "anydnnMarkElapsed", "microseconds", microseconds);
    if (status != SUCCESS)
        return status;
    if (from->handle != handle || to->handle != handle)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnMarkElapsed: a mark was made on another handle");
    return answer(handle, "anydnnMarkElapsed",
                  ADN_BACKEND_CALL(handle->space->functions->mark_elapsed(
                      handle->device, from->mark, to->mark, microseconds)));
}

anydnnStatus_t anydnnMarkDestroy(anydnnHandle_t handle, anydnnMark_t mark)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = adn_handle_check(handle, "anydnnMarkDestroy");

    if (status != SUCCESS || !mark)
        return status;
    if (mark->handle != handle)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnMarkDestroy: the mark was made on another handle");
    handle->space->functions->mark_destroy(handle->device, mark->mark);
    free(mark);
    return SUCCESS;
}

anydnnStatus_t anydnnRecordBegin(anydnnHandle_t handle)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnRecordBegin", "handle", handle);

    return status == SUCCESS ? adn_recording_begin(handle) : status;
}

anydnnStatus_t anydnnRecordEnd(anydnnHandle_t handle, anydnnRecording_t *recording)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnRecordEnd", "recording", recording);

    return status == SUCCESS ? adn_recording_end(handle, (struct adn_recording **)recording)
                             : status;
}

anydnnStatus_t anydnnReplay(anydnnHandle_t handle, anydnnRecording_t recording)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = check(handle, "anydnnReplay", "recording", recording);

    if (status == SUCCESS)
        status = adn_handle_complain_now(handle, "anydnnReplay");
    return status == SUCCESS ? adn_recording_replay(handle, (struct adn_recording *)recording)
                             : status;
}

anydnnStatus_t anydnnRecordingDestroy(anydnnHandle_t handle, anydnnRecording_t recording)
{
    ADN_ENTRY_SCOPE;
    anydnnStatus_t status = adn_handle_check(handle, "anydnnRecordingDestroy");

    if (status != SUCCESS || !recording)
        return status;
    return adn_recording_discard(handle, (struct adn_recording *)recording);
}
