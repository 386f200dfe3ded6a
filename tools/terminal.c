/* SPDX-License-Identifier: Apache-2.0 */
/* Makes printed text safe for a terminal and for a shell. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for fopencookie */
#endif
#include "terminal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

/* ---- control characters */

/* Returns 1 for control characters. `before` is the preceding byte: in UTF-8, 0xc2 begins U+0080 to
 * U+009f, which are also controls. */
static int is_control(unsigned char before, unsigned char byte)
{
    return byte < ' ' || byte == 0x7f || (before == 0xc2 && byte >= 0x80 && byte < 0xa0);
}

void tool_terminal_clean(char *text)
{
    unsigned char before = 0;

    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;

        if (is_control(before, byte))
            *text = before == 0xc2 || byte == 0x7f ? '?' : ' ';
        before = byte;
    }
}

static int write_all(const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t wrote = write(STDOUT_FILENO, bytes, size);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return -1;
        bytes += wrote;
        size -= (size_t)wrote;
    }
    return 0;
}

/* The write function of the stream that replaces standard output. */
static ssize_t write_clean(void *cookie, const char *bytes, size_t size)
{
    static unsigned char before;
    char clean[4096];
    size_t done = 0;

    (void)cookie;
    while (done < size) {
        size_t count = 0;

        for (; count < sizeof(clean) && done + count < size; count++) {
            unsigned char byte = (unsigned char)bytes[done + count];
            int is_layout = byte == '\n' || byte == '\t';

            clean[count] = is_control(before, byte) && !is_layout ? '?' : (char)byte;
            before = byte;
        }
        if (write_all(clean, count) != 0)
            return 0;
        done += count;
    }
    return (ssize_t)size;
}

void tool_terminal_begin(void)
{
    const cookie_io_functions_t functions = {.write = write_clean};
    FILE *clean = fopencookie(NULL, "w", functions);

    if (clean == NULL)
        return;
    if (isatty(STDOUT_FILENO))
        setvbuf(clean, NULL, _IOLBF, BUFSIZ);
    stdout = clean;
}

/* ---- shell words */

static int is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";

    return text[0] != '\0' && text[strspn(text, plain)] == '\0';
}

/* Writes one byte for use inside single quotes. Returns the number of bytes written, at most 8.
 * Control characters become numeric escapes, so that a terminal shows them and does not execute
 * them. */
static int put_quoted(char *to, unsigned char before, unsigned char byte)
{
    if (byte == '\'')
        return sprintf(to, "'\\''");
    if (is_control(before, byte))
        return sprintf(to, "'$'\\%03o''", byte);
    *to = (char)byte;
    return 1;
}

char *tool_shell_word(const char *text)
{
    char *word = tool_alloc(10 * strlen(text) + 3);
    char *at = word;
    unsigned char before = 0;

    if (is_plain(text))
        return strcpy(word, text);
    *at++ = '\'';
    for (; *text != '\0'; text++) {
        at += put_quoted(at, before, (unsigned char)*text);
        before = (unsigned char)*text;
    }
    *at++ = '\'';
    *at = '\0';
    return word;
}

char *tool_shell_command(const char *const *words)
{
    size_t size = 1;
    char *command, *at;

    for (const char *const *word = words; *word != NULL; word++)
        size += 10 * strlen(*word) + 4;
    command = at = tool_alloc(size);
    *at = '\0';
    for (; *words != NULL; words++) {
        char *word = (*words)[0] != '\0' ? tool_shell_word(*words) : NULL;

        if (word != NULL)
            at += sprintf(at, "%s%s", at > command ? " " : "", word);
        free(word);
    }
    return command;
}
