/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of settings, and messages that wait until the log is set up. */
#ifndef ADN_SETTINGS_LAYERS_H
#define ADN_SETTINGS_LAYERS_H

#include "settings/settings.h"

/* Returns empty settings, or NULL if memory is out. */
struct adn_settings *adn_settings_new(void);

/* Sentences to log once the level is known. */
struct adn_settings_messages {
    char **text;
    int count;
};

/* Adds a sentence. */
void adn_settings_message(struct adn_settings_messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
