/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a settings file as a list of entries, and detects the errors that need no knowledge of the
 * keys. */
#include "settings/read.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "settings/ini_lines.h"
#include "settings/keys.h"
#include "sys/env.h"
#include "sys/error.h"
#include "sys/files.h"

#define FILE_LIMIT  (256 * 1024)
#define ENTRY_LIMIT 4096

struct reading {
    struct adn_file *file;
    struct adn_ini_lines lines;
    char error[ADN_REASON_MAX]; /* without file and line */
};

void adn_file_origin(char origin[ADN_ORIGIN_MAX], const char *path, int line)
{
    size_t length = strlen(path);
    char number[16] = "";

    if (line > 0)
        snprintf(number, sizeof(number), ":%d", line);
    if (length + strlen(number) < ADN_ORIGIN_MAX)
        snprintf(origin, ADN_ORIGIN_MAX, "%s%s", path, number);
    else
        snprintf(origin, ADN_ORIGIN_MAX, "...%s%s", path + length - (ADN_ORIGIN_MAX - 20), number);
}

void adn_file_error(struct adn_file *file, int line, const char *reason)
{
    char origin[ADN_ORIGIN_MAX];

    adn_file_origin(origin, file->path, line);
    snprintf(file->error, sizeof(file->error), "%s: %s", origin, reason);
}

static void set_errno(struct adn_file *file, const char *what)
{
    char reason[ADN_REASON_MAX];

    snprintf(reason, sizeof(reason), "%s: %s", what, strerror(errno));
    adn_file_error(file, 0, reason);
}

static void entry_free(struct adn_file_entry *entry)
{
    free(entry->section);
    free(entry->key);
    free(entry->value);
}

static const struct adn_file_entry *lookup_entry(const struct adn_file *file, const char *section,
                                                 const char *key)
{
    for (int i = 0; i < file->count; i++)
        if (strcmp(file->entry[i].key, key) == 0 && strcmp(file->entry[i].section, section) == 0)
            return &file->entry[i];
    return NULL;
}

/* Returns 1 for a list of folders, which may be longer than a line, so that its key may repeat. */
static int may_repeat(const char *section, const char *key)
{
    int index = adn_key_index_in(section, key);

    return index >= 0 && adn_keys[index].type == ADN_KEY_FOLDERS;
}

static int add_entry(struct adn_file *file, const char *section, const char *key, const char *value,
                     int line, int adds)
{
    struct adn_file_entry *grown = file->entry;
    struct adn_file_entry *entry;

    /* The array grows at powers of two. */
    if ((file->count & (file->count - 1)) == 0)
        grown =
            realloc(file->entry, sizeof(*grown) * (file->count > 0 ? 2 * (size_t)file->count : 1));
    if (grown == NULL) {
        adn_shortage(ENOMEM);
        return -1;
    }
    file->entry = grown;
    entry = &file->entry[file->count];
    entry->section = strdup(section);
    entry->key = strdup(key);
    entry->value = strdup(value);
    entry->line = line;
    entry->adds = adds;
    if (entry->section == NULL || entry->key == NULL || entry->value == NULL) {
        adn_shortage(ENOMEM);
        entry_free(entry);
        return -1;
    }
    file->count++;
    return 0;
}

/* Handles a line for inih. Returns 1 to continue. */
static int take(void *cookie, const char *section, const char *key, const char *value)
{
    struct reading *reading = cookie;
    const struct adn_file_entry *before;
    int repeats;

    if (reading->error[0] != '\0')
        return 0;
    before = lookup_entry(reading->file, section, key);
    repeats = before != NULL && may_repeat(section, key);
    if (section[0] == '\0')
        snprintf(reading->error, sizeof(reading->error), "`%s` before the first [section]", key);
    else if (repeats && (strcmp(value, "none") == 0 || strcmp(before->value, "none") == 0))
        snprintf(reading->error, sizeof(reading->error),
                 "`%s` is given twice in [%s]; this line or line %d is `none`", key, section,
                 before->line);
    else if (before != NULL && !repeats)
        snprintf(reading->error, sizeof(reading->error),
                 "`%s` is given twice in [%s]; the first is line %d", key, section, before->line);
    else if (reading->file->count >= ENTRY_LIMIT)
        snprintf(reading->error, sizeof(reading->error), "more than %d settings", ENTRY_LIMIT);
    else if (add_entry(reading->file, section, key, value, reading->lines.line, repeats) != 0)
        snprintf(reading->error, sizeof(reading->error), "out of memory");
    return reading->error[0] == '\0';
}

