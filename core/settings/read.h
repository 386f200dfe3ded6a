/* SPDX-License-Identifier: Apache-2.0 */
/* An INI file as a list of entries. */
#ifndef ADN_SETTINGS_READ_H
#define ADN_SETTINGS_READ_H

#include <stddef.h>

#include "settings/settings.h"

#define ADN_SETTINGS_SCHEMA 1
#define ADN_REASON_MAX      512
#define ADN_SENTENCE_MAX    (ADN_ORIGIN_MAX + ADN_REASON_MAX + 8)

/* A line `key = value`. */
struct adn_file_entry {
    char *section;
    char *key;
    char *value;
    int line;
    int adds; /* 1 if the value is appended to that of an earlier line */
};

/* A file. */
struct adn_file {
    const char *path;
    struct adn_file_entry *entry;
    int count;
    int schema;
    unsigned loose; /* its mode if others than its owner can write it, or 0 */
    int foreign;    /* 1 if root reads another user's file, which may name no code or file */
    long owner;
    char error[ADN_SENTENCE_MAX]; /* "FILE:LINE: reason" */
};

enum adn_read { ADN_READ_GOOD = 0, ADN_READ_ABSENT = 1, ADN_READ_BAD = -1 };

/* Reads a file. */
enum adn_read adn_file_read(struct adn_file *file, const char *path);
/* Reads text in memory. `path` appears in messages. */
enum adn_read adn_file_parse(struct adn_file *file, const char *path, const char *text,
                             size_t size);
/* Frees the entries. */
void adn_file_free(struct adn_file *file);
/* Writes "FILE:LINE", or the file alone for line 0. Of a long path, the end is kept. */
void adn_file_origin(char origin[ADN_ORIGIN_MAX], const char *path, int line);
/* Sets the file's error to "FILE:LINE: reason". */
void adn_file_error(struct adn_file *file, int line, const char *reason);

#endif
