/* SPDX-License-Identifier: Apache-2.0 */
/* The fault of a backend of this folder. The name of its file says which it is, so that a copy of
 * the file under another name is another backend. */
#ifndef TESTS_VERIFY_FAULT_H
#define TESTS_VERIFY_FAULT_H

#include "mocks/fake.h"

#include <string.h>

struct fault {
    const char *name;     /* of the backend */
    int32_t operation;    /* the only one that is wrong; 0: all that can be */
    const char *function; /* of plugin.h, in which it strikes; NULL: as the operation runs */
};

/* Returns the number of the row that names this backend; 0 if none does. */
static inline int fault_of_file(const struct fault *rows, int count)
{
    const char *name = fake_file_name();
    int row = count;

    while (--row > 0 && strcmp(rows[row].name ? rows[row].name : "", name) != 0)
        ;
    return row;
}

#endif
