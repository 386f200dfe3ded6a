/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the settings of this process from files and environment, looks values up, frees them. */
#include "settings/settings.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/keys.h"
#include "settings/sources.h"
#include "sys/env.h"

const char *adn_settings_user_file(char *path, size_t size)
{
    const char *config = adn_env_get("XDG_CONFIG_HOME", ADN_ENV_PATH);
    const char *home = adn_env_get("HOME", ADN_ENV_PATH);
    int length = -1;

    /* The XDG rules ignore a relative path. */
    if (config != NULL && config[0] == '/')
        length = snprintf(path, size, "%s/anydnn/anydnn.conf", config);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, size, "%s/.config/anydnn/anydnn.conf", home);
    return length > 0 && (size_t)length < size ? path : NULL;
}

struct adn_settings *adn_settings_load(void)
{
    char system_file[PATH_MAX + 16], system_folder[PATH_MAX + 16], user[PATH_MAX];
    struct adn_settings_sources sources = {
        .system_file = system_file,
        .system_folder = system_folder,
        .user_file = adn_settings_user_file(user, sizeof(user)),
        .config_file = adn_env_get("ANYDNN_CONFIG", ADN_ENV_PATH),
        .get = adn_env_get,
        .each = adn_env_each,
    };

    snprintf(system_file, sizeof(system_file), "%s/anydnn.conf", adn_settings_sysconfdir());
    snprintf(system_folder, sizeof(system_folder), "%s/conf.d", adn_settings_sysconfdir());
    return adn_settings_load_from(&sources);
}

static void free_withheld(struct adn_withheld *withheld)
{
    if (withheld != NULL)
        free(withheld->value);
    free(withheld);
}

static void free_plugin(struct adn_plugin_section *plugin)
{
    while (plugin->set != NULL) {
        struct adn_plugin_setting *set = plugin->set;

        plugin->set = set->next;
        free(set->key);
        free(set->value);
        free_withheld(set->withheld);
        free(set);
    }
    free_withheld(plugin->module_withheld);
    free(plugin->module);
    free(plugin);
}

void adn_settings_free(struct adn_settings *settings)
{
    if (settings == NULL)
        return;
    while (settings->plugins != NULL) {
        struct adn_plugin_section *plugin = settings->plugins;

        settings->plugins = plugin->next;
        free_plugin(plugin);
    }
    for (char **folder = settings->plugin_path; folder != NULL && *folder != NULL; folder++)
        free(*folder);
    free(settings->plugin_path);
    free(settings->device);
    free(settings->log_file);
    free(settings->tuning);
    free(settings->trace_file);
    free(settings->trace_tensors);
    free(settings->shadow_sample);
    free(settings->shadow_reference);
    free(settings->shadow_operations);
    free(settings->shadow_bound);
    free(settings->shadow_budget);
    free(settings->shadow_file);
    free(settings->check_outputs);
    free(settings->check_operations);
    free(settings->cudnn9_library);
    free(settings->cudnn9_backends);
    free(settings->cudnn9_trace);
    free(settings->cudnn9_counters);
    free(settings->rules);
    free(settings->key_origin);
    for (int i = 0; settings->key_withheld != NULL && i < adn_key_count; i++)
        free_withheld(settings->key_withheld[i]);
    free(settings->key_withheld);
    free(settings);
}

const struct adn_plugin_section *adn_settings_plugin(const struct adn_settings *settings,
                                                     const char *name)
{
    const struct adn_plugin_section *plugin = settings->plugins;

    while (plugin != NULL && strcmp(plugin->name, name) != 0)
        plugin = plugin->next;
    return plugin;
}

const struct adn_plugin_setting *adn_settings_plugin_set(const struct adn_settings *settings,
                                                         const char *name, const char *key)
{
    const struct adn_plugin_section *plugin = adn_settings_plugin(settings, name);
    const struct adn_plugin_setting *set = plugin != NULL ? plugin->set : NULL;

    while (set != NULL && strcmp(set->key, key) != 0)
        set = set->next;
    return set;
}

const char *adn_plugin_setting_value(const struct adn_plugin_setting *set, int is_choice)
{
    if (set == NULL)
        return NULL;
    return is_choice && set->withheld != NULL ? set->withheld->value : set->value;
}
