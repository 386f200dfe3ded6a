/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the marks, the stream and the workspace for the runs of a search. */
#include "dispatch/autotune/stand.h"
#include "dispatch/autotune/trial.h"
#include "dispatch/handle/guard.h"

#include <stdlib.h>
#include <string.h>

#include "sys/error.h"

anydnnStatus_t adn_stand_failed(const struct adn_stand *stand, const char *what, int32_t result)
{
    const struct adn_choices *choices = stand->choices;
    anydnnStatus_t status = adn_guard_poisoned(choices->entry, choices->handle);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    return adn_fail(adn_plan_status(result), "%s: device %s %s: %s", choices->entry,
                    choices->handle->device_name, what, adn_load_error_text());
}

int32_t adn_stand_alloc(const struct adn_stand *stand, uint64_t bytes, void **memory)
{
    int32_t result = adn_space_memory_alloc(stand->choices->handle->space, stand->device,
                                            bytes + 2 * stand->guard, memory);

    if (result == 0)
        *memory = (char *)*memory + stand->guard;
    return result;
}

void adn_stand_release(const struct adn_stand *stand, void *memory)
{
    stand->space->memory_free(stand->device, (char *)memory - stand->guard);
}

static anydnnStatus_t make_marks(struct adn_stand *stand)
{
    for (int i = 0; i < 2; i++) {
        void *mark = NULL;
        int32_t result = adn_space_mark_create(stand->choices->handle->space, stand->device, &mark);

        if (result != 0)
            return adn_stand_failed(stand, "gives no mark to take the time with", result);
        stand->marks[i] = mark;
    }
    return ANYDNN_STATUS_SUCCESS;
}

/* Creates a stream for the runs under `fastest`. Work that the application enqueues meanwhile
 * cannot run between two marks there, as it could on the default stream. The new stream waits for
 * earlier work on the handle's stream. */
static anydnnStatus_t make_stream(struct adn_stand *stand)
{
    anydnnHandle_t handle = stand->choices->handle;
    int32_t result;

    if (!stand->choices->fastest || !stand->space->stream_create)
        return ANYDNN_STATUS_SUCCESS;
    result = adn_space_stream_create(handle->space, stand->device, &stand->stream);
    if (result == 0) {
        stand->operands.stream = stand->stream;
        result = stand->space->mark_record(stand->device, handle->stream, stand->marks[0]);
    }
    if (result == 0)
        result = stand->space->stream_wait(stand->device, stand->stream, stand->marks[0]);
    return result == 0 ? ANYDNN_STATUS_SUCCESS
                       : adn_stand_failed(stand, "gives no stream to take the time on", result);
}

/* ---- workspace */

static void free_workspace(struct adn_stand *stand)
{
    if (stand->own && stand->operands.workspace)
        adn_stand_release(stand, stand->operands.workspace);
    stand->operands.workspace = NULL;
    stand->operands.workspace_bytes = 0;
}

int adn_stand_workspace(struct adn_stand *stand, uint64_t bytes)
{
    void *memory = NULL;

    if (!stand->own || bytes <= stand->operands.workspace_bytes)
        return 0;
    free_workspace(stand);
    if (adn_stand_alloc(stand, bytes, &memory) != 0)
        return -1;
    stand->operands.workspace = memory;
    stand->operands.workspace_bytes = bytes;
    return 0;
}

/* ---- begin and end */

anydnnStatus_t adn_stand_enter(struct adn_stand *stand, struct adn_choices *choices,
                               const struct anydnn_plugin_operands *given)
{
    struct adn_values values;
    anydnnStatus_t status;

    memset(stand, 0, sizeof(*stand));
    stand->choices = choices;
    stand->space = choices->handle->space->functions;
    stand->device = choices->handle->device;
    stand->own = !given;
    if (stand->own && choices->handle->world->settings->tune_check != ADN_TUNE_CHECK_NO)
        stand->guard = ADN_STAND_GUARD;
    adn_values_init(&values, choices->problem.operation);
    if (given)
        stand->operands = *given;
    stand->operands.struct_size = sizeof(stand->operands);
    memcpy(stand->operands.scale, values.scale, sizeof(values.scale));
    if (!given)
        memcpy(stand->operands.number, values.number, sizeof(values.number));
    stand->operands.stream = choices->handle->stream;
    status = make_marks(stand);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = make_stream(stand);
    if (status == ANYDNN_STATUS_SUCCESS && stand->own)
        status = adn_stand_operands(stand);
    if (status == ANYDNN_STATUS_SUCCESS)
        adn_trial_begin(stand);
    return status;
}

void adn_stand_leave(struct adn_stand *stand)
{
    /* Enqueued work must not use the memory that is freed here. */
    stand->space->synchronize(stand->device, stand->operands.stream);
    adn_trial_end(stand);
    free_workspace(stand);
    adn_stand_free_operands(stand);
    for (int i = 0; i < 2; i++)
        if (stand->marks[i])
            stand->space->mark_destroy(stand->device, stand->marks[i]);
    if (stand->stream)
        stand->space->stream_destroy(stand->device, stand->stream);
}
