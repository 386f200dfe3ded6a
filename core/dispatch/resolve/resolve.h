/* SPDX-License-Identifier: Apache-2.0 */
/* A call whose plan no key tells: which backend and engine run it, and what to do when its plan
 * does not run. */
#ifndef ADN_DISPATCH_RESOLVE_RESOLVE_H
#define ADN_DISPATCH_RESOLVE_RESOLVE_H

#include "dispatch/offers/offers.h"

/* What the slow paths need to know of a call. */
struct adn_running {
    const char *entry;
    anydnnHandle_t handle;
    const struct anydnn_plugin_operands *operands; /* NULL: a query, which has none */
};

/* ---- resolve.c */

/* The way from what is offered for a problem to the choice. */
struct adn_resolution {
    const char *entry;
    int32_t dry;           /* 1: nothing is timed, and no plan is made */
    int32_t passing;       /* 1: the choice is for this call alone */
    enum adn_chooser by;   /* whose turn it is */
    anydnnStatus_t status; /* other than SUCCESS where no chooser can go on */
    struct adn_pick pick;
    struct adn_offers offers;
    char reason[ADN_CHOOSERS][300]; /* why each declined; "" where it had nothing to choose */
};

/* Begins with the chooser `first`, and asks nobody. adn_resolution_end follows. */
void adn_resolution_begin(struct adn_resolution *resolution, anydnnHandle_t handle,
                          const char *entry, const struct adn_wish *wish, enum adn_chooser first);
/* Asks the choosers in their order until the pick of one has a plan; dry, until one picks. Returns
 * 0 where none does. */
int adn_resolution_choose(struct adn_resolution *resolution);
void adn_resolution_end(struct adn_resolution *resolution);
/* Returns "pin", "measured", "fastest" or "route". */
const char *adn_chooser_name(enum adn_chooser chooser);

/* Makes the plan that the choosers from `first` on choose, held once by the caller; fails as
 * adn_offers_refuse does where there is none. */
anydnnStatus_t adn_resolve(anydnnHandle_t handle, const char *entry, const struct adn_wish *wish,
                           enum adn_chooser first, struct adn_plan **plan);

/* ---- find.c */

/* Finds the plan of a problem: an equal one that was kept, or a new one after the problem passed
 * its rules. */
anydnnStatus_t adn_find_plan(const struct adn_running *running, const struct adn_problem *problem,
                             struct adn_plan **plan, enum adn_how *how);

/* Makes a new plan and keeps it in the handle's table; `excluded` as in struct adn_wish. */
anydnnStatus_t adn_find_new(const char *entry, anydnnHandle_t handle,
                            const struct adn_problem *problem, uint64_t hash,
                            const struct adn_excluded *excluded, struct adn_plan **plan);

/* Keeps the plan of one call in the record alone, which takes over the caller's hold. */
void adn_find_hold(anydnnHandle_t handle, struct adn_plan *plan);

/* ---- retry.c */

/* Finds the second plan: for operands aligned to their elements and the workspace that was given.
 */
anydnnStatus_t adn_retry_second(const struct adn_running *running, struct adn_plan *first,
                                struct adn_plan **second);

/* After plan_execute answered `result` with the record's effect, finds the plan of the next backend
 * where rule B permits it; else fails with the failure's status and sentence. */
anydnnStatus_t adn_retry_next(const struct adn_running *running, struct adn_plan *plan,
                              int32_t result, struct adn_plan **next);

#endif
