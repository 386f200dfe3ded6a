/* SPDX-License-Identifier: Apache-2.0 */
/* The tests that every structure of a backend's description has to pass. */
#ifndef ADN_LOAD_CHECK_H
#define ADN_LOAD_CHECK_H

#include "load/private.h"

/* A member that holds a function, and the function's address. */
struct adn_load_function {
    const char *name;
    uintptr_t address;
};

#define ADN_LOAD_FUNCTION(structure, member)                                                       \
    {                                                                                              \
#member, (uintptr_t)(structure)->member                                                    \
    }

/* Copies a size-prefixed structure of the backend: what it has of `size` bytes, zero for the rest.
 * It must have `least` bytes. `what` names it in the sentence. */
int adn_load_copy(struct adn_load_attempt *attempt, const char *what, void *copy, size_t size,
                  size_t least, const void *given);

/* Every function must be there and lie in the backend's own file. */
int adn_load_check_functions(struct adn_load_attempt *attempt, const char *what,
                             const struct adn_load_function *functions, size_t count);

/* The same for functions that a backend may lack, all of them or none. */
int adn_load_check_group(struct adn_load_attempt *attempt, const char *what,
                         const struct adn_load_function *functions, size_t count);

/* A string that must be there. */
int adn_load_check_text(struct adn_load_attempt *attempt, const char *what, const char *text);

/* An array of `count` pointers; 1 to `max` of them. */
int adn_load_check_array(struct adn_load_attempt *attempt, const char *what, const void *array,
                         uint32_t count, uint32_t max);

#endif
