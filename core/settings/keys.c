/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the keys of [anydnn] and similar sections as a table. Parses and prints their values. */
#include "settings/keys.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/section_values.h"
#include "sys/env.h"
#include "sys/error.h"

const char *const adn_words_fallback[] = {"off", "warn", "on", NULL};
const char *const adn_words_enable[] = {"no", "auto", "yes", NULL};
#define words_fallback adn_words_fallback
static const char *const words_staging[] = {"off", "listed", "last", NULL};
static const char *const words_yes[] = {"no", "yes", NULL};
static const char *const words_log[] = {"off", "error", "warn", "info", "debug", "trace", NULL};
static const char *const words_tune_check[] = {"no", "yes", "all", NULL};
static const char *const words_tuning_mode[] = {"write", "read", NULL};
static const char *const words_times[] = {"host", "all", NULL};
static const char *const words_on_mismatch[] = {"count", "warn", "dump", "error", NULL};
static const char *const words_user_config[] = {"none", "merge", "only", NULL};

enum {
    CLASS_PATH = ADN_ENV_PATH,
    CLASS_CHOICE = ADN_ENV_CHOICE,
    CLASS_DEBUG = ADN_ENV_DEBUG,
    CLASS_NONE = ADN_KEY_CLASS_NONE
};

#define ANY_KEY(section, key, name, type, words, low, high, builtin, env_class, values)            \
    {section,                                                                                      \
     key,                                                                                          \
     #name,                                                                                        \
     ADN_KEY_##type,                                                                               \
     words,                                                                                        \
     low,                                                                                          \
     high,                                                                                         \
     builtin,                                                                                      \
     CLASS_##env_class,                                                                            \
     values,                                                                                       \
     offsetof(struct adn_settings, name)},
#define KEY(name, ...)                 ANY_KEY("anydnn", #name, name, __VA_ARGS__)
#define SECTION_KEY(section, key, ...) ANY_KEY(#section, #key, section##_##key, __VA_ARGS__)
#define PLUGIN_KEY(...)
const struct adn_key adn_keys[] = {
#include "settings/keys.def"
};
#undef KEY
#undef SECTION_KEY
#undef PLUGIN_KEY
const int adn_key_count = (int)(sizeof(adn_keys) / sizeof(adn_keys[0]));

int adn_key_index(const char *name)
{
    for (int i = 0; i < adn_key_count; i++)
        if (strcmp(adn_keys[i].name, name) == 0)
            return i;
    return -1;
}

int adn_key_index_in(const char *section, const char *key)
{
    for (int i = 0; i < adn_key_count; i++)
        if (strcmp(adn_keys[i].section, section) == 0 && strcmp(adn_keys[i].key, key) == 0)
            return i;
    return -1;
}

int adn_key_section(const char *section)
{
    int found = 0;

    for (int i = 0; i < adn_key_count; i++)
        found |= strcmp(adn_keys[i].section, section) == 0;
    return found;
}

int adn_word_index(const char *const *words, const char *word)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

int adn_backend_name_valid(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

    return length > 0 && length <= ADN_NAME_MAX && name[length] == '\0';
}

/* Parses digits. Returns -1 if the text is something else or has too many of them. */
static int parse_digits(const char *text, char **end, uint64_t *value)
{
    if (!isdigit((unsigned char)text[0]))
        return -1;
    errno = 0;
    *value = strtoull(text, end, 10);
    return errno == 0 ? 0 : -1;
}

static int set_string(char **member, const char *value)
{
    char *copy = strdup(value);

    if (copy == NULL) {
        adn_shortage(ENOMEM);
        return -1;
    }
    free(*member);
    *member = copy;
    return 0;
}

static int set_word(const struct adn_key *key, const char *value, void *member)
{
    int word = adn_word_index(key->words, value);

    if (word < 0)
        return -1;
    *(int32_t *)member = word;
    return 0;
}

static int set_number(const struct adn_key *key, const char *value, void *member)
{
    uint64_t number;
    char *end;

    if (parse_digits(value, &end, &number) != 0 || *end != '\0' || number < (uint64_t)key->low ||
        number > (uint64_t)key->high)
        return -1;
    *(int32_t *)member = (int32_t)number;
    return 0;
}

