/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of settings. Tests name files and an environment of their own. */
#ifndef ADN_SETTINGS_SOURCES_H
#define ADN_SETTINGS_SOURCES_H

#include "settings/settings.h"
#include "sys/env.h"

typedef void adn_settings_each_fn(void *cookie, const char *name, const char *value);

struct adn_settings_sources {
    /* Absolute paths, or NULL for none. Only config_file must exist. */
    const char *system_file;
    const char *system_folder; /* its *.conf are read in strcmp order */
    const char *user_file;     /* NULL too when the process is privileged */
    const char *config_file;   /* ANYDNN_CONFIG */
    /* adn_env_get and adn_env_each, or similar functions. NULL stands for an empty environment. */
    const char *(*get)(const char *name, enum adn_env_class env_class);
    void (*each)(const char *prefix, adn_settings_each_fn *each, void *cookie);
};

struct adn_settings *adn_settings_load_from(const struct adn_settings_sources *sources);

#endif
