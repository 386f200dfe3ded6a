/* SPDX-License-Identifier: Apache-2.0 */
/* Composes text in a caller's buffer. */
#include "sys/text.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void adn_text_begin(struct adn_text *text, char *buffer, size_t size)
{
    text->buffer = buffer;
    text->size = size;
    text->length = 0;
    if (size > 0)
        buffer[0] = '\0';
}

/* Returns the C locale, made once. It takes no memory that could leak. */
static locale_t plain_locale(void)
{
    static _Atomic(locale_t) plain;
    locale_t made = plain;

    if (!made) {
        made = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        plain = made;
    }
    return made;
}

void adn_text_word(struct adn_text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";

    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        adn_text_add(text, "%s", word);
        return;
    }
    adn_text_add(text, "'");
    for (; *word != '\0'; word++)
        adn_text_add(text, *word == '\'' ? "'\\''" : "%c", *word);
    adn_text_add(text, "'");
}

const char *adn_text_quoted(const char *word, char *buffer, size_t size)
{
    struct adn_text text;

    adn_text_begin(&text, buffer, size);
    adn_text_word(&text, word);
    return buffer;
}

int adn_text_vprint(char *buffer, size_t size, const char *format, va_list args)
{
    locale_t before = uselocale(plain_locale());
    int length = vsnprintf(buffer, size, format, args);

    uselocale(before);
    return length;
}

int adn_text_print(char *buffer, size_t size, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = adn_text_vprint(buffer, size, format, args);
    va_end(args);
    return length;
}

void adn_text_add(struct adn_text *text, const char *format, ...)
{
    size_t left = text->length < text->size ? text->size - text->length : 0;
    va_list args;
    int wrote;

    va_start(args, format);
    wrote = adn_text_vprint(left > 0 ? text->buffer + text->length : NULL, left, format, args);
    va_end(args);
    if (wrote > 0)
        text->length += (size_t)wrote;
}

double adn_text_to_double(const char *text, char **end)
{
    return strtod_l(text, end, plain_locale());
}

void adn_text_double(struct adn_text *text, double value)
{
    locale_t before;
    char digits[40];

    if (isnan(value)) {
        adn_text_add(text, "nan");
        return;
    }
    before = uselocale(plain_locale());
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof(digits), "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    uselocale(before);
    adn_text_add(text, "%s", digits);
}

int adn_text_lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

int adn_text_upper(int c)
{
    return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

void adn_text_list(struct adn_text *text, const int64_t *values, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        adn_text_add(text, "%s%" PRId64, i > 0 ? "," : "", values[i]);
}
