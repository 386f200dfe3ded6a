/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all entries, in the order of layers. */
#ifndef ADN_ERRATA_LIST_H
#define ADN_ERRATA_LIST_H

#include "errata/errata.h"

struct adn_errata {
    struct adn_erratum **entry; /* in the order of layers */
    int count;
    int dropped;
    struct published {
        struct published *next;
        char backend[ADN_NAME_MAX + 1];
    } * published; /* the backends whose lists were added */
};

/* Adds an entry behind those of its layer and of earlier ones. `errata` is a struct adn_errata.
 * Returns 0, or -1 if memory is out; the entry is then freed. */
int adn_errata_add(void *errata, struct adn_erratum *erratum);
/* Marks entries that a later one of the same id replaces. Entries of files that may only add
 * and entries that backends publish replace nothing. */
void adn_errata_supersede(struct adn_errata *errata);

#endif
