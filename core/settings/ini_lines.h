/* SPDX-License-Identifier: Apache-2.0 */
/* The line reader that inih gets. It refuses lines that inih would cut. */
#ifndef ADN_SETTINGS_INI_LINES_H
#define ADN_SETTINGS_INI_LINES_H

#include <stddef.h>

/* A text that is read by lines. */
struct adn_ini_lines {
    const char *text;
    size_t size;
    size_t at;
    int line;    /* number of the last line that was returned or refused */
    char *error; /* the reason if the line is refused, else empty */
    size_t error_size;
};

/* Reads the next line. It is an ini_reader, whose stream is a struct adn_ini_lines. */
char *adn_ini_lines_next(char *to, int size, void *stream);

#endif
