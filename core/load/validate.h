/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the validation of a description. */
#ifndef ADN_LOAD_VALIDATE_H
#define ADN_LOAD_VALIDATE_H

#include <stddef.h>

#include "load/attempt.h"

/* Returns 1 if the first `length` characters match [a-z0-9_]{1,31}. */
int adn_load_name_valid(const char *name, size_t length);

/* Checks the space of the description, and copies its table. Returns 0, or -1 with the reason. The
 * caller holds the lock of opening. */
int adn_load_validate_space(struct adn_load_attempt *attempt);

/* Copies the limits and settings of the description. Returns 0, or -1 with the reason. */
int adn_load_validate_lists(struct adn_load_attempt *attempt);

#endif
