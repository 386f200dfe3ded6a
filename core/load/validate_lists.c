/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and copies the lists of a description that users read: limits and settings. */
#include "load/validate.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/check_members.h"
#include "load/slot.h"
#include "sys/error.h"

#define UP_TO(type, member) (offsetof(struct type, member) + sizeof(((struct type *)0)->member))

#define LIMIT_LEAST   UP_TO(anydnn_plugin_limit, name)
#define SETTING_LEAST UP_TO(anydnn_plugin_setting, help)

#define COUNT_MAX 4096

/* Allocates `count` elements and a list of pointers to them. A repeated step reuses them. */
static int allocate_list(struct adn_load_attempt *attempt, uint32_t count, size_t size,
                         void **elements, void **list, const char *what)
{
    if (!*elements)
        *elements = calloc(count, size);
    if (!*list)
        *list = calloc(count, sizeof(void *));
    if ((!*elements || !*list) && adn_shortage(ENOMEM))
        return adn_load_refuse(attempt, "%s: out of memory for its %s", attempt->slot->backend.path,
                               what);
    return 0;
}

static int take_limit(struct adn_load_attempt *attempt, uint32_t at)
{
    struct anydnn_plugin_limit *limit = &attempt->slot->limits[at];
    char what[64];

    snprintf(what, sizeof(what), "element %u of its limits", at);
    attempt->slot->limit_list[at] = limit;
    return adn_load_copy(attempt, what, limit, sizeof(*limit), LIMIT_LEAST,
                         attempt->slot->plugin.limits[at]) != 0 ||
                   adn_load_check_text(attempt, "limit's name", limit->name) != 0 ||
                   (limit->sentence &&
                    adn_load_check_text(attempt, "limit's sentence", limit->sentence) != 0)
               ? -1
               : 0;
}

static int validate_limits(struct adn_load_attempt *attempt)
{
    struct adn_load_slot *slot = attempt->slot;
    struct anydnn_plugin *plugin = &slot->plugin;

    if (plugin->limit_count == 0)
        return 0;
    if (adn_load_check_array(attempt, "limits", plugin->limits, plugin->limit_count, COUNT_MAX) !=
            0 ||
        allocate_list(attempt, plugin->limit_count, sizeof(*slot->limits), (void **)&slot->limits,
                      (void **)&slot->limit_list, "limits") != 0)
        return -1;
    for (uint32_t i = 0; i < plugin->limit_count; i++)
        if (take_limit(attempt, i) != 0)
            return -1;
    plugin->limits = slot->limit_list;
    return 0;
}

static int take_setting(struct adn_load_attempt *attempt, uint32_t at)
{
    struct anydnn_plugin_setting *setting = &attempt->slot->settings[at];
    char what[64];

    snprintf(what, sizeof(what), "element %u of its settings", at);
    attempt->slot->setting_list[at] = setting;
    if (adn_load_copy(attempt, what, setting, sizeof(*setting), SETTING_LEAST,
                      attempt->slot->plugin.settings[at]) != 0 ||
        adn_load_check_text(attempt, "setting's key", setting->key) != 0 ||
        adn_load_check_text(attempt, "setting's help", setting->help) != 0)
        return -1;
    if (setting->kind > ANYDNN_PLUGIN_SETTING_CHOICE)
        setting->kind = ANYDNN_PLUGIN_SETTING_CODE;
    if (!adn_load_name_valid(setting->key, strlen(setting->key)))
        return adn_load_refuse(attempt,
                               "%s: a setting's key is \"%.64s\"; a key must have 1 to %d "
                               "characters of a-z, 0-9 and _",
                               attempt->slot->backend.path, setting->key, ANYDNN_PLUGIN_NAME_MAX);
    if (strchr(setting->help, '\n'))
        return adn_load_refuse(attempt, "%s: the help of its setting `%s` has more than one line",
                               attempt->slot->backend.path, setting->key);
    return 0;
}

static int validate_settings(struct adn_load_attempt *attempt)
{
    struct adn_load_slot *slot = attempt->slot;
    struct anydnn_plugin *plugin = &slot->plugin;

    if (plugin->setting_count == 0)
        return 0;
    if (adn_load_check_array(attempt, "settings", plugin->settings, plugin->setting_count,
                             COUNT_MAX) != 0 ||
        allocate_list(attempt, plugin->setting_count, sizeof(*slot->settings),
                      (void **)&slot->settings, (void **)&slot->setting_list, "settings") != 0)
        return -1;
    for (uint32_t i = 0; i < plugin->setting_count; i++)
        if (take_setting(attempt, i) != 0)
            return -1;
    plugin->settings = slot->setting_list;
    return 0;
}

int adn_load_validate_lists(struct adn_load_attempt *attempt)
{
    return validate_limits(attempt) != 0 || validate_settings(attempt) != 0 ? -1 : 0;
}
