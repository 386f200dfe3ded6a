/* SPDX-License-Identifier: Apache-2.0 */
/* Settings from environment variables. */
#ifndef ADN_SETTINGS_ENVIRONMENT_H
#define ADN_SETTINGS_ENVIRONMENT_H

#include "settings/layers.h"
#include "settings/settings.h"
#include "settings/sources.h"

/* Applies the variables. Adds a message for each that is wrong. */
void adn_settings_environment(struct adn_settings *settings,
                              const struct adn_settings_sources *sources,
                              struct adn_settings_messages *messages);

#endif
