/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the backends of the process. They are listed once, opened one by one at first need, and
 * never closed. */
#include "load/load.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/attempt.h"
#include "load/discover.h"
#include "load/slot.h"
#include "sys/error.h"
#include "sys/log.h"
#include "sys/process.h"

/* The steps in order. A step that fails gives the backend its stage, for good unless memory or
 * descriptors were short. */
static const struct {
    int (*step)(struct adn_load_attempt *attempt);
    int32_t stage;
} load_steps[] = {
    {adn_load_trust, ADN_LOAD_UNTRUSTED},  {adn_load_check_elf, ADN_LOAD_UNOPENED},
    {adn_load_dl_open, ADN_LOAD_UNOPENED}, {adn_load_check_abi, ADN_LOAD_ABI},
    {adn_load_call_main, ADN_LOAD_MAIN},   {adn_load_validate, ADN_LOAD_INVALID},
};

static const char *const load_stage_names[] = {
    [ADN_LOAD_KNOWN] = "known",       [ADN_LOAD_MISSING] = "missing",
    [ADN_LOAD_DISABLED] = "disabled", [ADN_LOAD_UNTRUSTED] = "untrusted",
    [ADN_LOAD_UNOPENED] = "unopened", [ADN_LOAD_ABI] = "abi",
    [ADN_LOAD_MAIN] = "main",         [ADN_LOAD_INVALID] = "invalid",
    [ADN_LOAD_LIVE] = "live",
};

/* Is 1 while this thread runs a backend's constructors or main. */
static _Thread_local int load_entered;

int adn_load_refuse(struct adn_load_attempt *attempt, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(attempt->slot->reason, sizeof(attempt->slot->reason), format, arguments);
    va_end(arguments);
    return -1;
}

/* Takes the steps. A backend linked with -ffast-math has a constructor that makes this thread flush
 * to zero. */
static int32_t load_attempt(struct adn_load_slot *slot)
{
    ADN_FLOAT_SCOPE;
    struct adn_load_attempt attempt = {.slot = slot};
    int32_t stage = ADN_LOAD_LIVE;
    int lacked;

    adn_shortage_forget();
    for (size_t i = 0; i < sizeof(load_steps) / sizeof(load_steps[0]); i++) {
        int failed = load_steps[i].step(&attempt) != 0;

        slot->backend.changes_float |= adn_float_is_changed();
        adn_float_standard();
        if (failed) {
            stage = load_steps[i].stage;
            break;
        }
    }
    lacked = stage != ADN_LOAD_LIVE && adn_shortage_noted();
    if (stage != ADN_LOAD_LIVE)
        memset(slot->backend.operation, 0, sizeof(slot->backend.operation));
    if (stage != ADN_LOAD_LIVE && !lacked)
        slot->backend.reason = slot->reason;
    free(attempt.real_path);
    return lacked ? ADN_LOAD_KNOWN : stage;
}

static void load_report(const struct adn_backend *backend, int32_t stage)
{
    if (stage == ADN_LOAD_KNOWN)
        adn_warn("backend %s: %s: %s", backend->name, adn_load_reason(backend),
                 strerror(adn_shortage_noted()));
    else if (stage == ADN_LOAD_LIVE)
        adn_info("backend %s %s opened: %s", backend->name, backend->plugin->version,
                 backend->path);
    else
        adn_warn("backend %s is not available (%s): %s", backend->name, adn_load_stage_name(stage),
                 backend->reason);
    if (backend->changes_float)
        adn_info("backend %s changed the floating-point environment when it was opened, as files "
                 "linked with -ffast-math do; it has been restored",
                 backend->name);
}

/* Serializes opening, as the dynamic linker does anyway. fork() waits for this lock alone: a half
 * opened backend is of no use to a child. */
static pthread_mutex_t load_lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void load_guard(void)
{
    adn_process_fork_waits(&load_lock);
}

const struct adn_backend *adn_load_owner(const struct adn_registry *registry, const char *space)
{
    const struct adn_backend *owner = NULL;

    for (int32_t i = 0; i < registry->count; i++) {
        const struct adn_backend *backend = registry->backend[i];

        if (atomic_load_explicit(&backend->stage, memory_order_acquire) == ADN_LOAD_LIVE &&
            backend->plugin->space_functions && strcmp(backend->plugin->space, space) == 0 &&
            (!owner || backend->order < owner->order))
            owner = backend;
    }
    return owner;
}

/* Opens the backend that has the name of a space without an owner. */
static void open_owner(const struct adn_backend *backend)
{
    const char *space = backend->plugin->space;
    struct adn_backend *owner = adn_load_find(backend->registry, space);

    if (owner && strcmp(space, "host") != 0 && !adn_load_owner(backend->registry, space))
        adn_load_open(owner);
}

