/* SPDX-License-Identifier: Apache-2.0 */
/* Text that is composed in a caller's buffer. Nothing is written past the buffer's end, and the
 * text is always terminated. The length includes what did not fit. */
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
/* Adds a word of a command that a user may paste into a shell, quoted if needed. */
void adn_text_word(struct adn_text *text, const char *word);
/* Writes such a word alone to a buffer, and returns it. A path takes at most ADN_QUOTED_MAX
 * bytes. */
#define ADN_QUOTED_MAX (4 * PATH_MAX + 3)
const char *adn_text_quoted(const char *word, char *buffer, size_t size);
/* Formats as snprintf does, but with a `.` in numbers in every locale. */
int adn_text_print(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int adn_text_vprint(char *buffer, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
/* Convert an ASCII letter in every locale: in Turkish, tolower('I') is no `i`. */
int adn_text_lower(int c);
int adn_text_upper(int c);
/* Converts as strtod does, with a `.` in every locale. */
double adn_text_to_double(const char *text, char **end);
/* Adds the shortest decimal that reads back to the same double, with a `.`; inf, -inf and nan as
 * such. */
void adn_text_double(struct adn_text *text, double value);
/* Adds "1,2,3". */
void adn_text_list(struct adn_text *text, const int64_t *values, int32_t count);

#endif
