/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the way of one call share: finding its plan, and what to do when that plan does
 * not run. */
#ifndef ADN_DISPATCH_MISS_MISS_H
#define ADN_DISPATCH_MISS_MISS_H

#include "dispatch/handle/handle.h"

/* cudaMalloc's promise, and ours for anydnnMemAlloc. */
#define ADN_ASSUMED_ALIGNMENT 256

/* What the slow paths need to know of a call. */
struct adn_running {
    const char *entry;
    anydnnHandle_t handle;
    const struct anydnn_plugin_operands *operands; /* NULL: a query, which has none */
};

/* ---- find.c */

void adn_find_build(const struct adn_call *call, int32_t deterministic, uint64_t aliases,
                    struct adn_problem *problem);

/* The plan of a problem: an equal one that was kept, or a new one after the problem passed its
 * rules. */
anydnnStatus_t adn_find_plan(const struct adn_running *running, const struct adn_problem *problem,
                             struct adn_plan **plan, enum adn_how *how);

/* A new plan, kept in the handle's table; `excluded` as in struct adn_wish. */
anydnnStatus_t adn_find_select(const char *entry, anydnnHandle_t handle,
                               const struct adn_problem *problem, uint64_t hash,
                               const struct adn_excluded *excluded, struct adn_plan **plan);

/* Puts a plan, whose hash is set, into the handle's table, which takes over the caller's hold, also
 * on failure. */
anydnnStatus_t adn_find_keep(const char *entry, anydnnHandle_t handle, struct adn_plan *plan);

/* Fixes the choice for the problem; a kept plan of another one goes. */
anydnnStatus_t adn_find_pin(const char *entry, anydnnHandle_t handle,
                            const struct adn_problem *problem, int32_t backend, uint64_t engine,
                            int32_t searched);

/* BAD_PARAM for plain host memory handed to a handle of another space; a plan is about to be made.
 */
anydnnStatus_t adn_find_check_owners(const struct adn_running *running,
                                     const struct adn_problem *problem);

/* ---- retry.c */

/* BAD_PARAM for an operand that is not even aligned to its element. */
anydnnStatus_t adn_retry_check_elements(const struct adn_running *running,
                                        const struct adn_problem *problem);

/* The second plan: for operands aligned to their elements and the workspace that was given. */
anydnnStatus_t adn_retry_second(const struct adn_running *running, struct adn_plan *first,
                                struct adn_plan **second);

/* After plan_execute answered `result` with the record's effect: the plan of the next backend where
 * rule B permits it, else the failure's status and sentence. */
anydnnStatus_t adn_retry_next(const struct adn_running *running, struct adn_plan *plan,
                              int32_t result, struct adn_plan **next);

/* The plan's backend does not live in this process, which is a child of the one that made it. */
anydnnStatus_t adn_retry_refuse_fork(const char *entry, const struct adn_plan *plan);

/* Asks the space whether an error lost it, remembers it if so, and answers SPACE_POISONED then. */
anydnnStatus_t adn_retry_refuse_poisoned(const char *entry, anydnnHandle_t handle);

/* SPACE_POISONED for a handle whose device is known to be lost, NOT_INITIALIZED for one of a device
 * that was made before a fork; asks nobody. */
anydnnStatus_t adn_retry_refuse_lost(const char *entry, anydnnHandle_t handle);

#endif
