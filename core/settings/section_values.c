/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the structured values of [trace], [shadow] and [check], and parses a whole such section
 * from one text. */
#include "settings/section_values.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "settings/apply.h"
#include "settings/keys.h"
#include "settings/layers.h"
#include "settings/read.h"
#include "sys/error.h"
#include "sys/text.h"

#define COUNT_MAX UINT64_C(1000000000000)

/* ---- words */

static int read_count(const char *text, uint64_t *count)
{
    char *end;

    if (!isdigit((unsigned char)text[0]))
        return -1;
    errno = 0;
    *count = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *count >= 1 && *count <= COUNT_MAX ? 0 : -1;
}

int adn_section_sample(const char *text, struct adn_sample *sample)
{
    struct adn_sample read = {ADN_SAMPLE_EVERY, 1};
    int result = 0;

    if (strcmp(text, "off") == 0)
        read.kind = ADN_SAMPLE_OFF;
    else if (strcmp(text, "first") == 0)
        read.kind = ADN_SAMPLE_FIRST;
    else if (strncmp(text, "every:", 6) == 0)
        result = read_count(text + 6, &read.n);
    else if (strncmp(text, "1/", 2) == 0)
        read.kind = ADN_SAMPLE_PART, result = read_count(text + 2, &read.n);
    else if (strcmp(text, "all") != 0)
        result = -1;
    if (result == 0 && sample)
        *sample = read;
    return result;
}

int adn_section_reference(const char *text, struct adn_reference *reference)
{
    size_t length = strcspn(text, ":");
    struct adn_reference read = {.math = -1};

    if (length > ADN_NAME_MAX)
        return -1;
    memcpy(read.backend, text, length);
    if (!adn_backend_name_valid(read.backend))
        return -1;
    if (text[length] == ':' && (read.math = adn_math_parse(text + length + 1)) < 0)
        return -1;
    if (strcmp(text, "auto") == 0)
        read.backend[0] = '\0';
    if (reference)
        *reference = read;
    return 0;
}

static int read_positive(const char *text, const char *unit, double *value)
{
    char *end;

    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return -1;
    *value = adn_text_to_double(text, &end);
    while (*end == ' ')
        end++;
    if (strcmp(end, unit) != 0 && *end != '\0')
        return -1;
    return *value > 0 && isfinite(*value) ? 0 : -1;
}

int adn_section_bound(const char *text, double *bound)
{
    double value = 0;

    if (strcmp(text, "derived") != 0 && read_positive(text, "", &value) != 0)
        return -1;
    if (bound)
        *bound = value;
    return 0;
}

int adn_section_part(const char *text, double *part)
{
    double value = INFINITY;

    if (strcmp(text, "none") != 0 && (read_positive(text, "%", &value) != 0 || value > 100))
        return -1;
    if (part)
        *part = value / 100;
    return 0;
}

/* ---- lists */

/* Calls `take` for each word of a list with commas. Returns -1 if that returns -1, or if a word is
 * empty. */
static int each_word(const char *text, int (*take)(void *cookie, const char *word), void *cookie)
{
    int result = 0;

    for (const char *at = text; result == 0; at++) {
        size_t length = strcspn(at, ",");
        size_t from = strspn(at, " ");
        size_t size = length;
        char word[64];

        while (size > from && at[size - 1] == ' ')
            size--;
        if (size <= from || size - from >= sizeof(word))
            return -1;
        memcpy(word, at + from, size - from);
        word[size - from] = '\0';
        result = take(cookie, word);
        at += length;
        if (*at == '\0')
            break;
    }
    return result;
}

static int take_operation(void *cookie, const char *word)
{
    size_t length = strlen(word);
    int prefix = word[length - 1] == '*';
    uint64_t found = 0;
    int count;
    const char *const *names = adn_operation_names(&count);

    length -= (size_t)prefix;
    for (int i = 0; i < count; i++)
        if (strncmp(names[i], word, length) == 0 && (prefix || names[i][length] == '\0'))
            found |= UINT64_C(1) << adn_operation_parse(names[i]);
    *(uint64_t *)cookie |= found;
    return found != 0 ? 0 : -1;
}

int adn_section_operations(const char *text, uint64_t *operations)
{
    uint64_t read = 0;

    if (strcmp(text, "none") != 0 && each_word(text, take_operation, &read) != 0)
        return -1;
    if (operations)
        *operations = read;
    return 0;
}

static int take_value(void *cookie, const char *word)
{
    static const char *const names[] = {"nan", "inf", "zero", NULL};
    int number = adn_word_index(names, word);

    if (number < 0)
        return -1;
    *(uint32_t *)cookie |= UINT32_C(1) << number;
    return 0;
}

int adn_section_values(const char *text, uint32_t *values)
{
    uint32_t read = 0;

    if (strcmp(text, "off") != 0 && each_word(text, take_value, &read) != 0)
        return -1;
    if (values)
        *values = read;
    return 0;
}

/* ---- a section as one text */

/* Removes the blanks around the text, in place. */
static char *trimmed(char *text)
{
    char *end = text + strlen(text);

    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

static int apply_line(struct adn_settings *settings, const char *section, char *line, char *error,
                      size_t error_size)
{
    char *sign = strchr(line, '=');
    struct adn_file_entry entry = {.section = (char *)section};

    if (!sign && trimmed(line)[0] == '\0')
        return 0;
    if (!sign) {
        snprintf(error, error_size, "`%s` has no `=`; lines are KEY = VALUE, joined by `;`",
                 trimmed(line));
        return -1;
    }
    *sign = '\0';
    entry.key = trimmed(line);
    entry.value = trimmed(sign + 1);
    return adn_settings_apply(settings, &entry, ADN_LAYER_API, "the handle", error, error_size) ==
                   ADN_APPLY_DONE
               ? 0
               : -1;
}

static int copy_section(struct adn_settings *to, const struct adn_settings *from,
                        const char *section)
{
    char value[4096];

    for (int i = 0; i < adn_key_count; i++) {
        if (strcmp(adn_keys[i].section, section) != 0)
            continue;
        adn_key_print(from, &adn_keys[i], value, sizeof(value));
        if (adn_key_set(to, &adn_keys[i], value) != 0)
            return -1;
    }
    return 0;
}

struct adn_settings *adn_section_settings(const struct adn_settings *from, const char *section,
                                          const char *text, char *error, size_t error_size)
{
    struct adn_settings *settings;
    char *copy;
    int result;

    adn_shortage_forget();
    settings = adn_settings_new();
    copy = strdup(text);
    result = settings && copy && copy_section(settings, from, section) == 0 ? 0 : -1;
    if (result != 0)
        adn_shortage(ENOMEM);
    for (char *line = copy, *next; result == 0 && line; line = next) {
        next = strchr(line, ';');
        if (next)
            *next++ = '\0';
        result = apply_line(settings, section, line, error, error_size);
    }
    free(copy);
    if (result == 0)
        return settings;
    /* A value that cannot be stored for lack of memory fails like a wrong one. */
    if (adn_shortage_noted())
        snprintf(error, error_size, "out of memory");
    adn_settings_free(settings);
    return NULL;
}
