/* SPDX-License-Identifier: Apache-2.0 */
/* The shared state of the process: reads the settings, lists the backends, opens those that rules
 * name. */
#include "dispatch/handle/global.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "sys/env.h"
#include "sys/error.h"
#include "sys/log.h"
#include "sys/process.h"
#include "sys/text.h"

static struct adn_global *global;
static _Atomic int global_ready;
static pthread_mutex_t global_lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t space_lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static _Thread_local int global_building;

struct adn_space *adn_global_space(struct adn_global *all, const char *name)
{
    for (int32_t i = 0; i < all->space_count; i++)
        if (strcmp(all->space[i]->name, name) == 0)
            return all->space[i];
    return NULL;
}

/* Adds the space of a live backend, if a backend owns it. Returns 0 when memory runs out. */
static int space_learn(struct adn_global *all, const struct anydnn_plugin *plugin)
{
    const struct adn_backend *owner = adn_load_owner(all->registry, plugin->space);
    struct adn_space *space = NULL;
    int lacked = 0;

    pthread_mutex_lock(&space_lock);
    if (owner && !adn_global_space(all, plugin->space) && all->space_count < ADN_SPACES_MAX) {
        space = calloc(1, sizeof(*space));
        lacked = !space && adn_shortage(ENOMEM);
    }
    if (space) {
        space->name = plugin->space;
        space->functions = owner->plugin->space_functions;
        space->owner = owner;
        all->space[all->space_count] = space;
        all->space_count++;
    }
    pthread_mutex_unlock(&space_lock);
    return !lacked;
}

int adn_global_open(struct adn_global *all, struct adn_backend *backend)
{
    int outer = global_building, is_live;

    adn_shortage_forget();
    global_building = 1;
    is_live = adn_load_open(backend);
    if (is_live && backend->plugin->errata)
        adn_errata_publish(all->errata, backend->name, backend->plugin->errata);
    is_live = is_live && space_learn(all, backend->plugin);
    global_building = outer;
    return is_live;
}

static void warn_of_withheld(const char *backend, const struct adn_plugin_setting *set)
{
    const struct adn_withheld *withheld = set->withheld;
    static const char what[] = "a value that another user's file sets";

    if (adn_log_first(withheld->origin, strlen(withheld->origin), what))
        adn_warn("%s: set.%s = %s of backend %s is ignored: the file belongs to user %ld, this "
                 "process runs as root, and the backend does not publish the key as a choice",
                 withheld->origin, set->key, withheld->value, backend, withheld->owner);
}

static const char *plugin_setting(void *cookie, const char *backend, const char *key, uint32_t kind)
{
    const struct adn_global *all = cookie;
    const struct adn_plugin_setting *set = adn_settings_plugin_set(all->settings, backend, key);
    int is_choice = kind == ANYDNN_PLUGIN_SETTING_CHOICE;

    if (set && set->withheld && !is_choice)
        warn_of_withheld(backend, set);
    return adn_plugin_setting_value(set, is_choice);
}

/* ---- errata */

/* Writes the identity of a backend's device for errata. */
static void write_device(void *cookie, char *text, size_t size)
{
    const struct adn_global_device *device = cookie;
    const struct adn_space *space =
        adn_global_space(device->global, device->backend->plugin->space);

    if (space)
        adn_space_device_identity(space, device->number, text, size);
}

void adn_global_errata_query(const struct adn_global_device *device,
                             const struct anydnn_plugin_problem *problem,
                             const struct anydnn_plugin_candidate *candidate,
                             struct adn_errata_query *query)
{
    *query = (struct adn_errata_query){.backend = device->backend->name,
                                       .version = adn_load_version(device->backend),
                                       .device = write_device,
                                       .cookie = (void *)device,
                                       .problem = problem,
                                       .candidate = candidate};
}

/* Answers a backend's question. It comes during `candidates`, when the global state is there. */
static uint32_t plugin_errata(void *cookie, const struct adn_backend *backend,
                              const struct anydnn_plugin_problem *problem,
                              const struct anydnn_plugin_candidate *candidate, int32_t *algorithm)
{
    struct adn_global *all = cookie;
    struct adn_global_device device = {all, backend, problem->device};
    struct adn_errata_query query;

    adn_global_errata_query(&device, problem, candidate, &query);
    return adn_errata_plugin_bits(adn_errata_verdicts(all->errata, &query, algorithm));
}