static int set_bytes(const struct adn_key *key, const char *value, void *member)
{
    static const char units[] = "KMGT";
    const char *unit;
    uint64_t number;
    char *end;
    int shift = 0;

    (void)key;
    if (strcmp(value, "none") == 0) {
        *(uint64_t *)member = UINT64_MAX;
        return 0;
    }
    if (parse_digits(value, &end, &number) != 0)
        return -1;
    if (*end != '\0') {
        unit = strchr(units, *end);
        if (unit == NULL || end[1] != '\0')
            return -1;
        shift = 10 * (int)(unit - units + 1);
    }
    /* The largest number stands for no limit. */
    if (number > UINT64_MAX >> shift || number << shift == UINT64_MAX)
        return -1;
    *(uint64_t *)member = number << shift;
    return 0;
}

static int set_device(const struct adn_key *key, const char *value, void *member)
{
    const char *colon = strchr(value, ':');
    char space[ADN_NAME_MAX + 1];
    size_t length = colon != NULL ? (size_t)(colon - value) : strlen(value);
    uint64_t number;
    char *end;

    (void)key;
    if (length > ADN_NAME_MAX)
        return -1;
    memcpy(space, value, length);
    space[length] = '\0';
    if (!adn_backend_name_valid(space))
        return -1;
    if (colon != NULL) {
        if (strcmp(space, "auto") == 0 || strcmp(space, "cpu") == 0)
            return -1;
        if (parse_digits(colon + 1, &end, &number) != 0 || *end != '\0' || number > INT32_MAX)
            return -1;
    }
    return set_string(member, value);
}

static int set_log_file(const struct adn_key *key, const char *value, void *member)
{
    (void)key;
    if (value[0] != '/' && strcmp(value, "stderr") != 0 && strcmp(value, "stdout") != 0)
        return -1;
    return set_string(member, value);
}

static int set_file(const struct adn_key *key, const char *value, void *member)
{
    (void)key;
    return value[0] == '/' || strcmp(value, "off") == 0 ? set_string(member, value) : -1;
}

static int set_library(const struct adn_key *key, const char *value, void *member)
{
    (void)key;
    return value[0] == '/' || strcmp(value, "auto") == 0 ? set_string(member, value) : -1;
}

static int set_backends(const struct adn_key *key, const char *value, void *member)
{
    char name[ADN_NAME_MAX + 2];

    (void)key;
    for (const char *at = value;; at++) {
        size_t length;

        at += strspn(at, " \t");
        length = strcspn(at, ",");
        while (length > 0 && isblank((unsigned char)at[length - 1]))
            length--;
        if (length >= sizeof(name))
            return -1;
        snprintf(name, sizeof(name), "%.*s", (int)length, at);
        if (!adn_backend_name_valid(name))
            return -1;
        at += strcspn(at, ",");
        if (*at == '\0')
            return set_string(member, value);
    }
}

static void free_folders(char **folders)
{
    for (char **folder = folders; folder != NULL && *folder != NULL; folder++)
        free(*folder);
    free(folders);
}

/* Copies one folder of a list, without the blanks around it. Returns NULL if it is not absolute or
 * memory is out. */
static char *copy_folder(const char *text, size_t length)
{
    char *copy;

    while (length > 0 && isblank((unsigned char)text[0]))
        text++, length--;
    while (length > 0 && isblank((unsigned char)text[length - 1]))
        length--;
    if (length == 0 || text[0] != '/')
        return NULL;
    copy = strndup(text, length);
    if (copy == NULL)
        adn_shortage(ENOMEM);
    return copy;
}

