/* SPDX-License-Identifier: Apache-2.0 */
/* Turns an entry of a file or of the environment into a value, or into a sentence about the
 * failure. */
#include "settings/apply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "settings/keys.h"
#include "settings/route.h"
#include "sys/env.h"
#include "sys/error.h"

void adn_settings_suggest(char *error, size_t error_size, const char *name,
                          const char *const *names, int count, const char *otherwise)
{
    const char *near = adn_name_nearest(name, names, count);
    size_t length = strlen(error);

    if (near != NULL)
        snprintf(error + length, error_size - length, "; did you mean `%s`?", near);
    else
        snprintf(error + length, error_size - length, "; %s", otherwise);
}

static void set_origin(char *to, const char *origin)
{
    snprintf(to, ADN_ORIGIN_MAX, "%s", origin);
}

static void drop_withheld(struct adn_withheld **withheld)
{
    if (*withheld != NULL)
        free((*withheld)->value);
    free(*withheld);
    *withheld = NULL;
}

static void bad_value(const struct adn_file_entry *entry, const char *values, char *error,
                      size_t error_size)
{
    snprintf(error, error_size, "%s = %s: the value must be %s%s", entry->key, entry->value, values,
             strstr(entry->value, " #") != NULL ? " (a comment after a value begins with ` ;`)"
                                                : "");
}

/* ---- [anydnn], [trace], [shadow], [check], [cudnn9] */

static enum adn_apply apply_key(struct adn_settings *settings, const struct adn_file_entry *entry,
                                enum adn_layer layer, const char *origin, char *error,
                                size_t error_size)
{
    int index = adn_key_index_in(entry->section, entry->key);
    const struct adn_key *key = &adn_keys[index < 0 ? 0 : index];
    int own = strcmp(entry->section, "anydnn") == 0;

    /* This key concerns the file alone, and read.c has checked it. */
    if (own && strcmp(entry->key, "schema") == 0)
        return ADN_APPLY_DONE;
    if (index < 0) {
        const char *names[64] = {"schema"};
        int count = own;

        for (int i = 0; i < adn_key_count; i++)
            if (strcmp(adn_keys[i].section, entry->section) == 0)
                names[count++] = adn_keys[i].key;
        snprintf(error, error_size, "unknown key `%s` in [%s]", entry->key, entry->section);
        adn_settings_suggest(error, error_size, entry->key, names, count,
                             "anydnn.conf(5) lists the keys");
        return ADN_APPLY_UNKNOWN;
    }
    if (strcmp(key->name, "user_config") == 0 && layer > ADN_LAYER_SYSTEM) {
        snprintf(error, error_size, "user_config is allowed only in the system's files");
        return ADN_APPLY_IGNORED;
    }
    if ((entry->adds ? adn_key_add : adn_key_set)(settings, key, entry->value) != 0) {
        bad_value(entry, key->values, error, error_size);
        return ADN_APPLY_BAD;
    }
    if (!entry->adds) {
        set_origin(settings->key_origin[index], origin);
        drop_withheld(&settings->key_withheld[index]);
    }
    return ADN_APPLY_DONE;
}

/* ---- [plugin NAME] */

static struct adn_plugin_section *plugin_section(struct adn_settings *settings, const char *name)
{
    struct adn_plugin_section **at = &settings->plugins;

    while (*at != NULL && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (*at == NULL) {
        *at = calloc(1, sizeof(**at));
        if (*at == NULL) {
            adn_shortage(ENOMEM);
            return NULL;
        }
        snprintf((*at)->name, sizeof((*at)->name), "%s", name);
        (*at)->enable = ADN_ENABLE_AUTO;
        set_origin((*at)->origin, "built-in");
        set_origin((*at)->module_origin, "built-in");
    }
    return *at;
}

static int replace_text(char **member, const char *text)
{
    char *copy = strdup(text);

    if (copy == NULL) {
        adn_shortage(ENOMEM);
        return -1;
    }
    free(*member);
    *member = copy;
    return 0;
}

/* Returns the setting, a new one without a value where there was none, or NULL. */
static struct adn_plugin_setting *plugin_setting(struct adn_plugin_section *plugin, const char *key)
{
    struct adn_plugin_setting **at = &plugin->set;