/* ---- settings of backends */

/* Warns of each set.KEY of the settings that the backend does not publish, or that is withheld. */
static void warn_of_settings(void *cookie, const struct adn_backend *backend)
{
    const struct adn_global *all = cookie;
    const struct adn_plugin_section *section = adn_settings_plugin(all->settings, backend->name);
    const struct anydnn_plugin *plugin = backend->plugin;
    const char *keys[64];
    int count = 0;

    while (count < 64 && (uint32_t)count < plugin->setting_count) {
        keys[count] = plugin->settings[count]->key;
        count++;
    }
    for (const struct adn_plugin_setting *set = section ? section->set : NULL; set;
         set = set->next) {
        const char *near = adn_name_nearest(set->key, keys, count);
        int known = 0;

        for (uint32_t i = 0; i < plugin->setting_count; i++)
            known |= strcmp(plugin->settings[i]->key, set->key) == 0;
        if (known && set->withheld &&
            adn_load_setting_kind(backend, set->key) != ANYDNN_PLUGIN_SETTING_CHOICE)
            warn_of_withheld(backend->name, set);
        if (known)
            continue;
        adn_warn("%s: backend `%s` does not have the setting `set.%s`%s%s%s",
                 set->value ? set->origin : set->withheld->origin, backend->name, set->key,
                 near ? "; did you mean `set." : "", near ? near : "", near ? "`?" : "");
    }
}

/* Returns plugin_path's folders followed by plugindir. The global state keeps the array. */
static const char *const *folders_of(const struct adn_settings *settings)
{
    size_t count = 0;
    const char **folders;

    while (settings->plugin_path && settings->plugin_path[count])
        count++;
    folders = calloc(count + 2, sizeof(folders[0]));
    if (!folders)
        return NULL;
    for (size_t i = 0; i < count; i++)
        folders[i] = settings->plugin_path[i];
    folders[count] = adn_settings_plugindir();
    return folders;
}

static void options_drop(const struct adn_load_options *options)
{
    free((void *)options->folders);
    free((void *)options->modules);
}

static void registry_drop(struct adn_registry *registry)
{
    if (registry)
        options_drop(&registry->options);
    adn_load_registry_free(registry);
}

static struct adn_registry *registry_make(struct adn_global *all)
{
    const struct adn_settings *settings = all->settings;
    struct adn_load_options options = {.setting = plugin_setting,
                                       .errata = plugin_errata,
                                       .opened = warn_of_settings,
                                       .cookie = all};
    const struct adn_plugin_section *section;
    struct adn_load_module *modules;
    struct adn_registry *registry;

    options.folders = folders_of(settings);
    for (section = settings->plugins; section; section = section->next)
        options.module_count++;
    modules = calloc((size_t)options.module_count + 1, sizeof(*modules));
    options.modules = modules;
    if (!options.folders || !modules) {
        options_drop(&options);
        return NULL;
    }
    options.module_count = 0;
    for (section = settings->plugins; section; section = section->next) {
        struct adn_load_module *module = &modules[options.module_count++];

        module->name = section->name;
        module->module = section->module;
        module->disabled = section->enable == ADN_ENABLE_NO;
        module->origin = section->module ? section->module_origin : section->origin;
    }
    registry = adn_load_registry(&options);
    if (!registry)
        options_drop(&options);
    for (char **sentence = registry ? registry->unreadable : NULL; sentence && *sentence;
         sentence++)
        adn_warn("%s", *sentence);
    return registry;
}

const char *adn_global_nearest(const struct adn_global *all, const char *name)
{
    const char *names[64];
    int count = 0;

    for (int32_t i = 0; i < all->registry->count && count < 64; i++)
        if (all->registry->backend[i]->stage != ADN_LOAD_MISSING)
            names[count++] = all->registry->backend[i]->name;
    return adn_name_nearest(name, names, count);
}

/* Warns of settings for a backend that is not installed, if its name resembles an installed one's.
 */
