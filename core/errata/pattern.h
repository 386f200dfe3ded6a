/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns of errata. A pattern is a list of alternatives separated by commas; a `!` before the
 * list negates it. An alternative for a number is `N`, `A..B`, `A..` or `..B`, bounds included. An
 * alternative for a word may hold `*`, which stands for any text.
 */
#ifndef ADN_ERRATA_PATTERN_H
#define ADN_ERRATA_PATTERN_H

#include <stdint.h>

/* Returns 1 if the text is a pattern of numbers. */
int adn_pattern_is_numbers(const char *pattern);
/* Returns 1 if the text is a pattern of words: none is empty, begins with another `!`, or has more
 * than 255 bytes. */
int adn_pattern_is_words(const char *pattern);
/* Returns 1 if any of the numbers matches, or, with a `!`, if none does. */
int adn_pattern_numbers(const char *pattern, const int64_t *numbers, int32_t count);
/* Returns 1 if the word matches. */
int adn_pattern_word(const char *pattern, const char *word);
/* Returns 1 if a pattern of words or numbers matches the text. A text that is a number is compared
 * as a number. */
int adn_pattern_text(const char *pattern, const char *text);
/* Calls `each` for each alternative, and returns 0 as soon as it does. */
int adn_pattern_each(const char *pattern, int (*each)(void *cookie, const char *word),
                     void *cookie);

/* Returns 1 if the text is `FROM .. TO` with versions such as 9.19.0, FROM before TO; one of both
 * may be missing. */
int adn_versions_valid(const char *range);
/* Returns 1 if the version is not before FROM and before TO. */
int adn_versions_hold(const char *range, const char *version);

#endif
