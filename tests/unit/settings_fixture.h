/* SPDX-License-Identifier: Apache-2.0 */
/* Settings from files and an environment that a test writes down, and what was logged meanwhile. */
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
    const char *system;  /* text of the system's anydnn.conf; NULL: there is none */
    const char *drop[8]; /* name, text, name, text, ... of conf.d */
    const char *user;
    const char *config;          /* text of the file that ANYDNN_CONFIG names */
    const char *config_path;     /* instead: the value of ANYDNN_CONFIG as it is */
    const char *environment[12]; /* "NAME=VALUE" */
};

/* Loads these settings; the messages of the load are in fixture_messages. */
struct adn_settings *fixture_load(const struct given *given);
extern char fixture_messages[8192];
extern int fixture_message_count;

/* A scratch folder of this process, removed at exit; a file in it. */
const char *fixture_folder(void);
void fixture_path(char *path, size_t size, const char *name);
void fixture_write(const char *name, const char *text);

/* The value and origin of an effective setting; "" when it is not listed. */
const char *fixture_item(const struct adn_settings *settings, const char *section, const char *key,
                         const char **origin);
/* "a, b, fallback:off" of the winning rule. */
const char *fixture_route(const struct adn_settings *settings, const char *operation, int32_t math);

#endif
