/* SPDX-License-Identifier: Apache-2.0 */
/* Creates handles: on a device that is named or chosen, or on native objects of the application. */
#include "dispatch/handle/handle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sys/error.h"
#include "sys/log.h"
#include "sys/process.h"

/* Returns a backend of a user's rule whose space has no device, or NULL. */
static const struct adn_backend *without_device(struct adn_global *global,
                                                const struct adn_route_rule *rule)
{
    for (int32_t i = 0; i < rule->count && rule->layer > ADN_LAYER_BUILTIN; i++) {
        struct adn_backend *backend = adn_load_find(global->registry, rule->backend[i]);
        const struct adn_space *space = backend && adn_global_open(global, backend)
                                            ? adn_global_space(global, backend->plugin->space)
                                            : NULL;

        if (space && !space->host && adn_space_device_count(space) <= 0)
            return backend;
    }
    return NULL;
}

/* Warns once that `auto` found no device although a user's rule names a backend for one. */
static void warn_of_host(struct adn_global *global)
{
    static atomic_int reported;
    const struct adn_backend *backend = NULL;

    adn_load_error_clear();
    for (int32_t i = 0; i < global->settings->rule_count && !backend && !reported; i++) {
        const struct adn_route_rule *rule = &global->settings->rules[i];

        backend = without_device(global, rule);
        if (backend && !atomic_exchange(&reported, 1))
            adn_warn("device = auto selects the host: backend %s, named by %s, finds no device of "
                     "`%s`%s%s",
                     backend->name, rule->origin, backend->plugin->space,
                     adn_load_error_text()[0] != '\0' ? ": " : "", adn_load_error_text());
    }
}

/* Chooses the device for "auto": the thread's current device in the first permitted space that has
 * one, else the host. */
static void choose_auto(struct adn_global *global, struct adn_space **space, int32_t *device)
{
    *space = global->space[0];
    *device = 0;
    for (int32_t i = 1; i < global->space_count; i++)
        if ((global->auto_spaces >> i & 1) != 0 &&
            (global->space[i]->poisoned ||
             (adn_space_device_count(global->space[i]) > 0 &&
              adn_space_device_current(global->space[i], device) == 0))) {
            *space = global->space[i];
            return;
        }
    *device = 0;
}

/* Refuses a new handle on a device whose space an error lost. This includes "auto", whose caller
 * expects a device where there was one. */
static anydnnStatus_t check_space(struct adn_space *space, int32_t device, const char *entry)
{
    char name[64];

    if (!space->poisoned)
        return ANYDNN_STATUS_SUCCESS;
    adn_space_device_name(space, device, name, sizeof(name));
    return adn_fail(ANYDNN_STATUS_SPACE_POISONED,
                    "%s: an error made device %s unusable for this process; use it in a new "
                    "process, or \"cpu\" in this one",
                    entry, name);
}

/* Chooses the device that the text names. `missing` is the status for a device that does not exist.
 * A wrong argument is BAD_PARAM. A wrong setting is NOT_INITIALIZED, as cuDNN reports a missing
 * driver, since the caller named no device. */
static anydnnStatus_t choose_device(struct adn_global *global, const char *text,
                                    anydnnStatus_t missing, const char *entry,
                                    struct adn_space **space, int32_t *device)
{
    char name[ANYDNN_PLUGIN_NAME_MAX + 1];
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    char *end = NULL;
    long number = 0;
    int32_t count;

    if (strcmp(text, "auto") == 0) {
        choose_auto(global, space, device);
        if ((*space)->host)
            warn_of_host(global);
        return check_space(*space, *device, entry);
    }
    snprintf(name, sizeof(name), "%.*s", (int)length, text);
    *space = strcmp(name, "cpu") == 0 ? global->space[0] : adn_global_space(global, name);
    if (!*space || length >= sizeof(name) || strcmp(name, "host") == 0)
        return adn_fail(missing,
                        "%s: device `%s`: no usable backend provides this memory space; a "
                        "rule of [route] must name one; `cpu` and "
                        "`auto` always exist (`anydnn info` lists devices)",
                        entry, text);
    if (colon) {
        errno = 0;
        number = strtol(colon + 1, &end, 10);
    }
    if (colon && (end == colon + 1 || *end != '\0' || number < 0 || errno != 0))
        return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                        "%s: device `%s`: the text after the colon is not a device number", entry,
                        text);
    if ((*space)->poisoned)
        return check_space(*space, (int32_t)number, entry);
    adn_load_error_clear();
    count = adn_space_device_count(*space);
    if (number >= count)
        return adn_fail(missing, "%s: device `%s`: space `%s` has %d devices%s%s", entry, text,
                        name, (int)count, adn_load_error_text()[0] ? ": " : "",
                        adn_load_error_text());
    *device = (int32_t)number;
    if (!colon && !(*space)->host && adn_space_device_current(*space, device) != 0)
        *device = 0;
    return ANYDNN_STATUS_SUCCESS;
}

