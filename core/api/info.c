/* SPDX-License-Identifier: Apache-2.0 */
/* The entries that list backends, devices and settings. */
#include "dispatch/handle/global.h"

#include <inttypes.h>
#include <string.h>

#include <anydnn/anydnn.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "sys/callback.h"
#include "sys/error.h"
#include "sys/text.h"

#define SUCCESS      ANYDNN_STATUS_SUCCESS
#define BAD_PARAM    ANYDNN_STATUS_BAD_PARAM
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static anydnnStatus_t bad_key(const char *entry, const char *key, const char *const *keys,
                              int count)
{
    const char *near = adn_name_nearest(key, keys, count);

    if (near)
        return adn_fail(BAD_PARAM, "%s: unknown key `%s`; did you mean `%s`?", entry, key, near);
    return adn_fail(BAD_PARAM, "%s: unknown key `%s`; the first key is `%s`", entry, key, keys[0]);
}

/* Checks the arguments of a ...Info entry and gets the global state, without opening a backend. */
static anydnnStatus_t begin_list(const char *entry, struct adn_global **global, const void *first,
                                 const void *second)
{
    if (!first || !second)
        return adn_fail(BAD_PARAM, "%s: an output pointer or the key is NULL", entry);
    return adn_global_list(entry, global);
}

/* Does the same, and opens the backends. */
static anydnnStatus_t begin(const char *entry, struct adn_global **global, const void *first,
                            const void *second)
{
    anydnnStatus_t status = begin_list(entry, global, first, second);

    return status == SUCCESS ? adn_global_get(entry, global) : status;
}

static anydnnStatus_t bad_index(const char *entry, int index, int count)
{
    return adn_fail(BAD_PARAM, "%s: index %d is out of range 0..%d", entry, index, count - 1);
}

