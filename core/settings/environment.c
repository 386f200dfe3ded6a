/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the environment as a layer: ANYDNN_KEY, ANYDNN_ROUTE, ANYDNN_ROUTE_OPERATION__MODE. */
#include "settings/environment.h"

#include <stdio.h>
#include <string.h>

#include "desc/operations.h"
#include "settings/apply.h"
#include "settings/keys.h"
#include "settings/read.h"
#include "sys/env.h"
#include "sys/text.h"

#define PREFIX    "ANYDNN_"
#define NAME_SIZE 128

struct walk {
    struct adn_settings *settings;
    struct adn_settings_messages *messages;
};

static void upper(char *to, size_t size, const char *prefix, const char *name)
{
    snprintf(to, size, "%s%s", prefix, name);
    for (; *to != '\0'; to++)
        *to = (char)adn_text_upper(*to);
}

/* Writes `name` in small letters. Returns 0 if the name is too long, or already has small letters,
 * since variables are in capitals. */
static int lower(char *to, size_t size, const char *name)
{
    size_t length = strlen(name);

    if (length >= size)
        return 0;
    for (size_t i = 0; i <= length; i++) {
        if (name[i] >= 'a' && name[i] <= 'z')
            return 0;
        to[i] = (char)adn_text_lower(name[i]);
    }
    return 1;
}

static void apply(struct walk *walk, const char *variable, const char *section, const char *key,
                  const char *value)
{
    struct adn_file_entry entry = {
        .section = (char *)section, .key = (char *)key, .value = (char *)value};
    char origin[ADN_ORIGIN_MAX], error[ADN_REASON_MAX];

    snprintf(origin, sizeof(origin), "environment %s", variable);
    if (adn_settings_apply(walk->settings, &entry, ADN_LAYER_ENVIRONMENT, origin, error,
                           sizeof(error)) == ADN_APPLY_DONE)
        return;
    walk->settings->dropped++;
    adn_settings_message(walk->messages, "%s: %s; this variable is ignored", origin, error);
}

/* Applies ANYDNN_ROUTE, ANYDNN_ROUTE__MODE, ANYDNN_ROUTE_OPERATION or ANYDNN_ROUTE_OPERATION__MODE.
 * `rest` is the part after ANYDNN_ROUTE, in small letters. */
static void apply_route(struct walk *walk, const char *variable, char *rest, const char *value)
{
    char *mode = strstr(rest, "__");
    char section[NAME_SIZE + 8] = "route";

    if (mode != NULL) {
        *mode = '\0';
        snprintf(section, sizeof(section), "route %s", mode + 2);
    }
    apply(walk, variable, section, rest[0] == '_' ? rest + 1 : "*", value);
}

static void unknown(struct walk *walk, const char *variable)
{
    char texts[64][64], sentence[ADN_SENTENCE_MAX];
    const char *names[64];
    int count = 0;

    for (int i = 0; i < adn_key_count; i++)
        if (adn_keys[i].env_class != ADN_KEY_CLASS_NONE)
            upper(texts[count++], sizeof(texts[0]), PREFIX, adn_keys[i].name);
    snprintf(texts[count++], sizeof(texts[0]), "ANYDNN_CONFIG");
    snprintf(texts[count++], sizeof(texts[0]), "ANYDNN_ROUTE");
    for (int i = 0; i < count; i++)
        names[i] = texts[i];
    snprintf(sentence, sizeof(sentence), "unknown environment variable %s", variable);
    adn_settings_suggest(sentence, sizeof(sentence), variable, names, count,
                         "anydnn.conf(5) lists the variables");
    adn_settings_message(walk->messages, "%s", sentence);
}

/* Returns 1 if a variable holds no setting, because another part of anydnn reads it. */
static int is_for_others(const char *variable)
{
    /* The last three serve the Python package. */
    static const char *const names[] = {"ANYDNN_CONFIG", "ANYDNN_LIBRARY", "ANYDNN_TOOL",
                                        "ANYDNN_INCLUDE"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(variable, names[i]) == 0)
            return 1;
    /* These serve the library's own tests. */
    return strncmp(variable, "ANYDNN_TEST_", 12) == 0;
}

static void visit(void *cookie, const char *variable, const char *value)
{
    struct walk *walk = cookie;
    char name[NAME_SIZE];
    int key = -1;

    if (is_for_others(variable))
        return;
    if (!lower(name, sizeof(name), variable + strlen(PREFIX))) {
        unknown(walk, variable);
        return;
    }
    key = adn_key_index(name);
    /* Variables of class DEBUG have been read already, with or without privileges. */
    if (key >= 0 && adn_keys[key].env_class == ADN_ENV_DEBUG)
        return;
    if (key >= 0 && adn_keys[key].env_class != ADN_KEY_CLASS_NONE)
        apply(walk, variable, adn_keys[key].section, adn_keys[key].key, value);
    else if (strncmp(name, "route", 5) == 0 && (name[5] == '\0' || name[5] == '_'))
        apply_route(walk, variable, name + 5, value);
    else
        unknown(walk, variable);
}

void adn_settings_environment(struct adn_settings *settings,
                              const struct adn_settings_sources *sources,
                              struct adn_settings_messages *messages)
{
    struct walk walk = {.settings = settings, .messages = messages};

    for (int i = 0; i < adn_key_count && sources->get != NULL; i++) {
        char variable[64];
        const char *value;

        if (adn_keys[i].env_class != ADN_ENV_DEBUG)
            continue;
        upper(variable, sizeof(variable), PREFIX, adn_keys[i].name);
        value = sources->get(variable, ADN_ENV_DEBUG);
        if (value != NULL)
            apply(&walk, variable, adn_keys[i].section, adn_keys[i].key, value);
    }
    if (sources->each != NULL)
        sources->each(PREFIX, visit, &walk);
}
