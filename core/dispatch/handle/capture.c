/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings: the space's own capture, or a list of calls if it has none, as on the host. */
#include "dispatch/handle/capture.h"
#include "dispatch/handle/guard.h"

#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/shape.h"
#include "problem/host.h"
#include "problem/problem.h"
#include "sys/error.h"
#include "sys/process.h"

/* One call, copy or fill. */
struct item {
    struct adn_plan *plan; /* NULL: a copy or fill */
    struct anydnn_plugin_operands operands;
    unsigned char value[32]; /* a copy of set_tensor's element, which the caller need not keep */
    void *held; /* copies of host operands, which the caller need not keep either; freed with the
                   item */
    void *to;
    const void *from;
    int byte;     /* -1: a copy */
    int32_t kind; /* of a copy */
    uint64_t bytes;
};

struct adn_recording {
    struct anydnnContext *handle;
    struct item *items;
    size_t count;
    size_t capacity;
    void *capture; /* NULL for a list of calls */
};

static struct item *item_add(struct adn_recording *recording)
{
    if (recording->count == recording->capacity) {
        size_t capacity = recording->capacity * 2 + 16;
        struct item *items = realloc(recording->items, capacity * sizeof(items[0]));

        if (!items)
            return NULL;
        recording->items = items;
        recording->capacity = capacity;
    }
    memset(&recording->items[recording->count], 0, sizeof(recording->items[0]));
    return &recording->items[recording->count++];
}

static void destroy(struct adn_recording *recording)
{
    const struct anydnn_plugin_space *functions = recording->handle->space->functions;

    for (size_t i = 0; i < recording->count; i++) {
        adn_plan_release(recording->items[i].plan);
        free(recording->items[i].held);
    }
    if (recording->capture)
        functions->record_destroy(recording->handle->device, recording->capture);
    free(recording->items);
    free(recording);
}

anydnnStatus_t adn_recording_begin(anydnnHandle_t handle)
{
    const struct anydnn_plugin_space *functions = handle->space->functions;
    struct adn_recording *recording;
    int32_t result = 0;

    if (handle->recording)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnRecordBegin: a recording is already in progress on this handle");
    recording = calloc(1, sizeof(*recording));
    if (!recording)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "anydnnRecordBegin: out of memory");
    if (adn_space_captures(handle->space))
        result = ADN_BACKEND_CALL(functions->record_begin(handle->device, handle->stream));
    if (result != 0) {
        free(recording);
        return adn_guard_failed("anydnnRecordBegin", handle, NULL, result);
    }
    recording->handle = handle;
    handle->recording = recording;
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_recording_end(anydnnHandle_t handle, struct adn_recording **out)
{
    struct adn_recording *recording = handle->recording;
    int32_t result;

    if (!recording)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnRecordEnd: no recording is in progress on this handle");
    handle->recording = NULL;
    result =
        adn_space_record_end(handle->space, handle->device, handle->stream, &recording->capture);
    if (result != 0) {
        destroy(recording);
        return adn_guard_failed("anydnnRecordEnd", handle, NULL, result);
    }
    *out = recording;
    return ANYDNN_STATUS_SUCCESS;
}

void adn_recording_abandon(anydnnHandle_t handle)
{
    struct adn_recording *recording = handle->recording;
    struct adn_refusal unsaid;

    if (!recording)
        return;
    /* After exit() has begun, the space's code must not run, and the process's end frees its part.
     * A capture on a stream of the application ends with that stream, which may no longer exist. */
    if (adn_process_exiting || !adn_handle_owns_stream(handle))
        handle->recording = NULL;
    adn_refusal_begin(&unsaid);
    if (!handle->recording || adn_recording_end(handle, &recording) == ANYDNN_STATUS_SUCCESS)
        destroy(recording);
    adn_refusal_end(&unsaid);
}

anydnnStatus_t adn_recording_discard(anydnnHandle_t handle, struct adn_recording *recording)
{
    if (recording->handle != handle)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnRecordingDestroy: the recording was made on another handle");
    destroy(recording);
    return ANYDNN_STATUS_SUCCESS;
}

