/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share: keys, entries of a file, and how an entry becomes a value. */
#ifndef ADN_SETTINGS_PARTS_H
#define ADN_SETTINGS_PARTS_H

#include "settings/settings.h"
#include "settings/sources.h"

#define ADN_SETTINGS_SCHEMA 1
#define ADN_REASON_MAX      512
#define ADN_SENTENCE_MAX    (ADN_ORIGIN_MAX + ADN_REASON_MAX + 8)

/* ---- keys.c: the table of [anydnn] and of sections like it, and values as text */

enum adn_key_type {
    ADN_KEY_DEVICE,
    ADN_KEY_WORD,
    ADN_KEY_BYTES,
    ADN_KEY_NUMBER,
    ADN_KEY_LOG_FILE,
    ADN_KEY_FILE,
    ADN_KEY_FOLDERS,
    /* Texts that watch.c reads. */
    ADN_KEY_SAMPLE,
    ADN_KEY_REFERENCE,
    ADN_KEY_OPERATIONS,
    ADN_KEY_BOUND,
    ADN_KEY_PART,
    ADN_KEY_VALUES
};

#define ADN_KEY_CLASS_NONE (-1) /* no environment variable */
#define ADN_KEY_CLASS_KIND (-2) /* set.KEY: the backend states what its value can do */

struct adn_key {
    const char *section;
    const char *key;
    const char *name; /* of the member, and in small letters of the variable behind ANYDNN_ */
    enum adn_key_type type;
    const char *const *words; /* ADN_KEY_WORD: the names of 0, 1, ..., NULL-terminated */
    int64_t low, high;        /* ADN_KEY_NUMBER */
    const char *builtin;
    int env_class; /* enum adn_env_class or ADN_KEY_CLASS_NONE */
    const char *values;
    size_t offset; /* of the member of struct adn_settings */
};

extern const struct adn_key adn_keys[];
extern const int adn_key_count;

int adn_key_find(const char *name); /* by member; index, or -1 */
int adn_key_find_in(const char *section, const char *key);
/* Whether the table has keys of a section. */
int adn_key_section(const char *section);
/* 0, or -1 when the value breaks the key's rule (or memory is out); then nothing is changed. */
int adn_key_set(struct adn_settings *settings, const struct adn_key *key, const char *value);
/* The same for ADN_KEY_FOLDERS, whose value is put behind those that are there. */
int adn_key_add(struct adn_settings *settings, const struct adn_key *key, const char *value);
void adn_key_print(const struct adn_settings *settings, const struct adn_key *key, char *text,
                   size_t size);
int adn_word_find(const char *const *words, const char *word); /* index, or -1 */
extern const char *const adn_words_enable[];
extern const char *const adn_words_fallback[];
int adn_backend_name_valid(const char *name);

/* ---- ini_lines.c: the line reader that inih gets */

struct adn_ini_lines {
    const char *text;
    size_t size;
    size_t at;
    int line;    /* number of the line last handed over or refused */
    char *error; /* not empty: the line is refused, with this reason */
    size_t error_size;
};

/* An ini_reader; the stream is a struct adn_ini_lines. */
char *adn_ini_lines_next(char *to, int size, void *stream);

/* ---- read.c: a file as entries */

struct adn_file_entry {
    char *section;
    char *key;
    char *value;
    int line;
    int adds; /* to what an earlier line of the file gave this key */
};

struct adn_file {
    const char *path;
    struct adn_file_entry *entry;
    int count;
    int schema;
    unsigned loose; /* its mode, when others than its owner can write it, or 0 */
    int foreign;    /* another user's, read by root: keys that name code or files are ignored */
    long owner;
    char error[ADN_SENTENCE_MAX]; /* "FILE:LINE: what is wrong" */
};

enum adn_read { ADN_READ_GOOD = 0, ADN_READ_ABSENT = 1, ADN_READ_BAD = -1 };

enum adn_read adn_file_read(struct adn_file *file, const char *path);
/* The same of text in memory; `path` is for messages. */
enum adn_read adn_file_parse(struct adn_file *file, const char *path, const char *text,
                             size_t size);
void adn_file_free(struct adn_file *file);
/* "FILE:LINE"; line 0: the file alone. Of a long path the end is kept. */
void adn_file_origin(char origin[ADN_ORIGIN_MAX], const char *path, int line);

/* Sets the file's sentence: "FILE:LINE: reason". */
void adn_file_error(struct adn_file *file, int line, const char *reason);

/* ---- apply.c: an entry becomes a value */

enum adn_apply {
    ADN_APPLY_DONE = 0,
    ADN_APPLY_BAD = -1,
    ADN_APPLY_UNKNOWN = 1, /* no such section, key, operation or mode */
    ADN_APPLY_IGNORED = 2  /* known, but counts for nothing in this layer */
};

/* `error` (of ADN_REASON_MAX bytes) is set for every answer but DONE, without file and line. */
enum adn_apply adn_settings_apply(struct adn_settings *settings, const struct adn_file_entry *entry,
                                  enum adn_layer layer, const char *origin, char *error,
                                  size_t error_size);
/*
 * Returns 1, and remembers the entry, when it names code or a file, or is a set.KEY that may, and
 * thus does not count in a file of another user that root reads. Returns 0 when it counts, and -1
 * when memory is out.
 */
int adn_settings_withhold(struct adn_settings *settings, const struct adn_file_entry *entry,
                          long owner, const char *origin);
/* Appends "; did you mean `x`?" when one of the names is near. */
void adn_settings_suggest(char *error, size_t error_size, const char *name,
                          const char *const *names, int count);

/* ---- route.c */

/* adn_settings_rule_parse with the reasons told apart. */
enum adn_apply adn_rule_parse(struct adn_route_rule *rule, const char *pattern, const char *mode,
                              const char *list, char *error, size_t error_size);
int adn_rule_matches(const struct adn_route_rule *rule, const char *operation, int32_t math);
extern const int32_t adn_route_maths[];
extern const char *const adn_route_modes[]; /* their names */
#define ADN_ROUTE_MODE_COUNT 4

/* ---- environment.c, layers.c */

/* Settings without a value; NULL when memory is out. */
struct adn_settings *adn_settings_new(void);

/* Sentences to log once the level is in force. */
struct adn_messages {
    char **text;
    int count;
};

void adn_message_add(struct adn_messages *messages, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void adn_settings_environment(struct adn_settings *settings,
                              const struct adn_settings_sources *sources,
                              struct adn_messages *messages);

/* ---- paths.c */

/* Where `configured` lies when what was configured to lie in `from` lies in `to`. */
void adn_path_relocate(char *path, size_t size, const char *configured, const char *from,
                       const char *to);

#endif