    while (*at != NULL && strcmp((*at)->key, key) != 0)
        at = &(*at)->next;
    if (*at == NULL) {
        struct adn_plugin_setting *fresh = calloc(1, sizeof(*fresh));

        if (fresh == NULL || (fresh->key = strdup(key)) == NULL) {
            adn_shortage(ENOMEM);
            free(fresh);
            return NULL;
        }
        *at = fresh;
    }
    return *at;
}

static int set_plugin_setting(struct adn_plugin_section *plugin, const char *key, const char *value,
                              const char *origin)
{
    struct adn_plugin_setting *set = plugin_setting(plugin, key);

    if (set == NULL || replace_text(&set->value, value) != 0)
        return -1;
    set_origin(set->origin, origin);
    drop_withheld(&set->withheld);
    return 0;
}

static int module_valid(const char *module)
{
    return module[0] == '/' || (module[0] != '\0' && strchr(module, '/') == NULL);
}

/* Returns 1 if the key can name a setting that a backend queries. */
static int set_key_valid(const char *key)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

    return key[0] != '\0' && key[strspn(key, allowed)] == '\0';
}

#define KEY(...)
#define SECTION_KEY(...)
#define PLUGIN_KEY(name, env_class, builtin, values) {#name, CLASS_##env_class, values},
enum { CLASS_PATH = ADN_ENV_PATH, CLASS_CHOICE = ADN_ENV_CHOICE, CLASS_KIND = ADN_KEY_CLASS_KIND };
static const struct plugin_key {
    const char *name;
    int env_class;
    const char *values;
} plugin_keys[] = {
#include "settings/keys.def"
};
#undef KEY
#undef SECTION_KEY
#undef PLUGIN_KEY

/* Returns NULL for a key that [plugin NAME] does not have. */
static const struct plugin_key *plugin_key(const char *name)
{
    for (size_t i = 0; i < sizeof(plugin_keys) / sizeof(plugin_keys[0]); i++) {
        const char *known = plugin_keys[i].name;
        size_t length = strlen(known);

        if (known[length - 1] == '.' ? strncmp(name, known, length) == 0 : strcmp(name, known) == 0)
            return &plugin_keys[i];
    }
    return NULL;
}

static enum adn_apply apply_plugin(struct adn_settings *settings, const char *name,
                                   const struct adn_file_entry *entry, const char *origin,
                                   char *error, size_t error_size)
{
    static const char *const known[] = {"module", "enable", "set.threads", "set.emulate"};
    struct adn_plugin_section *plugin = plugin_section(settings, name);
    int good = 0;

    if (plugin == NULL) {
        snprintf(error, error_size, "out of memory");
        return ADN_APPLY_BAD;
    }
    if (strcmp(entry->key, "enable") == 0) {
        int word = adn_word_index(adn_words_enable, entry->value);

        good = word >= 0;
        if (good) {
            plugin->enable = word;
            set_origin(plugin->origin, origin);
        }
    } else if (strcmp(entry->key, "module") == 0) {
        good = module_valid(entry->value) && replace_text(&plugin->module, entry->value) == 0;
        if (good) {
            set_origin(plugin->module_origin, origin);
            drop_withheld(&plugin->module_withheld);
        }
    } else if (strncmp(entry->key, "set.", 4) == 0 && set_key_valid(entry->key + 4)) {
        if (set_plugin_setting(plugin, entry->key + 4, entry->value, origin) == 0)
            return ADN_APPLY_DONE;
        snprintf(error, error_size, "out of memory");
        return ADN_APPLY_BAD;
    } else {
        snprintf(error, error_size, "unknown key `%s` in [plugin %s]", entry->key, name);
        adn_settings_suggest(error, error_size, entry->key, known, 4,
                             "its keys are module, enable and set.KEY");
        return ADN_APPLY_UNKNOWN;
    }
    if (!good)
        bad_value(entry, plugin_key(entry->key)->values, error, error_size);
    return good ? ADN_APPLY_DONE : ADN_APPLY_BAD;
}

/* ---- values of another user's file that root ignores */

static int withhold(struct adn_withheld **withheld, const char *value, long owner,
                    const char *origin)
{
    struct adn_withheld *fresh = calloc(1, sizeof(*fresh));

    if (fresh == NULL || replace_text(&fresh->value, value) != 0) {
        adn_shortage(ENOMEM);
        free(fresh);
        return -1;
    }
    fresh->owner = owner;
    set_origin(fresh->origin, origin);
    drop_withheld(withheld);
    *withheld = fresh;
    return 1;
}