/* Reads the schema first, since it determines which keys the file may hold. */
static int read_schema(struct adn_file *file)
{
    const struct adn_file_entry *entry = lookup_entry(file, "anydnn", "schema");
    char reason[ADN_REASON_MAX], *end;
    long schema;

    file->schema = ADN_SETTINGS_SCHEMA;
    if (entry == NULL)
        return 0;
    schema = strtol(entry->value, &end, 10);
    if (entry->value[0] < '0' || entry->value[0] > '9' || *end != '\0' || schema < 1 ||
        schema > 999999) {
        snprintf(reason, sizeof(reason), "schema = %s: the value must be a number of at least 1",
                 entry->value);
        adn_file_error(file, entry->line, reason);
        return -1;
    }
    file->schema = (int)schema;
    return 0;
}

enum adn_read adn_file_parse(struct adn_file *file, const char *path, const char *text, size_t size)
{
    struct reading reading = {.file = file};
    int line, bad_line;

    memset(file, 0, sizeof(*file));
    file->path = path;
    reading.lines.text = text;
    reading.lines.size = size;
    reading.lines.error = reading.error;
    reading.lines.error_size = sizeof(reading.error);
    bad_line = ini_parse_stream(adn_ini_lines_next, &reading.lines, take, &reading);
    line = reading.lines.line;
    if (reading.error[0] == '\0' && bad_line != 0) {
        snprintf(reading.error, sizeof(reading.error), "inih cannot parse the line");
        line = bad_line;
    }
    if (reading.error[0] != '\0') {
        adn_file_error(file, line, reading.error);
        return ADN_READ_BAD;
    }
    return read_schema(file) == 0 ? ADN_READ_GOOD : ADN_READ_BAD;
}

/* Sets the file's owner and whether others can write it. Returns -1 if this process does not trust
 * the file. */
static int check_trust(struct adn_file *file, const struct stat *status)
{
    char cause[ADN_REASON_MAX - 40], reason[ADN_REASON_MAX];

    if (!S_ISREG(status->st_mode))
        return 0;
    file->owner = (long)status->st_uid;
    file->foreign = geteuid() == 0 && status->st_uid != 0;
    file->loose = status->st_mode & (S_IWGRP | S_IWOTH) ? status->st_mode & 07777 : 0;
    if (!adn_env_privileged())
        return 0;
    if (file->loose != 0)
        snprintf(cause, sizeof(cause),
                 "it is writable by its group or others (mode %04o): chmod go-w", file->loose);
    else if (status->st_uid != 0)
        snprintf(cause, sizeof(cause), "it is owned by user %ld, not by root: chown root",
                 file->owner);
    else if (adn_file_root_only(file->path, cause, sizeof(cause)) == 0)
        return 0;
    snprintf(reason, sizeof(reason), "is not read by a privileged process: %s", cause);
    adn_file_error(file, 0, reason);
    return -1;
}

enum adn_read adn_file_read(struct adn_file *file, const char *path)
{
    char reason[ADN_REASON_MAX];
    enum adn_read result = ADN_READ_BAD;
    struct stat status;
    int descriptor;
    char *text;
    ssize_t size;

    memset(file, 0, sizeof(*file));
    file->path = path;
    descriptor = adn_file_open(path, &status, reason, sizeof(reason));
    if (descriptor < 0) {
        adn_shortage(errno);
        result = errno == ENOENT || errno == ENOTDIR ? ADN_READ_ABSENT : ADN_READ_BAD;
        adn_file_error(file, 0, reason);
        return result;
    }
    text = malloc(FILE_LIMIT + 1);
    size = text != NULL ? adn_file_read_all(descriptor, text, FILE_LIMIT + 1) : 0;
    if (text == NULL && adn_shortage(ENOMEM))
        adn_file_error(file, 0, "out of memory");
    else if (size < 0)
        set_errno(file, "cannot be read");
    else if (size > FILE_LIMIT)
        adn_file_error(file, 0, "longer than 262144 bytes");
    else
        result = adn_file_parse(file, path, text, (size_t)size);
    if (result == ADN_READ_GOOD && check_trust(file, &status) != 0)
        result = ADN_READ_BAD;
    free(text);
    close(descriptor);
    return result;
}

void adn_file_free(struct adn_file *file)
{
    for (int i = 0; i < file->count; i++)
        entry_free(&file->entry[i]);
    free(file->entry);
    memset(file, 0, sizeof(*file));
}
