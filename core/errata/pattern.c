/* SPDX-License-Identifier: Apache-2.0 */
#include "errata/pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX 256

/* Copies the next alternative without outer blanks. Returns 0 past the last one. An alternative
 * that does not fit becomes empty, which matches nothing. */
static int next_word(const char **at, char word[WORD_MAX])
{
    const char *begin = *at, *end;

    if (!begin)
        return 0;
    end = begin + strcspn(begin, ",");
    *at = *end ? end + 1 : NULL;
    while (begin < end && *begin == ' ')
        begin++;
    while (end > begin && end[-1] == ' ')
        end--;
    word[0] = '\0';
    if (end - begin >= WORD_MAX)
        return 1;
    memcpy(word, begin, (size_t)(end - begin));
    word[end - begin] = '\0';
    return 1;
}

/* Returns the list behind a `!`, and whether there is one. */
static const char *list_of(const char *pattern, int *negated)
{
    *negated = *pattern == '!';
    return pattern + *negated;
}

/* ---- numbers */

/* Reads a bound that ends at `end`. An empty one is `open`. Returns 0 if it is no number. */
static int read_bound(const char *text, const char *end, int64_t open, int64_t *bound)
{
    char *stop;

    *bound = open;
    if (text == end)
        return 1;
    if ((*text < '0' || *text > '9') && *text != '-')
        return 0;
    errno = 0;
    *bound = strtoll(text, &stop, 10);
    return stop == end && errno == 0;
}

static int read_range(const char *word, int64_t *from, int64_t *to)
{
    const char *dots = strstr(word, "..");
    const char *end = word + strlen(word);

    if (word[0] == '\0' || strcmp(word, "..") == 0)
        return 0;
    if (!dots) {
        if (!read_bound(word, end, 0, from))
            return 0;
        *to = *from;
        return 1;
    }
    return read_bound(word, dots, INT64_MIN, from) && read_bound(dots + 2, end, INT64_MAX, to) &&
           *from <= *to;
}

int adn_pattern_is_numbers(const char *pattern)
{
    char word[WORD_MAX];
    int negated;
    int64_t from, to;

    for (const char *at = list_of(pattern, &negated); next_word(&at, word);)
        if (!read_range(word, &from, &to))
            return 0;
    return 1;
}

int adn_pattern_numbers(const char *pattern, const int64_t *numbers, int32_t count)
{
    char word[WORD_MAX];
    int negated, found = 0;
    int64_t from, to;

    for (const char *at = list_of(pattern, &negated); next_word(&at, word);)
        for (int32_t i = 0; i < count && read_range(word, &from, &to); i++)
            found |= numbers[i] >= from && numbers[i] <= to;
    return found != negated;
}

/* ---- words */

/* Compares a text with a word in which `*` stands for any text. */
static int is_like(const char *word, const char *text)
{
    const char *star = NULL, *retry = NULL;

    while (*text) {
        if (*word == '*') {
            star = word++;
            retry = text;
        } else if (*word == *text) {
            word++;
            text++;
        } else if (star) {
            word = star + 1;
            text = ++retry;
        } else {
            return 0;
        }
    }
    while (*word == '*')
        word++;
    return *word == '\0';
}

int adn_pattern_is_words(const char *pattern)
{
    char word[WORD_MAX];
    int negated;

    for (const char *at = list_of(pattern, &negated); next_word(&at, word);)
        if (word[0] == '\0' || word[0] == '!')
            return 0;
    return 1;
}

int adn_pattern_word(const char *pattern, const char *text)
{
    char word[WORD_MAX];
    int negated, found = 0;

    for (const char *at = list_of(pattern, &negated); next_word(&at, word);)
        found |= is_like(word, text);
    return found != negated;
}

int adn_pattern_text(const char *pattern, const char *text)
{
    int64_t number, unused;

    if (adn_pattern_is_numbers(pattern) && !strstr(text, "..") &&
        read_range(text, &number, &unused))
        return adn_pattern_numbers(pattern, &number, 1);
    return adn_pattern_word(pattern, text);
}

int adn_pattern_each(const char *pattern, int (*each)(void *cookie, const char *word), void *cookie)
{
    char word[WORD_MAX];
    int negated;

    for (const char *at = list_of(pattern, &negated); next_word(&at, word);)
        if (!each(cookie, word))
            return 0;
    return 1;
}

/* ---- versions */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " ");
}

/* Skips a version, which may be empty. */
static const char *skip_version(const char *text)
{
    while (*text >= '0' && *text <= '9') {
        text += strspn(text, "0123456789");
        if (text[0] != '.' || text[1] < '0' || text[1] > '9')
            break;
        text++;
    }
    return text;
}

/* Finds the two versions of a range. Returns 0 if the text is no range. */
static int split_range(const char *range, const char **from, const char **to)
{
    const char *end;

    *from = skip_blanks(range);
    end = skip_version(*from);
    *to = skip_blanks(end);
    if (strncmp(*to, "..", 2) != 0)
        return 0;
    *to = skip_blanks(*to + 2);
    return *skip_blanks(skip_version(*to)) == '\0' && (end > *from || **to != '\0');
}

/* Compares two versions part by part; a missing part is 0. */
static int compare(const char *left, const char *right)
{
    const char *left_end = skip_version(left), *right_end = skip_version(right);

    while (left < left_end || right < right_end) {
        char *stop;
        unsigned long a = left < left_end ? strtoul(left, &stop, 10) : 0;

        if (left < left_end)
            left = *stop == '.' && stop < left_end ? stop + 1 : stop;
        unsigned long b = right < right_end ? strtoul(right, &stop, 10) : 0;

        if (right < right_end)
            right = *stop == '.' && stop < right_end ? stop + 1 : stop;
        if (a != b)
            return a < b ? -1 : 1;
    }
    return 0;
}

int adn_versions_valid(const char *range)
{
    const char *from, *to;

    return split_range(range, &from, &to) &&
           (skip_version(from) == from || *to == '\0' || compare(from, to) < 0);
}

int adn_versions_hold(const char *range, const char *version)
{
    const char *from, *to;

    if (!split_range(range, &from, &to) || skip_version(version) == version)
        return 0;
    return (skip_version(from) == from || compare(version, from) >= 0) &&
           (*to == '\0' || compare(version, to) < 0);
}
