/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the members of each structure in a description. */
#ifndef ADN_LOAD_CHECK_MEMBERS_H
#define ADN_LOAD_CHECK_MEMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "load/attempt.h"

/* A member that holds a function, and the function's address. */
struct adn_load_function {
    const char *name;
    uintptr_t address;
};

#define ADN_LOAD_FUNCTION(structure, member)                                                       \
    {                                                                                              \
#member, (uintptr_t)(structure)->member                                                    \
    }

/* Copies `size` bytes of a size-prefixed structure. Bytes that the backend's structure lacks become
 * zero. The structure must have `least` bytes. `what` names it in the sentence. */
int adn_load_copy(struct adn_load_attempt *attempt, const char *what, void *copy, size_t size,
                  size_t least, const void *given);

/* Checks that every function is set and lies in the backend's own file. */
int adn_load_check_functions(struct adn_load_attempt *attempt, const char *what,
                             const struct adn_load_function *functions, size_t count);

/* Checks the same for functions of which a backend has all or none. */
int adn_load_check_group(struct adn_load_attempt *attempt, const char *what,
                         const struct adn_load_function *functions, size_t count);

/* Checks that a string is set and has at most 1023 characters. */
int adn_load_check_text(struct adn_load_attempt *attempt, const char *what, const char *text);

/* Checks an array of 1 to `max` pointers. */
int adn_load_check_array(struct adn_load_attempt *attempt, const char *what, const void *array,
                         uint32_t count, uint32_t max);

#endif
