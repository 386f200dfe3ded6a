/* SPDX-License-Identifier: Apache-2.0 */
/* Settings from files and an environment that a test writes down. */
#include "settings_fixture.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings/sources.h"
#include "sys/log.h"

char fixture_messages[8192];
int fixture_message_count;
static const char *const *environment;
static char folder[64];
static pid_t owner;

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

static void remove_folder(void)
{
    if (owner == getpid())
        nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fixture_folder(void)
{
    if (folder[0] == '\0') {
        snprintf(folder, sizeof(folder), "/tmp/anydnn-test-XXXXXX");
        assert_non_null(mkdtemp(folder));
        owner = getpid();
        atexit(remove_folder);
    }
    return folder;
}

void fixture_path(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", fixture_folder(), name);
}

void fixture_write(const char *name, const char *text)
{
    char path[256];
    FILE *file;

    fixture_path(path, sizeof(path), name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static const char *get(const char *name, enum adn_env_class env_class)
{
    (void)env_class;
    for (const char *const *entry = environment; *entry != NULL; entry++)
        if (strncmp(*entry, name, strlen(name)) == 0 && (*entry)[strlen(name)] == '=')
            return *entry + strlen(name) + 1;
    return NULL;
}

static void each_variable(const char *prefix, adn_settings_each_fn *each, void *cookie)
{
    for (const char *const *entry = environment; *entry != NULL; entry++) {
        char name[128];

        if (strncmp(*entry, prefix, strlen(prefix)) != 0)
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(*entry, "="), *entry);
        each(cookie, name, strchr(*entry, '=') + 1);
    }
}

static void keep_message(anydnnSeverity_t severity, void *user, const anydnnDebug_t *debug,
                         const char *message)
{
    size_t used = strlen(fixture_messages);

    (void)user;
    (void)debug;
    assert_int_equal(severity, ANYDNN_SEV_WARNING);
    snprintf(fixture_messages + used, sizeof(fixture_messages) - used, "%s\n", message);
    fixture_message_count++;
}

static const char *write_or_null(const char *name, const char *text, char *path, size_t size)
{
    if (text == NULL)
        return NULL;
    fixture_write(name, text);
    fixture_path(path, size, name);
    return path;
}

struct adn_settings *fixture_load(const struct given *given)
{
    char system_file[256], system_folder[256], user[256], config[256];
    struct adn_settings_sources sources = {.get = get, .each = each_variable};
    struct adn_settings *settings;

    environment = given->environment;
    sources.system_file =
        write_or_null("anydnn.conf", given->system, system_file, sizeof(system_file));
    sources.user_file = write_or_null("user.conf", given->user, user, sizeof(user));
    sources.config_file = write_or_null("config.conf", given->config, config, sizeof(config));
    if (given->config_path != NULL)
        sources.config_file = given->config_path;
    fixture_path(system_folder, sizeof(system_folder), "conf.d");
    nftw(system_folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    if (given->drop[0] != NULL)
        assert_int_equal(mkdir(system_folder, 0755), 0);
    for (int i = 0; i < 8 && given->drop[i] != NULL; i += 2) {
        char name[128];

        snprintf(name, sizeof(name), "conf.d/%s", given->drop[i]);
        fixture_write(name, given->drop[i + 1]);
    }
    sources.system_folder = system_folder;

    fixture_messages[0] = '\0';
    fixture_message_count = 0;
    adn_log_callback_set(ANYDNN_SEV_WARNING_EN, NULL, keep_message);
    settings = adn_settings_load_from(&sources);
    adn_log_callback_set(0, NULL, NULL);
    adn_log_level_set(ADN_LOG_WARN);
    assert_int_equal(adn_log_target("stderr"), 0);
    assert_non_null(settings);
    return settings;
}

const char *fixture_item(const struct adn_settings *settings, const char *section, const char *key,
                         const char **origin)
{
    static char value[1024];
    const char *its_section, *its_key, *its_origin;

    for (int i = 0; adn_settings_item(settings, i, &its_section, &its_key, value, sizeof(value),
                                      &its_origin) == 0;
         i++)
        if (strcmp(its_section, section) == 0 && strcmp(its_key, key) == 0) {
            if (origin != NULL)
                *origin = its_origin;
            return value;
        }
    return "";
}

const char *fixture_route(const struct adn_settings *settings, const char *operation, int32_t math)
{
    static const char *const fallback[] = {"off", "warn", "on"};
    static char text[1024];
    const struct adn_route_rule *rule = adn_settings_route(settings, NULL, 0, operation, math);

    assert_non_null(rule);
    text[0] = '\0';
    for (int i = 0; i < rule->count; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i > 0 ? " " : "",
                 rule->backend[i]);
    if (rule->fallback != ADN_FALLBACK_UNSET)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), " fallback:%s",
                 fallback[rule->fallback]);
    return text;
}
