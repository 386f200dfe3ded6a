/* SPDX-License-Identifier: Apache-2.0 */
/* The step from an entry of a file to a value. */
#ifndef ADN_SETTINGS_APPLY_H
#define ADN_SETTINGS_APPLY_H

#include <stddef.h>

#include "settings/read.h"
#include "settings/settings.h"

/* The results of that step. */
enum adn_apply {
    ADN_APPLY_DONE = 0,
    ADN_APPLY_BAD = -1,
    ADN_APPLY_UNKNOWN = 1, /* no such section, key, operation or mode */
    ADN_APPLY_IGNORED = 2  /* known, but without effect in this layer */
};

/* Applies an entry. Unless the result is DONE, sets `error` to a sentence without file and line.
 * ADN_REASON_MAX bytes suffice. */
enum adn_apply adn_settings_apply(struct adn_settings *settings, const struct adn_file_entry *entry,
                                  enum adn_layer layer, const char *origin, char *error,
                                  size_t error_size);
/*
 * Decides whether an entry of another user's file, which root reads, is withheld. Returns 1 and
 * records the entry if it names code or a file, or is a set.KEY that may. Returns 0 if the entry
 * takes effect, and -1 if memory is out.
 */
int adn_settings_withhold(struct adn_settings *settings, const struct adn_file_entry *entry,
                          long owner, const char *origin);
/* Appends "; did you mean `x`?" if one of the names is similar, or else `otherwise`, which says
 * where the names are. */
void adn_settings_suggest(char *error, size_t error_size, const char *name,
                          const char *const *names, int count, const char *otherwise);

#endif
