/* SPDX-License-Identifier: Apache-2.0 */
/* Adds plans and choices to a handle, which bounds their number. */
#ifndef ADN_DISPATCH_HANDLE_KEEP_H
#define ADN_DISPATCH_HANDLE_KEEP_H

#include "dispatch/handle/handle.h"
#include "problem/problem.h"

/* Passes a plan that the application's calls will run to the handle's hooks. */
void adn_keep_hooked(anydnnHandle_t handle, struct adn_plan *plan);

/* Adds a plan, whose hash is set, to the handle's table. The table takes over the caller's
 * reference, also on failure. */
anydnnStatus_t adn_keep_plan(const char *entry, anydnnHandle_t handle, struct adn_plan *plan);

/* Pins the choice for the problem, and removes a kept plan of another choice. */
anydnnStatus_t adn_keep_choice(const char *entry, anydnnHandle_t handle,
                               const struct adn_problem *problem, int32_t backend, uint64_t engine,
                               int32_t searched);

#endif
