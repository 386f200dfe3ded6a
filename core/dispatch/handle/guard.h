/* SPDX-License-Identifier: Apache-2.0 */
/* What a handle and the pointers of a call must be before anything runs; sentences begin with
 * `entry`. */
#ifndef ADN_DISPATCH_HANDLE_GUARD_H
#define ADN_DISPATCH_HANDLE_GUARD_H

#include "dispatch/handle/handle.h"
#include "problem/problem.h"

/* BAD_PARAM for plain host memory handed to a handle of another space; a plan is about to be made.
 */
anydnnStatus_t adn_guard_owners(const char *entry, anydnnHandle_t handle,
                                const struct adn_problem *problem,
                                const struct anydnn_plugin_operands *operands);

/* BAD_PARAM for an operand that is not even aligned to its element. */
anydnnStatus_t adn_guard_elements(const char *entry, const struct adn_problem *problem,
                                  const struct anydnn_plugin_operands *operands);

/* The plan's backend does not live in this process, which is a child of the one that made it. */
anydnnStatus_t adn_guard_fork(const char *entry, const struct adn_plan *plan);

/* Asks the space whether an error lost it, remembers it if so, and answers SPACE_POISONED then. */
anydnnStatus_t adn_guard_poisoned(const char *entry, anydnnHandle_t handle);

/* SPACE_POISONED for a handle whose device is known to be lost, NOT_INITIALIZED for one of a device
 * that was made before a fork; asks nobody. */
anydnnStatus_t adn_guard_lost(const char *entry, anydnnHandle_t handle);

#endif
