/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a text of errata as entries. */
#ifndef ADN_ERRATA_READ_H
#define ADN_ERRATA_READ_H

#include "errata/errata.h"

/* The newest schema of a file. */
#define ADN_ERRATA_SCHEMA 1

/* A source of entries. */
struct adn_errata_text {
    const char *path; /* in messages */
    const char *text;
    size_t size;
    enum adn_layer layer;
    int only_adds;
};

/* Calls `take` for each good entry, which takes it over, and returns 0 or -1 if memory is out.
 * Warns of each entry that is skipped. Returns 0, or -1 with `error` "FILE:LINE: reason" for a
 * text that breaks the grammar; no entry of it was taken then. */
int adn_errata_read(const struct adn_errata_text *from,
                    int (*take)(void *cookie, struct adn_erratum *erratum), void *cookie,
                    char *error, size_t error_size);
void adn_erratum_free(struct adn_erratum *erratum);

#endif
