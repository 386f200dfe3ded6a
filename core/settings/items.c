/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the effective settings, each with its origin. */
#include "settings/settings.h"

#include <stdio.h>
#include <string.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "settings/keys.h"
#include "settings/route.h"

struct item {
    const char *section;
    const char *key;
    const char *origin;
    char *value;
    size_t value_size;
    const struct adn_withheld *withheld;
    int left; /* items before the requested one */
};

/* Composed section names stay valid until the thread's next call. */
static _Thread_local char section_text[ADN_NAME_MAX + 16];
static _Thread_local char key_text[256];

static int is_it(struct item *item)
{
    return item->left-- == 0;
}

static int key_item(const struct adn_settings *settings, struct item *item)
{
    for (int i = 0; i < adn_key_count; i++) {
        if (!is_it(item))
            continue;
        item->section = adn_keys[i].section;
        item->key = adn_keys[i].key;
        item->origin = settings->key_origin[i];
        item->withheld = settings->key_withheld[i];
        adn_key_print(settings, &adn_keys[i], item->value, item->value_size);
        return 1;
    }
    return 0;
}

static int plugin_item(const struct adn_plugin_section *plugin, struct item *item)
{
    snprintf(section_text, sizeof(section_text), "plugin %s", plugin->name);
    item->section = section_text;
    if ((plugin->module != NULL || plugin->module_withheld != NULL) && is_it(item)) {
        item->key = "module";
        item->origin = plugin->module_origin;
        item->withheld = plugin->module_withheld;
        if (plugin->module != NULL)
            snprintf(item->value, item->value_size, "%s", plugin->module);
        else
            snprintf(item->value, item->value_size, "anydnn_%s.so", plugin->name);
        return 1;
    }
    if (is_it(item)) {
        item->key = "enable";
        item->origin = plugin->origin;
        snprintf(item->value, item->value_size, "%s", adn_words_enable[plugin->enable]);
        return 1;
    }
    for (const struct adn_plugin_setting *set = plugin->set; set != NULL; set = set->next) {
        if (!is_it(item))
            continue;
        snprintf(key_text, sizeof(key_text), "set.%s", set->key);
        item->key = key_text;
        item->withheld = set->withheld;
        item->origin = set->value != NULL ? set->origin : set->withheld->origin;
        snprintf(item->value, item->value_size, "%s",
                 set->value != NULL ? set->value : set->withheld->value);
        return 1;
    }
    return 0;
}

/* Returns 1 if the rule wins for some operation in some mode. */
static int rule_effective(const struct adn_settings *settings, const struct adn_route_rule *rule)
{
    int count;
    const char *const *names = adn_operation_names(&count);

    for (int i = 0; i < count; i++)
        for (int mode = 0; mode < ADN_ROUTE_MODE_COUNT; mode++)
            if (adn_rule_matches(rule, names[i], adn_route_maths[mode]) &&
                adn_settings_route(settings, NULL, 0, names[i], adn_route_maths[mode]) == rule)
                return 1;
    return 0;
}

static void rule_print(const struct adn_route_rule *rule, char *text, size_t size)
{
    size_t length = 0;

    length += (size_t)snprintf(text, size, "%s", rule->fastest ? "fastest" : "");
    for (int i = 0; i < rule->count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "",
                                   rule->backend[i]);
    if (rule->fallback != ADN_FALLBACK_UNSET && length < size)
        snprintf(text + length, size - length, "%sfallback:%s", length > 0 ? ", " : "",
                 adn_words_fallback[rule->fallback]);
}

static int rule_item(const struct adn_settings *settings, struct item *item)
{
    for (int i = 0; i < settings->rule_count; i++) {
        const struct adn_route_rule *rule = &settings->rules[i];

        if (!rule_effective(settings, rule) || !is_it(item))
            continue;
        if (rule->math >= 0)
            snprintf(section_text, sizeof(section_text), "route %s", adn_math_name(rule->math));
        item->section = rule->math >= 0 ? section_text : "route";
        item->key = rule->pattern;
        item->origin = rule->origin;
        rule_print(rule, item->value, item->value_size);
        return 1;
    }
    return 0;
}

static int lookup_item(const struct adn_settings *settings, int index, struct item *item)
{
    int found;

    if (index < 0)
        return 0;
    item->left = index;
    found = key_item(settings, item);
    for (const struct adn_plugin_section *plugin = settings->plugins; plugin != NULL && !found;
         plugin = plugin->next)
        found = plugin_item(plugin, item);
    return found || rule_item(settings, item);
}

int adn_settings_item(const struct adn_settings *settings, int index, const char **section,
                      const char **key, char *value, size_t value_size, const char **origin)
{
    struct item item = {.value = value, .value_size = value_size};

    if (!lookup_item(settings, index, &item))
        return -1;
    *section = item.section;
    *key = item.key;
    *origin = item.origin;
    return 0;
}

void adn_settings_item_withheld(const struct adn_settings *settings, int index, char *text,
                                size_t size)
{
    char value[8];
    struct item item = {.value = value, .value_size = sizeof(value)};

    snprintf(text, size, "%s", "");
    if (!lookup_item(settings, index, &item) || item.withheld == NULL)
        return;
    snprintf(text, size,
             "%s: %s = %s is ignored%s, because the file belongs to user %ld and this process runs "
             "as root",
             item.withheld->origin, item.key, item.withheld->value,
             strncmp(item.key, "set.", 4) == 0 ? " unless the backend publishes the key as a choice"
                                               : "",
             item.withheld->owner);
}
