/* SPDX-License-Identifier: Apache-2.0 */
/* Destroys handles, makes contexts, and forgets plans and pins. */
#include "dispatch/handle/handle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "dispatch/handle/arena.h"
#include "dispatch/handle/capture.h"
#include "dispatch/handle/guard.h"
#include "sys/error.h"
#include "sys/log.h"
#include "sys/process.h"

anydnnStatus_t adn_handle_complain(anydnnHandle_t handle, const char *entry)
{
    if (!handle)
        return adn_fail(ANYDNN_STATUS_NOT_INITIALIZED,
                        "%s: the handle is NULL; create one with anydnnCreate", entry);
    if (handle->magic != ADN_HANDLE_MAGIC)
        return adn_fail(ANYDNN_STATUS_NOT_INITIALIZED, "%s: invalid or destroyed handle", entry);
    if (adn_process_exiting)
        return adn_fail(ANYDNN_STATUS_SHUTTING_DOWN, "%s: the process is exiting", entry);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_handle_complain_call(anydnnHandle_t handle, const char *entry)
{
    anydnnStatus_t status = adn_handle_complain(handle, entry);

    if (status == ANYDNN_STATUS_SUCCESS && handle->space->poisoned)
        status = adn_guard_poisoned(entry, handle);
    return status == ANYDNN_STATUS_SUCCESS ? adn_handle_complain_now(handle, entry) : status;
}

void adn_handle_complain_later(anydnnHandle_t handle, const char *sentence)
{
    if (!handle->complaint)
        handle->complaint = strdup(sentence);
    /* Every later call checks more, which costs little compared with the check that found this. */
    adn_process_attention = 1;
}

anydnnStatus_t adn_handle_complain_now(anydnnHandle_t handle, const char *entry)
{
    char *complaint = handle->complaint;

    if (!complaint)
        return ANYDNN_STATUS_SUCCESS;
    handle->complaint = NULL;
    adn_fail(ANYDNN_STATUS_EXECUTION_FAILED, "%s: %s", entry, complaint);
    free(complaint);
    return ANYDNN_STATUS_EXECUTION_FAILED;
}

void adn_handle_forget(anydnnHandle_t handle)
{
    adn_table_clear(&handle->cache);
    adn_arena_trim(handle);
}

void adn_handle_forget_plans(anydnnHandle_t handle)
{
    adn_table_clear_plans(&handle->cache);
    adn_arena_trim(handle);
}

/* Returns 1 if this process may use what the backend made under that fork number. */
static int survived(const struct adn_backend *backend, uint64_t fork_number)
{
    return (backend->plugin->flags & ANYDNN_PLUGIN_FORK_SAFE) ||
           fork_number == adn_process_fork_number;
}

void adn_handle_settle(anydnnHandle_t handle)
{
    for (int32_t i = 0; i < ADN_HOOKS; i++)
        if (handle->hook[i] && handle->hook[i]->settle)
            handle->hook[i]->settle(handle->hook[i]);
}

void adn_handle_destroy(anydnnHandle_t handle)
{
    adn_plan_release(handle->last.plan);
    adn_table_clear(&handle->cache);
    adn_recording_abandon(handle);
    /* Unfinished calls hold plans, which must be destroyed before the contexts. */
    adn_handle_settle(handle);
    adn_arena_free(handle);
    for (int32_t i = 0; i < handle->global->registry->count; i++) {
        struct adn_handle_context *context = &handle->contexts[i];
        struct adn_backend *backend = handle->global->registry->backend[i];

        if (context->context && !adn_process_exiting && survived(backend, context->fork_number))
            backend->plugin->context_destroy(context->context);
        free(context->reason);
    }
    if (handle->adopted && !adn_process_exiting && handle->fork_number == adn_process_fork_number)
        handle->space->functions->stream_destroy(handle->device, handle->home);
    adn_table_free(&handle->cache);
    for (int32_t i = 0; i < ADN_HOOKS; i++)
        if (handle->hook[i])
            handle->hook[i]->end(handle->hook[i]);
    free(handle->contexts);
    free(handle->rules);
    if (handle->complaint)
        adn_warn("anydnnDestroy: %s; the handle had no later call to report it", handle->complaint);
    free(handle->complaint);
    handle->magic = 0;
    free(handle);
}

/* Returns the device of the backend's space that serves this handle, or -1 with the thread's
 * backend error. */
static int32_t device_for(anydnnHandle_t handle, const struct adn_backend *backend)
{
    const struct adn_space *space = adn_global_space(handle->global, backend->plugin->space);
    int32_t count;

    if (!space || space == handle->space)
        return handle->device;
    count = adn_space_device_count(space);
    if (count < 1)
        adn_load_error_set("its memory space has no device");
    return count < 1 ? -1 : handle->device < count ? handle->device : 0;
}

/* Checks that a backend with a table of its own works with the native objects of the space's owner,
 * if that publishes them. Two contexts or default streams would not be in order. */
static int32_t check_natives(const struct adn_space *space, const struct adn_backend *backend,
                             int32_t device)
{
    static const char *const names[] = {[ANYDNN_PLUGIN_NATIVE_CONTEXT] = "context",
                                        [ANYDNN_PLUGIN_NATIVE_DEVICE] = "device",
                                        [ANYDNN_PLUGIN_NATIVE_STREAM] = "default stream"};
    const struct anydnn_plugin_space *own = backend->plugin->space_functions;
    char text[300];

    if (!space || !own || space->owner == backend || !space->functions->native)
        return ANYDNN_STATUS_SUCCESS;
    for (int32_t kind = ANYDNN_PLUGIN_NATIVE_CONTEXT; kind <= ANYDNN_PLUGIN_NATIVE_STREAM; kind++) {
        void *ours = NULL, *theirs = NULL;

        if (ADN_BACKEND_CALL(space->functions->native(device, kind, NULL, &theirs)) != 0)
            continue;
        if (own->native && ADN_BACKEND_CALL(own->native(device, kind, NULL, &ours)) == 0 &&
            ours == theirs)
            continue;
        snprintf(text, sizeof(text),
                 "its table of the space `%s` has another %s than that of backend %s, which owns "
                 "the space; it must work with the owner's native objects (host->space)",
                 space->name, names[kind], space->owner->name);
        adn_load_error_set(text);
        return ANYDNN_STATUS_NOT_SUPPORTED;
    }
    return ANYDNN_STATUS_SUCCESS;
}

static void make_context(anydnnHandle_t handle, struct adn_backend *backend,
                         struct adn_handle_context *context)
{
    static const char what[] = "a backend that refuses its settings";
    const char *said;
    int32_t result;

    adn_load_error_clear();
    context->fork_number = adn_process_fork_number;
    context->device = device_for(handle, backend);
    context->state = 1;
    result = context->device < 0
                 ? ANYDNN_STATUS_NOT_SUPPORTED
                 : check_natives(adn_global_space(handle->global, backend->plugin->space), backend,
                                 context->device);
    if (result == 0)
        result =
            ADN_BACKEND_CALL(backend->plugin->context_create(context->device, &context->context));
    if (result != 0 || !context->context) {
        said = adn_load_error_text();
        /* The next call may have enough memory. */
        context->state = result == ANYDNN_STATUS_ALLOC_FAILED ? 0 : -1;
        context->context = NULL;
        free(context->reason);
        context->reason = strdup(said[0] != '\0' ? said : "it could not create a context");
        said = context->reason ? context->reason : "out of memory";
        /* The library's arguments are valid: the settings are not. */
        if (result == ANYDNN_STATUS_BAD_PARAM &&
            adn_log_first(backend->name, strlen(backend->name), what))
            adn_warn("backend %s is skipped: %s", backend->name, said);
        else
            adn_info("%s: cannot create a context for a handle on %s: %s", backend->name,
                     handle->device_name, said);
    } else if (strcmp(backend->plugin->space, "host") != 0) {
        adn_process_watch_exit();
    }
}

struct anydnn_plugin_context *adn_handle_context(anydnnHandle_t handle, struct adn_backend *backend,
                                                 const char **reason)
{
    struct adn_handle_context *context = &handle->contexts[backend->index];

    if (context->state == 1 && !survived(backend, context->fork_number)) {
        *reason = "does not survive fork(), and this handle used it before that";
        return NULL;
    }
    if (context->state == 0)
        make_context(handle, backend, context);
    *reason = context->reason;
    return context->context;
}

anydnnStatus_t adn_handle_set_route(anydnnHandle_t handle, const char *operation, const char *mode,
                                    const char *list)
{
    struct adn_route_rule rule;
    struct adn_route_rule *rules;
    char error[600];
    int32_t at = 0;

    if (adn_settings_rule_parse(&rule, operation, mode, list, error, sizeof(error)) != 0)
        return adn_fail(ANYDNN_STATUS_BAD_PARAM, "anydnnSetRoute: %s", error);
    while (at < handle->rule_count && (strcmp(handle->rules[at].pattern, rule.pattern) != 0 ||
                                       handle->rules[at].math != rule.math))
        at++;
    if (at == handle->rule_count) {
        rules = realloc(handle->rules, ((size_t)at + 1) * sizeof(rules[0]));
        if (!rules)
            return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "anydnnSetRoute: out of memory");
        handle->rules = rules;
        handle->rule_count++;
    }
    handle->rules[at] = rule;
    adn_handle_forget(handle);
    adn_global_warn_of_unknown(handle->global, &rule);
    return ANYDNN_STATUS_SUCCESS;
}
