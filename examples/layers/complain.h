/* SPDX-License-Identifier: Apache-2.0 */
/* Reports failures. Every failure of this program is one sentence on standard error, printed where
 * it was detected. */
#ifndef LAYERS_COMPLAIN_H
#define LAYERS_COMPLAIN_H

/* Sets the name before each sentence. The name is kept, not copied. */
void complain_as(const char *name);

/* Prints the name, ": " and the sentence. Returns -1, so that a caller may return it directly. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints the library's message about its last failure; `where` may be NULL. */
int complain_of_library(const char *where);

#endif
