/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the environment. A process with more rights than its user ignores part of it. */
#include "sys/env.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

extern char **environ;

int adn_env_privileged(void)
{
    return getauxval(AT_SECURE) != 0;
}

const char *adn_env_get(const char *name, enum adn_env_class env_class)
{
    const char *value = env_class == ADN_ENV_DEBUG ? getenv(name) : secure_getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

void adn_env_each(const char *prefix,
                  void (*each)(void *cookie, const char *name, const char *value), void *cookie)
{
    size_t prefix_length = strlen(prefix);

    if (adn_env_privileged() || environ == NULL)
        return;
    for (char **entry = environ; *entry != NULL; entry++) {
        const char *equals = strchr(*entry, '=');
        char name[256];
        size_t length = equals != NULL ? (size_t)(equals - *entry) : 0;

        if (length < prefix_length || length >= sizeof(name) || equals[1] == '\0' ||
            strncmp(*entry, prefix, prefix_length) != 0)
            continue;
        memcpy(name, *entry, length);
        name[length] = '\0';
        each(cookie, name, equals + 1);
    }
}
