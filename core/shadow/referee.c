/* SPDX-License-Identifier: Apache-2.0 */
/* Runs calls again on a handle of its own, on the device where the reference works. The handle's
 * route names the reference alone. It has a stream of its own if the device can make streams. */
#include "shadow/referee.h"

#include <stdio.h>
#include <string.h>

#include "dispatch/dispatch.h"
#include "dispatch/handle/global.h"
#include "dispatch/handle/space.h"
#include "load/load.h"
#include "sys/error.h"
#include "sys/process.h"

#define SUCCESS ANYDNN_STATUS_SUCCESS

static int is_reference(struct adn_global *global, struct adn_backend *backend)
{
    return adn_global_open(global, backend) &&
           (backend->plugin->flags & ANYDNN_PLUGIN_REFERENCE) != 0;
}

/* Returns 1 if a backend was found that uses the memory of the application, so that no operand is
 * staged. */
static int is_own(const struct adn_referee *referee, const struct adn_backend *backend)
{
    return backend && strcmp(backend->plugin->space, referee->outer->space->name) == 0;
}

/* Returns the backend that the settings name, or else a reference, preferably one of the call's own
 * space. */
static struct adn_backend *choose_backend(struct adn_referee *referee)
{
    struct adn_global *global = referee->outer->global;
    struct adn_backend *backend = NULL;

    if (referee->wanted.backend[0] != '\0') {
        backend = adn_load_find(global->registry, referee->wanted.backend);
        if (backend && adn_global_open(global, backend))
            return backend;
        snprintf(referee->why, sizeof(referee->why), "the reference %s %s%.300s",
                 referee->wanted.backend, backend ? "cannot be used: " : "is not installed",
                 backend && adn_load_reason(backend) ? adn_load_reason(backend) : "");
        return NULL;
    }
    for (int32_t i = 0; i < global->registry->count && !is_own(referee, backend); i++) {
        struct adn_backend *next = global->registry->backend[i];

        if (is_reference(global, next) && (!backend || is_own(referee, next)))
            backend = next;
    }
    if (backend)
        return backend;
    snprintf(referee->why, sizeof(referee->why),
             "no installed backend declares itself a reference; set `reference`");
    return NULL;
}

/* Returns 1 if functions of the space may still be called for this memory. */
static int is_reachable(const struct adn_referee *referee)
{
    return !adn_process_exiting && referee->fork_number == adn_process_fork_number &&
           !referee->handle->space->poisoned;
}

/* Makes a stream, so that the reference and the application do not wait for each other. */
static anydnnStatus_t make_stream(struct adn_referee *referee)
{
    anydnnHandle_t handle = referee->handle;

    if (!handle->space->functions->stream_create)
        return SUCCESS;
    if (adn_space_stream_create(handle->space, handle->device, &referee->stream) != 0)
        return adn_fail(ANYDNN_STATUS_EXECUTION_FAILED,
                        "cannot create a stream for the reference: %s", adn_load_error_text());
    handle->stream = referee->stream;
    return SUCCESS;
}

int adn_referee_open(struct adn_referee *referee)
{
    char device[80], list[ANYDNN_PLUGIN_NAME_MAX + 20];
    struct adn_backend *backend;
    struct adn_space *space;
    anydnnStatus_t status;

    /* A child process must not use what it inherited. */
    if (referee->handle && referee->fork_number != adn_process_fork_number)
        adn_referee_close(referee);
    if (referee->handle)
        return 0;
    backend = choose_backend(referee);
    if (!backend)
        return -1;
    space = adn_global_space(referee->outer->global, backend->plugin->space);
    if (!space || space->host)
        snprintf(device, sizeof(device), "cpu");
    else
        snprintf(device, sizeof(device), "%s:%d", space->name,
                 space == referee->outer->space ? (int)referee->outer->device : 0);
    snprintf(list, sizeof(list), "%s, fallback:off", backend->name);
    status = adn_handle_create(&referee->handle, device, "shadow");
    referee->fork_number = adn_process_fork_number;
    /* The reference need not be batch-invariant. */
    if (status == SUCCESS)
        referee->handle->modes.batch_invariant = 0;
    if (status == SUCCESS)
        status = make_stream(referee);
    if (status == SUCCESS)
        status = adn_handle_set_route(referee->handle, "*", NULL, list);
    if (status != SUCCESS) {
        snprintf(referee->why, sizeof(referee->why), "%.399s", adn_error_text());
        adn_referee_close(referee);
        return -1;
    }
    snprintf(referee->name, sizeof(referee->name), "%s", backend->name);
    return 0;
}

void adn_referee_drop(const struct adn_referee *referee, struct adn_store *store)
{
    if (store->memory && is_reachable(referee))
        referee->handle->space->functions->memory_free(referee->handle->device, store->memory);
    *store = (struct adn_store){NULL, 0};
}

void adn_referee_close(struct adn_referee *referee)
{
    const struct anydnn_plugin_space *functions;
    int32_t device;
    int reachable;

    if (!referee->handle)
        return;
    functions = referee->handle->space->functions;
    device = referee->handle->device;
    reachable = is_reachable(referee);
    /* A failed run may have left work on the stream. */
    if (referee->stream && reachable)
        functions->synchronize(device, referee->stream);
    for (int i = 0; i <= ADN_SLOTS; i++)
        adn_referee_drop(referee, &referee->store[i]);
    adn_handle_destroy(referee->handle);
    if (referee->stream && reachable)
        functions->stream_destroy(device, referee->stream);
    referee->stream = NULL;
    referee->handle = NULL;
}