anydnnStatus_t anydnnGetBackendCount(int *count)
{
    ADN_ENTRY_SCOPE;
    struct adn_global *global;
    anydnnStatus_t status = begin("anydnnGetBackendCount", &global, count, count);

    if (status == SUCCESS)
        *count = global->registry->count;
    return status;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* Writes the types, layouts and math modes that a live backend publishes, one line per operation.
 */
static void say_operations(const struct anydnn_plugin *plugin, struct adn_text *text)
{
    static const char *const layouts[] = {"nchw", "nhwc", "strided", "nchw_vect_c"};
    static const char *const maths[] = {"default", "tensor_op", "allow_conversion", "split"};

    for (uint32_t i = 0; i < plugin->operation_count; i++) {
        const struct anydnn_plugin_operation *operation = plugin->operations[i];

        adn_text_add(text, "%s:", adn_operation_name(operation->operation));
        for (int32_t type = 0; type < 32; type++)
            if (operation->types >> type & 1)
                adn_text_add(text, " %s", adn_type_name(type));
        adn_text_add(text, ";");
        for (int bit = 0; bit < COUNT(layouts); bit++)
            if (operation->layouts >> bit & 1)
                adn_text_add(text, " %s", layouts[bit]);
        adn_text_add(text, ";");
        for (int bit = 0; bit < COUNT(maths); bit++)
            if (operation->maths >> bit & 1)
                adn_text_add(text, " %s", maths[bit]);
        adn_text_add(text, "\n");
    }
}

static void say_limits(const struct anydnn_plugin *plugin, struct adn_text *text)
{
    for (uint32_t i = 0; i < plugin->limit_count; i++) {
        const struct anydnn_plugin_limit *limit = plugin->limits[i];

        adn_text_add(text, "%s %s=%" PRId64 ": %s\n",
                     limit->operation == 0 ? "*" : adn_operation_name(limit->operation),
                     limit->name, limit->value, or_empty(limit->sentence));
    }
}

static void say_settings(const struct adn_global *global, const struct adn_backend *backend,
                         struct adn_text *text)
{
    const struct adn_plugin_section *section = adn_settings_plugin(global->settings, backend->name);

    for (const struct adn_plugin_setting *set = section ? section->set : NULL; set;
         set = set->next) {
        int is_choice = adn_load_setting_kind(backend, set->key) == ANYDNN_PLUGIN_SETTING_CHOICE;
        const char *value = adn_plugin_setting_value(set, is_choice);

        if (value)
            adn_text_add(text, "set.%s = %s\n", set->key, value);
        if (set->withheld && !is_choice)
            adn_text_add(text, "set.%s = %s is ignored: %s belongs to user %ld\n", set->key,
                         set->withheld->value, set->withheld->origin, set->withheld->owner);
    }
}

static void say_setting_keys(const struct anydnn_plugin *plugin, struct adn_text *text)
{
    for (uint32_t i = 0; i < plugin->setting_count; i++)
        adn_text_add(text, "set.%s: %s\n", plugin->settings[i]->key, plugin->settings[i]->help);
}

/* Writes the errata that concern the backend, from all sources. */
static void say_errata(const struct adn_global *global, const struct adn_backend *backend,
                       struct adn_text *text)
{
    const struct adn_erratum *erratum;

    for (int i = 0; (erratum = adn_errata_at(global->errata, i)) != NULL; i++) {
        size_t left = text->length < text->size ? text->size - text->length : 0;

        if (!adn_errata_concern(global->errata, erratum, backend->name))
            continue;
        text->length +=
            adn_erratum_print(erratum, left > 0 ? text->buffer + text->length : NULL, left);
    }
}

/* Writes which setting of a live backend is invalid, if the backend refuses a context for it. */
static void say_invalid_setting(struct adn_global *global, const struct adn_backend *backend,
                                struct adn_text *text)
{
    const struct adn_plugin_section *section = adn_settings_plugin(global->settings, backend->name);
    const struct adn_space *space = adn_global_space(global, backend->plugin->space);
    struct anydnn_plugin_context *context = NULL;
    int32_t result;

    if (!section || !section->set || !space || adn_space_device_count(space) < 1)
        return;
    result = ADN_BACKEND_CALL(backend->plugin->context_create(0, &context));
    if (result == BAD_PARAM)
        adn_text_add(text, "it has an invalid setting and cannot be used: %s",
                     adn_load_error_text());
    else if (result == 0 && context)
        backend->plugin->context_destroy(context);
}

/* Returns the index of `key` in a table of names, or -1. */
static int key_at(const char *const *keys, int count, const char *key)
{
    for (int i = 0; i < count; i++)
        if (strcmp(keys[i], key) == 0)
            return i;
    return -1;
}

/* The positions of the keys. Keys whose value is one text of the backend come first. */
enum {
    KEY_STAGE = 2,
    KEY_REASON,
    KEY_VENDOR,
    KEY_PLUGIN_ABI = 8,
    KEY_OPERATIONS,
    KEY_LIMITS,
    KEY_SETTINGS,
    KEY_SETTING_KEYS,
    KEY_ERRATA,
    KEY_LIBRARY_VERSION
};

static const char *word_of(const struct adn_backend *backend, const struct anydnn_plugin *live,
                           int key)
{
    const char *const words[KEY_PLUGIN_ABI] = {backend->name,
                                               backend->path,
                                               adn_load_stage_name(backend->stage),
                                               live ? NULL : backend->reason,
                                               live ? live->vendor : NULL,
                                               live ? live->version : NULL,
                                               live ? live->build_id : NULL,
                                               live ? live->space : NULL};

    return or_empty(words[key]);
}

anydnnStatus_t anydnnGetBackendInfo(int index, const char *key, char *buffer, size_t size)
{
    ADN_ENTRY_SCOPE;
    static const char *const keys[] = {"name",         "path",       "stage",          "reason",
                                       "vendor",       "version",    "build_id",       "space",
                                       "plugin_abi",   "operations", "limits",         "settings",
                                       "setting_keys", "errata",     "library_version"};
    int at = key ? key_at(keys, COUNT(keys), key) : -1;
    struct adn_global *global;
    anydnnStatus_t status = begin_list("anydnnGetBackendInfo", &global, key, buffer);
    struct adn_backend *backend;
    const struct anydnn_plugin *live;
    struct adn_text text;

    if (status != SUCCESS)
        return status;
    if (index < 0 || index >= global->registry->count)
        return bad_index("anydnnGetBackendInfo", index, global->registry->count);
    if (at < 0)
        return bad_key("anydnnGetBackendInfo", key, keys, COUNT(keys));
    backend = global->registry->backend[index];
    /* A backend that ends the process when it is opened must not prevent queries about the others.
     * A key therefore opens only the backends that it needs. */
    if (at >= KEY_VENDOR && at != KEY_SETTINGS)
        adn_global_open(global, backend);
    else if (at >= KEY_STAGE && backend->stage == ADN_LOAD_KNOWN)
        status = adn_global_get("anydnnGetBackendInfo", &global);
    if (status != SUCCESS)
        return status;
    live = backend->stage == ADN_LOAD_LIVE ? backend->plugin : NULL;
    adn_text_begin(&text, buffer, size);
    if (live && at == KEY_REASON)
        say_invalid_setting(global, backend, &text);
    else if (at < KEY_PLUGIN_ABI)
        adn_text_add(&text, "%s", word_of(backend, live, at));
    else if (at == KEY_SETTINGS)
        say_settings(global, backend, &text);
    else if (at == KEY_ERRATA)
        say_errata(global, backend, &text);
    else if (live && at == KEY_PLUGIN_ABI)
        adn_text_add(&text, "%d.%d", ANYDNN_PLUGIN_ABI_MAJOR, ANYDNN_PLUGIN_ABI_MINOR);
    else if (live && at == KEY_OPERATIONS)
        say_operations(live, &text);
    else if (live && at == KEY_LIMITS)
        say_limits(live, &text);
    else if (live && at == KEY_SETTING_KEYS)
        say_setting_keys(live, &text);
    else if (live && live->library_version)
        adn_text_add(&text, "%s", or_empty(live->library_version()));
    return SUCCESS;
}

anydnnStatus_t anydnnGetDeviceCount(int *count)
{
    ADN_ENTRY_SCOPE;
    struct adn_global *global;
    anydnnStatus_t status = begin("anydnnGetDeviceCount", &global, count, count);

    if (status != SUCCESS)
        return status;
    *count = 0;
    for (int32_t i = 0; i < global->space_count; i++)
        *count += adn_space_device_count(global->space[i]);
    return SUCCESS;
}

anydnnStatus_t anydnnGetDeviceInfo(int index, const char *key, char *buffer, size_t size)
{
    ADN_ENTRY_SCOPE;
    static const char *const keys[] = {"name", "space", "description"};
    const struct adn_space *space = NULL;
    struct adn_global *global;
    anydnnStatus_t status = begin("anydnnGetDeviceInfo", &global, key, buffer);
    int at = key ? key_at(keys, COUNT(keys), key) : -1;
    struct adn_text text;
    int32_t number = index;
    int32_t all = 0;

    if (status != SUCCESS)
        return status;
    for (int32_t i = 0; i < global->space_count; i++) {
        int32_t count = adn_space_device_count(global->space[i]);

        if (!space && number >= 0 && number < count)
            space = global->space[i];
        else if (!space && number >= 0)
            number -= count;
        all += count;
    }
    if (!space)
        return bad_index("anydnnGetDeviceInfo", index, all);
    if (at < 0)
        return bad_key("anydnnGetDeviceInfo", key, keys, COUNT(keys));
    adn_text_begin(&text, buffer, size);
    if (at == 2 && size > 0) {
        space->functions->device_name(number, buffer, size);
        buffer[size - 1] = '\0';
    } else if (at == 1 || space->host) {
        adn_text_add(&text, "%s", at == 1 ? space->name : "cpu");
    } else {
        adn_text_add(&text, "%s:%d", space->name, (int)number);
    }
    return SUCCESS;
}

anydnnStatus_t anydnnGetSettingCount(int *count)
{
    ADN_ENTRY_SCOPE;
    struct adn_global *global;
    anydnnStatus_t status = begin_list("anydnnGetSettingCount", &global, count, count);
    const char *section;
    const char *key;
    const char *origin;
    char value[8];

    if (status != SUCCESS)
        return status;
    *count = 0;
    while (adn_settings_item(global->settings, *count, &section, &key, value, sizeof(value),
                             &origin) == 0)
        ++*count;
    return SUCCESS;
}

anydnnStatus_t anydnnGetSettingInfo(int index, const char *key, char *buffer, size_t size)
{
    ADN_ENTRY_SCOPE;
    static const char *const keys[] = {"section", "key", "value", "origin", "withheld"};
    struct adn_global *global;
    anydnnStatus_t status = begin_list("anydnnGetSettingInfo", &global, key, buffer);
    const char *parts[COUNT(keys)] = {NULL};
    char value[1024], withheld[2048];
    struct adn_text text;
    int at;

    if (status != SUCCESS)
        return status;
    at = key_at(keys, COUNT(keys), key);
    if (at < 0)
        return bad_key("anydnnGetSettingInfo", key, keys, COUNT(keys));
    if (index < 0 || adn_settings_item(global->settings, index, &parts[0], &parts[1], value,
                                       sizeof(value), &parts[3]) != 0)
        return adn_fail(BAD_PARAM,
                        "anydnnGetSettingInfo: index %d is out of range; anydnnGetSettingCount "
                        "returns the number of settings",
                        index);
    adn_settings_item_withheld(global->settings, index, withheld, sizeof(withheld));
    parts[2] = value;
    parts[4] = withheld;
    adn_text_begin(&text, buffer, size);
    adn_text_add(&text, "%s", parts[at]);
    return SUCCESS;
}