static void warn_of_section(const struct adn_global *all, const struct adn_plugin_section *section)
{
    const struct adn_backend *backend = adn_load_find(all->registry, section->name);
    const struct adn_plugin_setting *set = section->set;
    const char *near;

    if (!set || section->module || (backend && backend->stage != ADN_LOAD_MISSING))
        return;
    near = adn_global_nearest(all, section->name);
    if (near)
        adn_warn("%s: backend `%s` is not installed; did you mean `%s`?",
                 set->value ? set->origin : set->withheld->origin, section->name, near);
}

/* Warns of a name in a user's rule that resembles an installed backend's. */
static void warn_of_unknown(const struct adn_global *all, const struct adn_route_rule *rule,
                            const char *name)
{
    static const char what[] = "a handle's route, which a program may set again and again";
    const char *near = adn_global_nearest(all, name);

    if (near && rule->layer != ADN_LAYER_BUILTIN &&
        (rule->layer != ADN_LAYER_API || adn_log_first(name, strlen(name), what)))
        adn_warn("%s: backend `%s` is not installed; did you mean `%s`?", rule->origin, name, near);
}

void adn_global_warn_of_unknown(const struct adn_global *all, const struct adn_route_rule *rule)
{
    for (int32_t i = 0; i < rule->count; i++)
        if (!adn_load_find(all->registry, rule->backend[i]))
            warn_of_unknown(all, rule, rule->backend[i]);
}

/* The bound on the effective rules of all operations and math modes, of which a process has few. */
#define RULES_MAX 64

/* Lists each effective rule once, in the order of the operations. Returns their number. */
static int rules_of(const struct adn_global *all, const struct adn_route_rule *rules[RULES_MAX])
{
    static const int32_t maths[] = {ANYDNN_PLUGIN_MATH_DEFAULT, ANYDNN_PLUGIN_MATH_TENSOR_OP,
                                    ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION, ANYDNN_PLUGIN_MATH_SPLIT};
    int count = 0;

    for (int32_t operation = 1; operation < ANYDNN_PLUGIN_OPERATION_END; operation++)
        for (size_t mode = 0; mode < sizeof(maths) / sizeof(maths[0]); mode++) {
            const struct adn_route_rule *rule = adn_settings_route(
                all->settings, NULL, 0, adn_operation_name(operation), maths[mode]);
            int known = count == RULES_MAX;

            for (int i = 0; i < count; i++)
                known |= rules[i] == rule;
            if (!known)
                rules[count++] = rule;
        }
    return count;
}

/* Lets "auto" take devices of the backend's space. Backends that neither a rule nor enable = yes
 * names may bring spaces, too, when a tool lists them or a program names their device. */
static void permit_auto(struct adn_global *all, const struct adn_backend *backend)
{
    for (int32_t i = 0; i < all->space_count; i++)
        if (strcmp(all->space[i]->name, backend->plugin->space) == 0)
            all->auto_spaces |= 1u << i;
}

/* Opens, in the order of the routes, each backend that an effective rule names. Returns 0, or the
 * errno if memory or descriptors ran out for one. */
static int open_routed(struct adn_global *all)
{
    const struct adn_route_rule *rules[RULES_MAX];
    int count = rules_of(all, rules), lacked = 0;

    for (int at = 0; at < count; at++)
        for (int32_t i = 0; i < rules[at]->count; i++) {
            struct adn_backend *backend = adn_load_find(all->registry, rules[at]->backend[i]);

            if (backend && adn_global_open(all, backend))
                permit_auto(all, backend);
            else if (backend && adn_shortage_noted())
                lacked = adn_shortage_noted();
        }
    return lacked;
}

/* Fails because memory or descriptors ran out. What was found meanwhile is not kept. */
static anydnnStatus_t refuse_short(const char *entry, int error)
{
    return adn_fail(ANYDNN_STATUS_ALLOC_FAILED,
                    "%s: looking up settings and backends failed: %s; the next call tries again",
                    entry, strerror(error));
}

/* Fails for the first backend with enable = yes that is not installed or, if `open` is set, not
 * live. */
