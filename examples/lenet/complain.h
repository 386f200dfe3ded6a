/* SPDX-License-Identifier: Apache-2.0 */
/* Every failure of this program is one sentence on standard error, written where it was noticed. */
#ifndef LENET_COMPLAIN_H
#define LENET_COMPLAIN_H

/* Prints "lenet: " and the sentence; returns -1, so that a caller may return it at once. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Complains in the words of the library about its last failure; `where` may be NULL. */
int complain_of_library(const char *where);

#endif
