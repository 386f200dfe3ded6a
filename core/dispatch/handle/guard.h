/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a handle and of a call's pointers before anything runs. Messages begin with `entry`. */
#ifndef ADN_DISPATCH_HANDLE_GUARD_H
#define ADN_DISPATCH_HANDLE_GUARD_H

#include "dispatch/handle/handle.h"
#include "problem/problem.h"

/* Fails with BAD_PARAM if a handle of another space gets plain host memory. It runs before a plan
 * is made. */
anydnnStatus_t adn_guard_owners(const char *entry, anydnnHandle_t handle,
                                const struct adn_problem *problem,
                                const struct anydnn_plugin_operands *operands);

/* Fails with BAD_PARAM if an operand is not aligned to its element. */
anydnnStatus_t adn_guard_elements(const char *entry, const struct adn_problem *problem,
                                  const struct anydnn_plugin_operands *operands);

/* Fails because the plan's backend did not survive the fork that made this process. */
anydnnStatus_t adn_guard_fork(const char *entry, const struct adn_plan *plan);

/* Queries whether an error lost the space, and records it. Fails with SPACE_POISONED then. */
anydnnStatus_t adn_guard_poisoned(const char *entry, anydnnHandle_t handle);

/* Fails because a function of the handle's space returned `result`: with SPACE_POISONED if the
 * space is lost, otherwise with that status and the space's sentence. `what` is what the device
 * cannot do, as in "cannot fill an operand", or NULL. */
anydnnStatus_t adn_guard_failed(const char *entry, anydnnHandle_t handle, const char *what,
                                int32_t result);

/* Fails with SPACE_POISONED if the device is known to be lost, or NOT_INITIALIZED if a device's
 * handle was made before a fork. Queries no backend. */
anydnnStatus_t adn_guard_lost(const char *entry, anydnnHandle_t handle);

#endif
