/* SPDX-License-Identifier: Apache-2.0 */
/* Every failure of this program is one sentence on standard error, written where it was noticed. */
#ifndef LAYERS_COMPLAIN_H
#define LAYERS_COMPLAIN_H

/* What stands before each sentence; the name is kept, not copied. */
void complain_as(const char *name);

/* Prints the name, ": " and the sentence; returns -1, so that a caller may return it at once. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Complains in the words of the library about its last failure; `where` may be NULL. */
int complain_of_library(const char *where);

#endif
