/* SPDX-License-Identifier: Apache-2.0 */
/* Putting plans and choices into a handle, which bounds their number. */
#ifndef ADN_DISPATCH_HANDLE_KEEP_H
#define ADN_DISPATCH_HANDLE_KEEP_H

#include "dispatch/handle/handle.h"
#include "problem/problem.h"

/* Tells the handle's hooks of a plan that calls of the application will run. */
void adn_keep_hooked(anydnnHandle_t handle, struct adn_plan *plan);

/* Puts a plan, whose hash is set, into the handle's table, which takes over the caller's hold, also
 * on failure. */
anydnnStatus_t adn_keep_plan(const char *entry, anydnnHandle_t handle, struct adn_plan *plan);

/* Fixes the choice for the problem; a kept plan of another one goes. */
anydnnStatus_t adn_keep_choice(const char *entry, anydnnHandle_t handle,
                               const struct adn_problem *problem, int32_t backend, uint64_t engine,
                               int32_t searched);

#endif