static int set_folders(const struct adn_key *key, const char *value, void *member)
{
    char **folders = NULL;
    size_t count = 0;

    (void)key;
    if (strcmp(value, "none") != 0) {
        folders = calloc(strlen(value) + 2, sizeof(*folders));
        if (folders == NULL) {
            adn_shortage(ENOMEM);
            return -1;
        }
        for (const char *at = value;; at++) {
            size_t length = strcspn(at, ":,");

            folders[count] = copy_folder(at, length);
            if (folders[count++] == NULL) {
                free_folders(folders);
                return -1;
            }
            at += length;
            if (*at == '\0')
                break;
        }
    }
    free_folders(*(char ***)member);
    *(char ***)member = folders;
    return 0;
}

#define SET_WATCHED(name)                                                                          \
    static int set_##name(const struct adn_key *key, const char *value, void *member)              \
    {                                                                                              \
        (void)key;                                                                                 \
        return adn_section_##name(value, NULL) == 0 ? set_string(member, value) : -1;              \
    }

SET_WATCHED(sample)
SET_WATCHED(reference)
SET_WATCHED(operations)
SET_WATCHED(bound)
SET_WATCHED(part)
SET_WATCHED(values)

typedef int set_fn(const struct adn_key *key, const char *value, void *member);

static set_fn *const setters[] = {
    [ADN_KEY_DEVICE] = set_device,       [ADN_KEY_WORD] = set_word,
    [ADN_KEY_BYTES] = set_bytes,         [ADN_KEY_NUMBER] = set_number,
    [ADN_KEY_LOG_FILE] = set_log_file,   [ADN_KEY_FOLDERS] = set_folders,
    [ADN_KEY_FILE] = set_file,           [ADN_KEY_SAMPLE] = set_sample,
    [ADN_KEY_REFERENCE] = set_reference, [ADN_KEY_OPERATIONS] = set_operations,
    [ADN_KEY_BOUND] = set_bound,         [ADN_KEY_PART] = set_part,
    [ADN_KEY_VALUES] = set_values,       [ADN_KEY_LIBRARY] = set_library,
    [ADN_KEY_BACKENDS] = set_backends,
};

int adn_key_set(struct adn_settings *settings, const struct adn_key *key, const char *value)
{
    return setters[key->type](key, value, (char *)settings + key->offset);
}

int adn_key_add(struct adn_settings *settings, const struct adn_key *key, const char *value)
{
    char ***member = (char ***)((char *)settings + key->offset);
    char **more = NULL, **all;
    size_t count = 0, added = 0;

    if (set_folders(key, value, &more) != 0)
        return -1;
    while (*member != NULL && (*member)[count] != NULL)
        count++;
    while (more != NULL && more[added] != NULL)
        added++;
    all = realloc(*member, (count + added + 1) * sizeof(*all));
    if (all == NULL) {
        adn_shortage(ENOMEM);
        free_folders(more);
        return -1;
    }
    for (size_t i = 0; i < added; i++)
        all[count + i] = more[i];
    all[count + added] = NULL;
    *member = all;
    free(more);
    return 0;
}

static void print_bytes(uint64_t bytes, char *text, size_t size)
{
    static const char units[] = " KMGT";
    int unit = 0;

    while (bytes > 0 && bytes % 1024 == 0 && unit < 4) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, size, "%" PRIu64 "%.*s", bytes, unit > 0, units + unit);
}

static void print_folders(char *const *folders, char *text, size_t size)
{
    size_t length = 0;

    for (; folders != NULL && *folders != NULL && length < size; folders++)
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ":" : "", *folders);
}

void adn_key_print(const struct adn_settings *settings, const struct adn_key *key, char *text,
                   size_t size)
{
    const void *member = (const char *)settings + key->offset;

    snprintf(text, size, "none");
    if (key->type == ADN_KEY_WORD)
        snprintf(text, size, "%s", key->words[*(const int32_t *)member]);
    else if (key->type == ADN_KEY_NUMBER)
        snprintf(text, size, "%" PRId32, *(const int32_t *)member);
    else if (key->type == ADN_KEY_FOLDERS)
        print_folders(*(char *const *const *)member, text, size);
    else if (key->type != ADN_KEY_BYTES)
        snprintf(text, size, "%s", *(char *const *)member);
    else if (*(const uint64_t *)member != UINT64_MAX)
        print_bytes(*(const uint64_t *)member, text, size);
}
