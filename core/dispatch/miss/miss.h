/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the way of one call share: finding its plan, and what to do when that plan does
 * not run. */
#ifndef ADN_DISPATCH_MISS_MISS_H
#define ADN_DISPATCH_MISS_MISS_H

#include "dispatch/handle/handle.h"

/* What the slow paths need to know of a call. */
struct adn_running {
    const char *entry;
    anydnnHandle_t handle;
    const struct anydnn_plugin_operands *operands; /* NULL: a query, which has none */
};

/* ---- find.c */

/* The plan of a problem: an equal one that was kept, or a new one after the problem passed its
 * rules. */
anydnnStatus_t adn_find_plan(const struct adn_running *running, const struct adn_problem *problem,
                             struct adn_plan **plan, enum adn_how *how);

/* A new plan, kept in the handle's table; `excluded` as in struct adn_wish. */
anydnnStatus_t adn_find_select(const char *entry, anydnnHandle_t handle,
                               const struct adn_problem *problem, uint64_t hash,
                               const struct adn_excluded *excluded, struct adn_plan **plan);

/* ---- retry.c */

/* The second plan: for operands aligned to their elements and the workspace that was given. */
anydnnStatus_t adn_retry_second(const struct adn_running *running, struct adn_plan *first,
                                struct adn_plan **second);

/* After plan_execute answered `result` with the record's effect: the plan of the next backend where
 * rule B permits it, else the failure's status and sentence. */
anydnnStatus_t adn_retry_next(const struct adn_running *running, struct adn_plan *plan,
                              int32_t result, struct adn_plan **next);

#endif
