/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the keys of [anydnn] and of sections like it, and their values as text. */
#ifndef ADN_SETTINGS_KEYS_H
#define ADN_SETTINGS_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "settings/settings.h"

/* The types of values. */
enum adn_key_type {
    ADN_KEY_DEVICE,
    ADN_KEY_WORD,
    ADN_KEY_BYTES,
    ADN_KEY_NUMBER,
    ADN_KEY_LOG_FILE,
    ADN_KEY_FILE,
    ADN_KEY_LIBRARY,
    ADN_KEY_BACKENDS,
    ADN_KEY_FOLDERS,
    /* Texts that section_values.c reads. */
    ADN_KEY_SAMPLE,
    ADN_KEY_REFERENCE,
    ADN_KEY_OPERATIONS,
    ADN_KEY_BOUND,
    ADN_KEY_PART,
    ADN_KEY_VALUES
};

#define ADN_KEY_CLASS_NONE (-1) /* no environment variable */
#define ADN_KEY_CLASS_KIND (-2) /* set.KEY: the backend states what its value can do */

/* A key. */
struct adn_key {
    const char *section;
    const char *key;
    const char *name; /* the member's name; the variable's is ANYDNN_ and this name in capitals */
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

/* Returns the index of the key whose member has that name, or -1. */
int adn_key_index(const char *name);
/* Returns the index of the key of a section, or -1. */
int adn_key_index_in(const char *section, const char *key);
/* Returns 1 if the table has keys of the section. */
int adn_key_section(const char *section);
/* Sets a value. Returns 0, or -1 without a change if the value breaks the key's rule or memory is
 * out. */
int adn_key_set(struct adn_settings *settings, const struct adn_key *key, const char *value);
/* Appends a value of ADN_KEY_FOLDERS to those that are set. Returns what adn_key_set returns. */
int adn_key_add(struct adn_settings *settings, const struct adn_key *key, const char *value);
/* Writes the value as text. */
void adn_key_print(const struct adn_settings *settings, const struct adn_key *key, char *text,
                   size_t size);
/* Returns the index of the word in a NULL-terminated list, or -1. */
int adn_word_index(const char *const *words, const char *word);
extern const char *const adn_words_enable[];
extern const char *const adn_words_fallback[];
/* Returns 1 if a backend may have that name. */
int adn_backend_name_valid(const char *name);

#endif
