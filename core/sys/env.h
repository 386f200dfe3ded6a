/* SPDX-License-Identifier: Apache-2.0 */
/* The only place that reads the environment. Each caller states what an untrusted user could do
 * with the variable. */
#ifndef ADN_SYS_ENV_H
#define ADN_SYS_ENV_H

enum adn_env_class {
    ADN_ENV_PATH,   /* names files to open: ignored when the process is privileged */
    ADN_ENV_CHOICE, /* selects among installed things: ignored when privileged */
    ADN_ENV_DEBUG   /* log level: always read */
};

/* Returns the value, or NULL if it is unset, empty or withheld. */
const char *adn_env_get(const char *name, enum adn_env_class env_class);

/* Returns 1 if the process has more rights than its user (AT_SECURE). */
int adn_env_privileged(void);

/* Calls `each` for every nonempty variable whose name starts with `prefix`; for none in a
 * privileged process. */
void adn_env_each(const char *prefix,
                  void (*each)(void *cookie, const char *name, const char *value), void *cookie);

#endif