/* Makes a handle on a device of a space, without a stream. */
static anydnnStatus_t make_handle(struct adn_global *global, struct adn_space *space,
                                  int32_t number, const char *entry, anydnnHandle_t *out)
{
    struct anydnnContext *handle;

    handle = calloc(1, sizeof(*handle));
    if (handle)
        handle->contexts = calloc((size_t)global->registry->count + 1, sizeof(handle->contexts[0]));
    if (!handle || !handle->contexts) {
        free(handle);
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", entry);
    }
    handle->global = global;
    handle->space = space;
    handle->device = number;
    handle->modes.deterministic = global->settings->deterministic;
    handle->modes.batch_invariant = global->settings->batch_invariant;
    handle->workspace_limit = global->settings->workspace_limit;
    handle->fork_number = adn_process_fork_number;
    adn_table_init(&handle->cache, (uint32_t)global->settings->plan_cache);
    adn_space_device_name(space, number, handle->device_name, sizeof(handle->device_name));
    handle->magic = ADN_HANDLE_MAGIC;
    *out = handle;
    return ANYDNN_STATUS_SUCCESS;
}

/* Fails with the status of a space's function and its sentence. */
static anydnnStatus_t fail_in_space(const char *entry, const char *device, const char *what,
                                    int32_t result)
{
    const char *said = adn_load_error_text();

    return adn_fail(adn_plan_status(result), "%s: device %s %s%s%s", entry, device, what,
                    said[0] != '\0' ? ": " : "", said);
}

anydnnStatus_t adn_handle_create(anydnnHandle_t *out, const char *device, const char *entry)
{
    struct adn_global *global;
    struct adn_space *space;
    int32_t number = 0, result;
    void *stream;
    char name[64];
    anydnnStatus_t status = adn_global_get(entry, &global);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    status = choose_device(global, device ? device : global->settings->device,
                           device ? ANYDNN_STATUS_BAD_PARAM : ANYDNN_STATUS_NOT_INITIALIZED, entry,
                           &space, &number);
    adn_load_error_clear();
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    result = adn_space_default_stream(space, number, &stream);
    if (result != 0) {
        adn_space_device_name(space, number, name, sizeof(name));
        return fail_in_space(entry, name, "has no default stream, and creating one failed", result);
    }
    status = make_handle(global, space, number, entry, out);
    if (status == ANYDNN_STATUS_SUCCESS)
        (*out)->stream = (*out)->home = stream;
    return status;
}

anydnnStatus_t adn_handle_adopt(anydnnHandle_t *out, const char *name, void *context, void *native,
                                const char *entry)
{
    struct adn_global *global;
    struct adn_space *space;
    void *stream = NULL;
    int32_t number = 0, result;
    anydnnStatus_t status = adn_global_get(entry, &global);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    space = adn_global_space(global, name);
    if (!space || !space->functions->adopt)
        return adn_fail(space ? ANYDNN_STATUS_NOT_SUPPORTED : ANYDNN_STATUS_BAD_PARAM,
                        "%s: space `%.64s`: %s", entry, name,
                        space ? "it takes over no native context"
                              : "no usable backend provides this memory space; a rule of [route] "
                                "must name one");
    status = check_space(space, 0, entry);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    result = ADN_BACKEND_CALL(space->functions->adopt(context, native, &number, &stream));
    if (result == 0 && !stream)
        result = adn_space_default_stream(space, number, &stream);
    if (result != 0)
        return fail_in_space(entry, space->name, "does not take over the native objects", result);
    status = make_handle(global, space, number, entry, out);
    if (status == ANYDNN_STATUS_SUCCESS) {
        (*out)->stream = (*out)->home = stream;
        (*out)->adopted = native != NULL;
    } else if (native) {
        space->functions->stream_destroy(number, stream);
    }
    return status;
}
