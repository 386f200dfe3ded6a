/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of memory that a backend points to, which may not be readable. */
#ifndef ADN_LOAD_PROBE_H
#define ADN_LOAD_PROBE_H

#include <stddef.h>

/* Returns 1 if all bytes can be read. */
int adn_load_readable(const void *address, size_t bytes);

/* Returns 1 if a string of at most `max` characters lies there. */
int adn_load_readable_text(const char *text, size_t max);

#endif