/* Copies the host operands and points the item at the copies. Returns 0, or -1 when memory runs
 * out. */
static int hold(struct item *item, const struct adn_problem *problem)
{
    size_t bytes = 0;
    char *to;

    for (int32_t i = 0; i < ADN_SLOTS; i++)
        if ((problem->present >> i & 1) && adn_problem_on_host(problem, i))
            bytes += (size_t)adn_shape_bytes(&problem->tensor[i]);
    if (bytes == 0)
        return 0;
    to = item->held = malloc(bytes);
    if (!to)
        return -1;
    for (int32_t i = 0; i < ADN_SLOTS; i++) {
        size_t size = (size_t)adn_shape_bytes(&problem->tensor[i]);

        if (!(problem->present >> i & 1) || !adn_problem_on_host(problem, i))
            continue;
        item->operands.data[i] = memcpy(to, item->operands.data[i], size);
        to += size;
    }
    return 0;
}

int adn_recording_call(anydnnHandle_t handle, struct adn_plan *plan,
                       const struct anydnn_plugin_operands *operands)
{
    struct item *item = item_add(handle->recording);

    if (!item)
        return -1;
    adn_plan_hold(plan);
    item->plan = plan;
    item->operands = *operands;
    if (operands->value)
        memcpy(item->value, operands->value, (size_t)adn_type_size(plan->problem.tensor[0].type));
    if (adn_space_captures(handle->space))
        return 0;
    return hold(item, &plan->problem) != 0 ? -1 : 1;
}

int adn_recording_memory(anydnnHandle_t handle, void *to, const void *from, int byte,
                         uint64_t bytes, int32_t kind)
{
    struct item *item;

    if (adn_space_captures(handle->space))
        return 0;
    item = item_add(handle->recording);
    if (!item)
        return -1;
    item->to = to;
    item->from = from;
    item->byte = byte;
    item->kind = kind;
    item->bytes = bytes;
    return 1;
}

/* Repeats a copy or fill. */
static anydnnStatus_t memory_run(anydnnHandle_t handle, const struct item *item)
{
    const struct anydnn_plugin_space *functions = handle->space->functions;
    int32_t result;

    if (item->byte >= 0)
        result = ADN_BACKEND_CALL(functions->memory_set(handle->device, handle->stream, item->to,
                                                        item->byte, item->bytes));
    else
        result = ADN_BACKEND_CALL(functions->memory_copy(handle->device, handle->stream, item->to,
                                                         item->from, item->bytes, item->kind));
    return result == 0 ? ANYDNN_STATUS_SUCCESS
                       : adn_guard_failed("anydnnReplay", handle, NULL, result);
}

static anydnnStatus_t item_run(anydnnHandle_t handle, struct item *item)
{
    int32_t effect = ANYDNN_PLUGIN_EFFECT_NONE;
    int32_t result;

    if (!item->plan)
        return memory_run(handle, item);
    if (item->plan->fork_number != adn_process_fork_number && !item->plan->fork_safe)
        return adn_guard_fork("anydnnReplay", item->plan);
    if (item->operands.value)
        item->operands.value = item->value;
    item->operands.stream = handle->stream;
    result = ADN_BACKEND_CALL(item->plan->execute(item->plan->body, &item->operands, &effect));
    if (result != 0)
        return adn_fail(adn_plan_status(result), "anydnnReplay: %s failed: %s",
                        item->plan->backend->name, adn_load_error_text());
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_recording_replay(anydnnHandle_t handle, struct adn_recording *recording)
{
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;
    int32_t result;

    if (recording->handle != handle)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnReplay: the recording was made on another handle");
    if (handle->recording)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "anydnnReplay: a recording is in progress on this handle");
    if (recording->capture) {
        result = ADN_BACKEND_CALL(handle->space->functions->record_replay(
            handle->device, handle->stream, recording->capture));
        return result == 0 ? ANYDNN_STATUS_SUCCESS
                           : adn_guard_failed("anydnnReplay", handle, NULL, result);
    }
    for (size_t i = 0; i < recording->count && status == ANYDNN_STATUS_SUCCESS; i++)
        status = item_run(handle, &recording->items[i]);
    return status;
}
