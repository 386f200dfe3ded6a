/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lines for inih. Refuses, with a reason, every line that inih would silently cut, split or
 * merge with another. Passes the others on in one plain form. */
#include "settings/ini_lines.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_LIMIT    200 /* inih's buffer */
#define SECTION_LIMIT 48  /* inih keeps 49 */

static char *refuse(struct adn_ini_lines *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static char *refuse(struct adn_ini_lines *lines, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(lines->error, lines->error_size, format, args);
    va_end(args);
    return NULL;
}

/* Returns the start of the comment at the end of a line, a `;` after a blank; else `length`. */
static size_t comment_at(const char *line, size_t length)
{
    for (size_t i = 1; i < length; i++)
        if (line[i] == ';' && isblank((unsigned char)line[i - 1]))
            return i;
    return length;
}

static size_t trim_right(const char *line, size_t length)
{
    while (length > 0 && isblank((unsigned char)line[length - 1]))
        length--;
    return length;
}

/* Copies the line. inih keeps at most `size` bytes of it. */
static char *hand_over(struct adn_ini_lines *lines, char *to, int size, const char *line,
                       size_t length)
{
    if (length >= (size_t)size)
        return refuse(lines, "a line has %zu bytes; inih was built for at most %d", length,
                      size - 1);
    memcpy(to, line, length);
    to[length] = '\0';
    if (length + 1 < (size_t)size)
        memcpy(to + length, "\n", 2);
    return to;
}

/* Writes `[ plugin   NAME ]` as `[plugin NAME]`. */
static char *section_line(struct adn_ini_lines *lines, char *to, int size, const char *line,
                          size_t length)
{
    const char *close = memchr(line, ']', comment_at(line, length));
    char name[LINE_LIMIT + 3] = "[";
    size_t used = 1;

    if (close == NULL)
        return refuse(lines, "a section without a closing `]`");
    for (const char *c = line + 1; c < close; c++) {
        if (!isblank((unsigned char)*c))
            name[used++] = *c;
        else if (used > 1 && name[used - 1] != ' ')
            name[used++] = ' ';
    }
    if (name[used - 1] == ' ')
        used--;
    if (used == 1)
        return refuse(lines, "a section without a name");
    if (used - 1 > SECTION_LIMIT)
        return refuse(lines, "a section name has %zu bytes; the maximum is %d", used - 1,
                      SECTION_LIMIT);
    for (const char *c = close + 1; c < line + comment_at(line, length); c++)
        if (!isblank((unsigned char)*c))
            return refuse(lines, "text after the section's `]` (a comment begins with ` ;`)");
    name[used++] = ']';
    return hand_over(lines, to, size, name, used);
}

static char *key_line(struct adn_ini_lines *lines, char *to, int size, const char *line,
                      size_t length)
{
    size_t end = trim_right(line, comment_at(line, length));
    const char *equals = memchr(line, '=', end);
    const char *colon = memchr(line, ':', end);

    if (colon != NULL && (equals == NULL || colon < equals))
        return refuse(lines, "a `:` before the first `=`");
    if (equals == NULL)
        return refuse(lines, "the line is neither `[section]` nor `key = value` nor a comment");
    if (equals == line)
        return refuse(lines, "a line without a key before the `=`");
    return hand_over(lines, to, size, line, end);
}

/* Takes the next line without its end. Returns 0 if there is none. */
static int next_line(struct adn_ini_lines *lines, const char **line, size_t *length)
{
    const char *end;

    if (lines->at == 0 && lines->size >= 3 && memcmp(lines->text, "\xEF\xBB\xBF", 3) == 0)
        lines->at = 3;
    if (lines->at >= lines->size)
        return 0;
    *line = lines->text + lines->at;
    end = memchr(*line, '\n', lines->size - lines->at);
    *length = end != NULL ? (size_t)(end - *line) : lines->size - lines->at;
    lines->at += *length + 1;
    lines->line++;
    if (*length > 0 && (*line)[*length - 1] == '\r')
        --*length;
    return 1;
}

char *adn_ini_lines_next(char *to, int size, void *stream)
{
    struct adn_ini_lines *lines = stream;
    const char *line;
    size_t length, blanks = 0;

    if (lines->error[0] != '\0' || !next_line(lines, &line, &length))
        return NULL;
    if (length >= LINE_LIMIT)
        return refuse(lines, "a line has %zu bytes; the maximum is %d: shorten or split it", length,
                      LINE_LIMIT - 1);
    for (size_t i = 0; i < length; i++)
        if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f)
            return refuse(lines, "a control character (byte 0x%02x)",
                          (unsigned)(unsigned char)line[i]);
    length = trim_right(line, length);
    while (blanks < length && isblank((unsigned char)line[blanks]))
        blanks++;
    if (blanks == length || line[blanks] == ';' || line[blanks] == '#')
        return hand_over(lines, to, size, "", 0);
    if (blanks > 0)
        return refuse(lines, "an indented line; settings must begin in the first column");
    return line[0] == '[' ? section_line(lines, to, size, line, length)
                          : key_line(lines, to, size, line, length);
}