int adn_load_open(struct adn_backend *backend)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int32_t stage = atomic_load_explicit(&backend->stage, memory_order_acquire);
    static int32_t live_count; /* guarded by the lock */
    int opened_here = 0;

    if (stage != ADN_LOAD_KNOWN)
        return stage == ADN_LOAD_LIVE;
    if (load_entered || adn_process_exiting)
        return 0;
    pthread_once(&once, load_guard);
    pthread_mutex_lock(&load_lock);
    stage = atomic_load_explicit(&backend->stage, memory_order_acquire);
    if (stage == ADN_LOAD_KNOWN) {
        load_entered = 1;
        stage = load_attempt((struct adn_load_slot *)(void *)backend);
        load_entered = 0;
        opened_here = 1;
        backend->order = live_count;
        live_count += stage == ADN_LOAD_LIVE;
        atomic_store_explicit(&backend->stage, stage, memory_order_release);
    }
    pthread_mutex_unlock(&load_lock);
    /* This is outside the lock, since the application's log callback may call this function. */
    if (opened_here)
        load_report(backend, stage);
    if (opened_here && stage == ADN_LOAD_LIVE && backend->registry->options.opened)
        backend->registry->options.opened(backend->registry->options.cookie, backend);
    if (opened_here && stage == ADN_LOAD_LIVE)
        open_owner(backend);
    return stage == ADN_LOAD_LIVE;
}

struct adn_registry *adn_load_registry(const struct adn_load_options *options)
{
    struct adn_registry *registry = calloc(1, sizeof(*registry));

    if (!registry)
        return NULL;
    registry->options = *options;
    if (adn_load_discover(registry) != 0) {
        adn_load_registry_free(registry);
        return NULL;
    }
    return registry;
}

static void load_slot_free(struct adn_load_slot *slot)
{
    if (!slot)
        return;
    free(slot->limits);
    free(slot->limit_list);
    free(slot->settings);
    free(slot->setting_list);
    free(slot->backend.path);
    free(slot);
}

void adn_load_registry_free(struct adn_registry *registry)
{
    if (!registry)
        return;
    for (int32_t i = 0; i < registry->count; i++)
        load_slot_free((struct adn_load_slot *)(void *)registry->backend[i]);
    for (char **sentence = registry->unreadable; sentence && *sentence; sentence++)
        free(*sentence);
    free(registry->unreadable);
    free(registry->backend);
    free(registry);
}

struct adn_backend *adn_load_find(const struct adn_registry *registry, const char *name)
{
    int32_t low = 0;
    int32_t high = registry->count;

    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = strcmp(name, registry->backend[middle]->name);

        if (order == 0)
            return registry->backend[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const char *adn_load_reason(const struct adn_backend *backend)
{
    int32_t stage = atomic_load_explicit(&backend->stage, memory_order_acquire);

    if (stage == ADN_LOAD_KNOWN || stage == ADN_LOAD_LIVE)
        return "could not be opened: out of memory or descriptors; the next call that needs it "
               "tries again";
    return backend->reason;
}

uint32_t adn_load_setting_kind(const struct adn_backend *backend, const char *key)
{
    int is_live = atomic_load_explicit(&backend->stage, memory_order_acquire) == ADN_LOAD_LIVE;
    uint32_t count = is_live ? backend->plugin->setting_count : 0;

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(backend->plugin->settings[i]->key, key) == 0)
            return backend->plugin->settings[i]->kind;
    return ANYDNN_PLUGIN_SETTING_CODE;
}

int64_t adn_load_limit(const struct adn_backend *backend, int32_t operation, const char *name)
{
    int is_live = atomic_load_explicit(&backend->stage, memory_order_acquire) == ADN_LOAD_LIVE;
    uint32_t count = is_live ? backend->plugin->limit_count : 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct anydnn_plugin_limit *limit = backend->plugin->limits[i];

        if ((limit->operation == 0 || limit->operation == operation) &&
            strcmp(limit->name, name) == 0)
            return limit->value;
    }
    return 0;
}

const char *adn_load_version(const struct adn_backend *backend)
{
    const struct anydnn_plugin *plugin = backend->plugin;

    return plugin->library_version ? plugin->library_version() : plugin->version;
}

const char *adn_load_stage_name(int32_t stage)
{
    if (stage < 0 || (size_t)stage >= sizeof(load_stage_names) / sizeof(load_stage_names[0]))
        return "unknown";
    return load_stage_names[stage];
}
