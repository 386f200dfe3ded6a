/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of single operands, with the sentences of their failures. */
#ifndef ADN_PROBLEM_CHECK_OPERANDS_H
#define ADN_PROBLEM_CHECK_OPERANDS_H

#include <stdint.h>

#include "problem/operation.h"
#include "problem/problem.h"

/* A problem that is checked. */
struct adn_check {
    const struct adn_problem *problem;
    const struct adn_operation *info;
    const char *entry;
};

/* Sets the last error "ENTRY: ROLE is TYPE:DIMS; RULE". Returns `status`. */
anydnnStatus_t adn_check_fail(const struct adn_check *check, anydnnStatus_t status, int32_t slot,
                              const char *rule);

/* Returns the slot of a role, or -1 if the operation lacks it or the operand is absent. */
int32_t adn_check_slot(const struct adn_check *check, const char *role);

/* Checks that operand `slot`, if present, has the dims, and with `type` also the type, of operand
 * `like`. */
anydnnStatus_t adn_check_like(const struct adn_check *check, int32_t slot, int32_t like, int type);

/* Checks that operand `slot` has these dims. `rule` states where they come from. */
anydnnStatus_t adn_check_dims(const struct adn_check *check, int32_t slot, const int64_t *dims,
                              const char *rule);

/* Checks that operand `slot`, if present, is a buffer of at least `need` bytes. `what` states why.
 */
anydnnStatus_t adn_check_bytes(const struct adn_check *check, int32_t slot, int64_t need,
                               const char *what);

#endif
