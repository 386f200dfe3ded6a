/* SPDX-License-Identifier: Apache-2.0 */
#include "errata/read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "errata/values.h"
#include "sys/error.h"
#include "sys/log.h"

struct reading {
    const struct adn_errata_text *from;
    struct adn_erratum **entry; /* complete ones, and the one under construction last */
    int count;
    struct adn_erratum *now; /* NULL before the first section */
    int line;
    int now_line;
    char skip[400]; /* why the present entry is skipped, or "" */
    char *error;
    size_t error_size;
};

void adn_erratum_free(struct adn_erratum *erratum)
{
    if (!erratum)
        return;
    for (int i = 0; i < ADN_ERRATUM_KEYS; i++)
        free(erratum->text[i]);
    for (int i = 0; i < erratum->conditions; i++) {
        free(erratum->condition[i].key);
        free(erratum->condition[i].value);
    }
    free(erratum);
}

/* Fails because of the present line. */
static int refuse(struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int refuse(struct reading *reading, const char *format, ...)
{
    char reason[300];
    va_list args;

    va_start(args, format);
    vsnprintf(reason, sizeof(reason), format, args);
    va_end(args);
    snprintf(reading->error, reading->error_size, "%s:%d: %s", reading->from->path, reading->line,
             reason);
    return -1;
}

/* Marks the present entry as one to skip, unless it is one already. */
static void skip(struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void skip(struct reading *reading, const char *format, ...)
{
    va_list args;

    if (reading->skip[0] != '\0')
        return;
    va_start(args, format);
    vsnprintf(reading->skip, sizeof(reading->skip), format, args);
    va_end(args);
}

/* ---- keys */

static void suggest(struct reading *reading, const char *key)
{
    const char *near = adn_name_nearest(key, adn_erratum_keys, ADN_ERRATUM_KEYS);

    skip(reading, "line %d: unknown key `%s`%s%s%s", reading->line, key,
         near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
}

static int add_condition(struct reading *reading, const char *key, const char *value)
{
    struct adn_erratum *now = reading->now;
    const char *rule;
    int at = now->conditions;

    for (int i = 0; i < at; i++)
        if (strcmp(now->condition[i].key, key) == 0)
            return refuse(reading, "`%s` a second time in [%s]", key, now->id);
    if (!adn_erratum_is_param(key, value, &rule))
        suggest(reading, key);
    else if (rule)
        skip(reading, "line %d: %s = %s: the value must be %s", reading->line, key, value, rule);
    else if (at == ADN_ERRATUM_CONDITIONS)
        skip(reading, "line %d: more than %d parameters", reading->line, ADN_ERRATUM_CONDITIONS);
    if (reading->skip[0] != '\0')
        return 0;
    now->condition[at].key = strdup(key);
    now->condition[at].value = strdup(value);
    now->conditions++;
    return now->condition[at].key && now->condition[at].value ? 0
                                                              : refuse(reading, "out of memory");
}

/* ---- lines */

/* Takes the key `schema`, which may precede the first entry. A file without it has schema 1. */
static int take_schema(struct reading *reading, const char *value)
{
    char *end;
    long schema = strtol(value, &end, 10);

    if (value[0] < '0' || value[0] > '9' || *end != '\0' || schema < 1)
        return refuse(reading, "schema = %s: the value must be a number of at least 1", value);
    if (schema > ADN_ERRATA_SCHEMA)
        return refuse(reading, "the file has schema %ld, and this library reads schema %d", schema,
                      ADN_ERRATA_SCHEMA);
    return 0;
}

static int take_key(struct reading *reading, const char *key, const char *value)
{
    struct adn_erratum *now = reading->now;
    const char *rule;
    int at = 0;

    if (!now && strcmp(key, "schema") == 0)
        return take_schema(reading, value);
    if (!now)
        return refuse(reading, "`%s` before the first [id]", key);
    while (at < ADN_ERRATUM_KEYS && strcmp(adn_erratum_keys[at], key) != 0)
        at++;
    if (at == ADN_ERRATUM_KEYS)
        return add_condition(reading, key, value);
    if (now->text[at])
        return refuse(reading, "`%s` a second time in [%s]", key, now->id);
    rule =
        value[0] == '\0' ? "not empty" : adn_erratum_rule_broken((enum adn_erratum_key)at, value);
    if (rule)
        skip(reading, "line %d: %s = %s: the value must be %s", reading->line, key, value, rule);
    now->text[at] = strdup(value);
    return now->text[at] ? 0 : refuse(reading, "out of memory");
}

/* Checks the entry as a whole, and drops it with a warning if it is to be skipped. */
static void end_entry(struct reading *reading)
{
    struct adn_erratum *now = reading->now;

    if (!now)
        return;
    if (!now->text[ADN_ERRATUM_VERDICT])
        skip(reading, "it has no verdict");
    else if (reading->skip[0] == '\0')
        now->verdict =
            (enum adn_erratum_verdict)adn_erratum_verdict_of(now->text[ADN_ERRATUM_VERDICT]);
    if (now->verdict != ADN_ERRATUM_NONE && !now->text[ADN_ERRATUM_BACKEND])
        skip(reading, "it names no backend");
    if (now->only_adds && (now->verdict == ADN_ERRATUM_NONE || now->verdict == ADN_ERRATUM_FINER))
        skip(reading, "its file may only add faults, and its verdict is %s",
             adn_erratum_verdict_name(now->verdict));
    if (reading->skip[0] != '\0') {
        adn_warn("%s:%d: erratum %s is skipped: %s", reading->from->path, reading->now_line,
                 now->id, reading->skip);
        adn_erratum_free(now);
        reading->count--;
    }
    reading->now = NULL;
    reading->skip[0] = '\0';
}

static int is_id(const char *id, size_t length)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";

    return length > 0 && length <= ADN_ERRATUM_ID_MAX && strspn(id, allowed) >= length;
}

static int begin_entry(struct reading *reading, const char *id, size_t length)
{
    struct adn_erratum **grown =
        realloc(reading->entry, ((size_t)reading->count + 1) * sizeof(*grown));

    if (!grown)
        return refuse(reading, "out of memory");
    reading->entry = grown;
    reading->now = calloc(1, sizeof(*reading->now));
    if (!reading->now)
        return refuse(reading, "out of memory");
    grown[reading->count++] = reading->now;
    reading->now_line = reading->line;
    memcpy(reading->now->id, id, length);
    reading->now->layer = reading->from->layer;
    reading->now->only_adds = reading->from->only_adds;
    snprintf(reading->now->origin, sizeof(reading->now->origin), "%.300s:%d", reading->from->path,
             reading->line);
    return 0;
}

static int take_section(struct reading *reading, const char *line)
{
    size_t length = strlen(line);

    if (length < 2 || line[length - 1] != ']' || !is_id(line + 1, length - 2))
        return refuse(reading,
                      "an entry begins with [id], the id of 1 to %d of a-z, 0-9, `.`, `_` and `-`",
                      ADN_ERRATUM_ID_MAX);
    end_entry(reading);
    for (int i = 0; i < reading->count; i++)
        if (strlen(reading->entry[i]->id) == length - 2 &&
            strncmp(reading->entry[i]->id, line + 1, length - 2) == 0)
            return refuse(reading, "[%s] a second time", reading->entry[i]->id);
    return begin_entry(reading, line + 1, length - 2);
}

/* Removes a comment, which begins with a `;` behind a blank, and blanks at the end. */
static void trim(char *line)
{
    size_t length;

    for (char *at = line; *at; at++)
        if (*at == ';' && at > line && (at[-1] == ' ' || at[-1] == '\t'))
            *at-- = '\0';
        else if (*at == '\t')
            *at = ' ';
    length = strlen(line);
    while (length > 0 && line[length - 1] == ' ')
        line[--length] = '\0';
}

static int take_line(struct reading *reading, char *line)
{
    char *equals, *value;
    size_t length;

    for (const char *at = line; *at; at++)
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
            return refuse(reading, "a control character (byte 0x%02x)", (unsigned)*at);
    trim(line);
    if (line[strspn(line, " ")] == '\0' || line[strspn(line, " ")] == '#' || line[0] == ';')
        return 0;
    if (line[0] == ' ')
        return refuse(reading, "an indented line; entries begin in the first column");
    if (line[0] == '[')
        return take_section(reading, line);
    equals = strchr(line, '=');
    if (!equals || equals == line)
        return refuse(reading, "neither `[id]` nor `key = value` nor a comment");
    value = equals + 1 + strspn(equals + 1, " ");
    length = (size_t)(equals - line);
    while (length > 0 && line[length - 1] == ' ')
        length--;
    line[length] = '\0';
    return take_key(reading, line, value);
}

/* Takes the lines one by one. */
static int take_lines(struct reading *reading)
{
    const struct adn_errata_text *from = reading->from;
    char line[ADN_ERRATUM_LINE_MAX + 1];
    size_t at = 0;

    while (at < from->size) {
        const char *end = memchr(from->text + at, '\n', from->size - at);
        size_t length = end ? (size_t)(end - (from->text + at)) : from->size - at;

        reading->line++;
        if (length > ADN_ERRATUM_LINE_MAX)
            return refuse(reading, "a line of %zu bytes; %d are the most", length,
                          ADN_ERRATUM_LINE_MAX);
        if (memchr(from->text + at, '\0', length))
            return refuse(reading, "a control character (byte 0x00)");
        memcpy(line, from->text + at, length);
        if (length > 0 && line[length - 1] == '\r')
            length--;
        line[length] = '\0';
        at += (size_t)(end ? end - (from->text + at) + 1 : (long)(from->size - at));
        if (take_line(reading, line) != 0)
            return -1;
    }
    end_entry(reading);
    return 0;
}

int adn_errata_read(const struct adn_errata_text *from,
                    int (*take)(void *cookie, struct adn_erratum *erratum), void *cookie,
                    char *error, size_t error_size)
{
    struct reading reading = {.from = from, .error = error, .error_size = error_size};
    int result = take_lines(&reading);

    for (int i = 0; i < reading.count; i++)
        if (result != 0) {
            adn_erratum_free(reading.entry[i]);
        } else if (take(cookie, reading.entry[i]) != 0) {
            adn_shortage(ENOMEM);
            result = refuse(&reading, "out of memory");
        }
    free(reading.entry);
    return result;
}