static int withhold_plugin(struct adn_settings *settings, const char *name,
                           const struct adn_file_entry *entry, long owner, const char *origin)
{
    const struct plugin_key *key = plugin_key(entry->key);
    struct adn_plugin_section *plugin;
    struct adn_plugin_setting *set;

    if (key == NULL || key->env_class == CLASS_CHOICE || !adn_backend_name_valid(name))
        return 0;
    if (key->env_class == CLASS_KIND && !set_key_valid(entry->key + strlen(key->name)))
        return 0;
    plugin = plugin_section(settings, name);
    if (plugin == NULL)
        return -1;
    if (key->env_class != CLASS_KIND)
        return withhold(&plugin->module_withheld, entry->value, owner, origin);
    set = plugin_setting(plugin, entry->key + strlen(key->name));
    return set != NULL ? withhold(&set->withheld, entry->value, owner, origin) : -1;
}

int adn_settings_withhold(struct adn_settings *settings, const struct adn_file_entry *entry,
                          long owner, const char *origin)
{
    int index = adn_key_index_in(entry->section, entry->key);

    if (strncmp(entry->section, "plugin ", 7) == 0)
        return withhold_plugin(settings, entry->section + 7, entry, owner, origin);
    if (index < 0 || adn_keys[index].env_class != ADN_ENV_PATH)
        return 0;
    return withhold(&settings->key_withheld[index], entry->value, owner, origin);
}

/* ---- [route], [route MODE] */

static enum adn_apply apply_route(struct adn_settings *settings, const char *mode,
                                  const struct adn_file_entry *entry, enum adn_layer layer,
                                  const char *origin, char *error, size_t error_size)
{
    struct adn_route_rule *rules;
    struct adn_route_rule rule;
    enum adn_apply result =
        adn_rule_parse(&rule, entry->key, mode, entry->value, error, error_size);

    if (result != ADN_APPLY_DONE)
        return result;
    rules = realloc(settings->rules, sizeof(*rules) * ((size_t)settings->rule_count + 1));
    if (rules == NULL) {
        adn_shortage(ENOMEM);
        snprintf(error, error_size, "out of memory");
        return ADN_APPLY_BAD;
    }
    rule.layer = layer;
    set_origin(rule.origin, origin);
    rules[settings->rule_count++] = rule;
    settings->rules = rules;
    return ADN_APPLY_DONE;
}

static enum adn_apply unknown_section(const char *section, char *error, size_t error_size)
{
    const char *names[7 + ADN_ROUTE_MODE_COUNT] = {"anydnn", "route", "plugin NAME", "trace",
                                                   "shadow", "check", "cudnn9"};
    char modes[ADN_ROUTE_MODE_COUNT][32];

    for (int i = 0; i < ADN_ROUTE_MODE_COUNT; i++) {
        snprintf(modes[i], sizeof(modes[i]), "route %s", adn_route_modes[i]);
        names[7 + i] = modes[i];
    }
    snprintf(error, error_size, "unknown section [%s]", section);
    adn_settings_suggest(
        error, error_size, section, names, 7 + ADN_ROUTE_MODE_COUNT,
        "the sections are anydnn, trace, shadow, check, cudnn9, route, route MODE and "
        "plugin NAME");
    return ADN_APPLY_UNKNOWN;
}

enum adn_apply adn_settings_apply(struct adn_settings *settings, const struct adn_file_entry *entry,
                                  enum adn_layer layer, const char *origin, char *error,
                                  size_t error_size)
{
    const char *section = entry->section;

    if (adn_key_section(section))
        return apply_key(settings, entry, layer, origin, error, error_size);
    if (strcmp(section, "route") == 0)
        return apply_route(settings, NULL, entry, layer, origin, error, error_size);
    if (strncmp(section, "route ", 6) == 0 && adn_math_parse(section + 6) >= 0)
        return apply_route(settings, section + 6, entry, layer, origin, error, error_size);
    if (strncmp(section, "plugin ", 7) == 0) {
        if (adn_backend_name_valid(section + 7))
            return apply_plugin(settings, section + 7, entry, origin, error, error_size);
        snprintf(error, error_size,
                 "[%s]: a backend's name must have 1 to %d characters of a-z, 0-9 and _", section,
                 ADN_NAME_MAX);
        return ADN_APPLY_BAD;
    }
    return unknown_section(section, error, error_size);
}
