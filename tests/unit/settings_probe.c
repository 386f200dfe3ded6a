/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the settings as the library does and prints them. settings_process.sh runs it with other
 * privileges. */
#include <stdio.h>

#include "settings/settings.h"
#include "sys/env.h"

int main(void)
{
    struct adn_settings *settings = adn_settings_load();
    const char *section, *key, *origin;
    char value[1024];

    if (settings == NULL)
        return 1;
    printf("privileged: %d\nsysconfdir: %s\nplugindir: %s\nfatal: %s\ndropped: %d\n",
           adn_env_privileged(), adn_settings_sysconfdir(), adn_settings_plugindir(),
           settings->fatal, (int)settings->dropped);
    for (int i = 0;
         adn_settings_item(settings, i, &section, &key, value, sizeof(value), &origin) == 0; i++)
        printf("[%s] %s = %s (%s)\n", section, key, value, origin);
    adn_settings_free(settings);
    return 0;
}
