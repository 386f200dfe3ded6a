/* SPDX-License-Identifier: Apache-2.0 */
/* Settings from files and an environment that a test writes, and the messages of the load. */
#ifndef TESTS_UNIT_SETTINGS_FIXTURE_H
#define TESTS_UNIT_SETTINGS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "settings/settings.h"
#include "tests/holds.h"

struct given {
    const char *system;  /* text of the system's anydnn.conf; NULL: no such file */
    const char *drop[8]; /* name, text, name, text, ... of conf.d */
    const char *user;
    const char *config;          /* text of the file that ANYDNN_CONFIG names */
    const char *config_path;     /* used instead: the value of ANYDNN_CONFIG itself */
    const char *environment[12]; /* "NAME=VALUE" */
};

/* Loads these settings; fixture_messages receives the messages of the load. */
struct adn_settings *fixture_load(const struct given *given);
extern char fixture_messages[8192];
extern int fixture_message_count;

/* Return a scratch folder of this process, removed at exit, and the path of a file in it. */
const char *fixture_folder(void);
void fixture_path(char *path, size_t size, const char *name);
void fixture_write(const char *name, const char *text);

/* Returns the value and origin of an effective setting, "" if it is not listed. */
const char *fixture_item(const struct adn_settings *settings, const char *section, const char *key,
                         const char **origin);
/* Returns the winning rule as "a, b, fallback:off". */
const char *fixture_route(const struct adn_settings *settings, const char *operation, int32_t math);

#endif
