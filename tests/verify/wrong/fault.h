/* SPDX-License-Identifier: Apache-2.0 */
/* The fault of a backend in this folder. The name of its file selects the fault, so a copy under
 * another name is another backend. */
#ifndef TESTS_VERIFY_FAULT_H
#define TESTS_VERIFY_FAULT_H

#include "mocks/fake.h"

#include <string.h>

struct fault {
    const char *name;  /* name of the backend */
    int32_t operation; /* the faulty operation; 0: all that have the fault */
    /* The faulty function of plugin.h; NULL: the operation's execute. */
    const char *function;
};

/* Returns the number of the row that names this backend, or 0. */
static inline int fault_of_file(const struct fault *rows, int count)
{
    const char *name = fake_file_name();
    int row = count;

    while (--row > 0 && strcmp(rows[row].name ? rows[row].name : "", name) != 0)
        ;
    return row;
}

#endif
