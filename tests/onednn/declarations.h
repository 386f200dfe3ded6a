/* SPDX-License-Identifier: Apache-2.0 */
/* The two sides of test_declarations, which no single file can include. */
#ifndef TEST_DECLARATIONS_H
#define TEST_DECLARATIONS_H

#include <stddef.h>

struct declared {
    const char *name;
    long value;
};

/* The values of oneDNN's installed header; both lists end with a name NULL. */
extern const struct declared installed_constants[];
extern const struct declared installed_sizes[];
extern const int installed_major;

#endif
