/* SPDX-License-Identifier: Apache-2.0 */
/* Text put together in a caller's buffer: never past its end, always terminated, length counted on.
 */
#ifndef ADN_SYS_TEXT_H
#define ADN_SYS_TEXT_H

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct adn_text {
    char *buffer;
    size_t size;   /* of the buffer; 0 only counts */
    size_t length; /* needed so far, without the final 0 */
};

void adn_text_begin(struct adn_text *text, char *buffer, size_t size);
void adn_text_add(struct adn_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A word of a command that a user may paste into a shell, in quotes where it needs them. */
void adn_text_word(struct adn_text *text, const char *word);
/* The same alone in a buffer, which it returns; a path takes at most ADN_QUOTED_MAX bytes. */
#define ADN_QUOTED_MAX (4 * PATH_MAX + 3)
const char *adn_text_quoted(const char *word, char *buffer, size_t size);
/* Formats as snprintf does, but with a `.` in numbers, whatever the program's locale is. */
int adn_text_print(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int adn_text_vprint(char *buffer, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
/* Convert an ASCII letter, whatever the program's locale is: in Turkish, tolower('I') is no `i`. */
int adn_text_lower(int c);
int adn_text_upper(int c);
/* strtod with a `.`, whatever the program's locale is. */
double adn_text_to_double(const char *text, char **end);
/* The shortest decimal that reads back to the same double, with a `.`; inf, -inf, nan as such. */
void adn_text_double(struct adn_text *text, double value);
/* "1,2,3" */
void adn_text_list(struct adn_text *text, const int64_t *values, int32_t count);

#endif