static anydnnStatus_t check_required(struct adn_global *all, const char *entry, int open)
{
    for (const struct adn_plugin_section *section = all->settings->plugins; section;
         section = section->next) {
        struct adn_backend *backend = adn_load_find(all->registry, section->name);

        if (section->enable != ADN_ENABLE_YES)
            continue;
        if (backend && open && adn_global_open(all, backend)) {
            permit_auto(all, backend);
            continue;
        }
        if (backend && !open && backend->stage != ADN_LOAD_MISSING)
            continue;
        if (backend && adn_shortage_noted())
            return refuse_short(entry, adn_shortage_noted());
        return adn_fail(ANYDNN_STATUS_CONFIG_ERROR,
                        "%s: backend `%s` has `enable = yes` (%s) but cannot be used: %s", entry,
                        section->name, section->origin,
                        backend ? adn_load_reason(backend) : "it is not installed");
    }
    return ANYDNN_STATUS_SUCCESS;
}

/* Makes the global state: the settings, and the list of backends, none of them open. Returns NULL
 * with the status on failure. */
static struct adn_global *global_make(const char *entry, anydnnStatus_t *why)
{
    struct adn_global *all = calloc(1, sizeof(*all));
    anydnnStatus_t status = ANYDNN_STATUS_ALLOC_FAILED;
    const struct adn_route_rule *rules[RULES_MAX];
    const struct adn_plugin_section *section;
    int count;

    adn_shortage_forget();
    if (all)
        all->settings = adn_settings_load();
    if (!all || !all->settings) {
        adn_fail(status, "%s: out of memory while reading the settings", entry);
        goto out;
    }
    if (adn_shortage_noted())
        goto short_of;
    if (all->settings->fatal[0] != '\0') {
        status = adn_fail(ANYDNN_STATUS_CONFIG_ERROR, "%s: %s", entry, all->settings->fatal);
        goto out;
    }
    adn_process_watch();
    all->errata = adn_errata_load(all->settings);
    if (all->errata)
        all->settings->dropped += adn_errata_dropped(all->errata);
    all->registry = all->errata ? registry_make(all) : NULL;
    if (!all->registry) {
        adn_fail(status, "%s: out of memory while listing the backends", entry);
        goto out;
    }
    if (adn_shortage_noted())
        goto short_of;
    all->space[0] = &adn_space_host;
    all->space_count = 1;
    count = rules_of(all, rules);
    for (int i = 0; i < count; i++)
        adn_global_warn_of_unknown(all, rules[i]);
    for (section = all->settings->plugins; section; section = section->next)
        warn_of_section(all, section);
    *why = ANYDNN_STATUS_SUCCESS;
    return all;
short_of:
    status = refuse_short(entry, adn_shortage_noted());
out:
    if (all) {
        registry_drop(all->registry);
        adn_errata_free(all->errata);
        adn_settings_free(all->settings);
    }
    free(all);
    *why = status;
    return NULL;
}

/* Ensures that a child of fork() finds the global state either complete or not begun. */
static void global_guard(void)
{
    adn_process_fork_waits(&global_lock);
    adn_process_fork_waits(&space_lock);
}

/* Opens the global state's backends. The global state is kept even if a required backend is
 * missing, since backends are opened only once. */
static anydnnStatus_t global_open(const char *entry)
{
    int lacked = open_routed(global);
    anydnnStatus_t status = lacked ? refuse_short(entry, lacked) : check_required(global, entry, 1);

    global_ready = status == ANYDNN_STATUS_SUCCESS;
    return status;
}

static anydnnStatus_t get(const char *entry, struct adn_global **found, int open)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;

    if (global_building)
        return adn_fail(ANYDNN_STATUS_NOT_INITIALIZED,
                        "%s: called by a backend while it is being loaded", entry);
    /* This check takes no lock, because in a child after fork() a thread of the parent may hold it
     * for ever. */
    if (global_ready) {
        *found = global;
        return status;
    }
    pthread_once(&once, global_guard);
    pthread_mutex_lock(&global_lock);
    if (!global_ready) {
        global_building = 1;
        if (!global)
            global = global_make(entry, &status);
        if (global)
            status = open ? global_open(entry) : check_required(global, entry, 0);
        global_building = 0;
    }
    *found = global;
    pthread_mutex_unlock(&global_lock);
    return status;
}

anydnnStatus_t adn_global_get(const char *entry, struct adn_global **found)
{
    return get(entry, found, 1);
}

anydnnStatus_t adn_global_list(const char *entry, struct adn_global **found)
{
    return get(entry, found, 0);
}
