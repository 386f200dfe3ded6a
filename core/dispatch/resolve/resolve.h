/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves a call that no key matches: it chooses the backend and engine, and handles a plan that
 * does not run. */
#ifndef ADN_DISPATCH_RESOLVE_RESOLVE_H
#define ADN_DISPATCH_RESOLVE_RESOLVE_H

#include "dispatch/offers/offers.h"
#include "problem/text.h"

/* A running call, as far as the slow paths need it. */
struct adn_running {
    const char *entry;
    anydnnHandle_t handle;
    struct anydnn_plugin_operands *operands; /* NULL for a query, which has no operands */
};

/* ---- resolve.c */

/* A resolution: the state between the offers for a problem and the choice. */
struct adn_resolution {
    const char *entry;
    int32_t dry;           /* 1: nothing is timed, and no plan is made */
    int32_t transient;     /* 1: the choice is for this call alone */
    enum adn_chooser by;   /* the current chooser */
    anydnnStatus_t status; /* not SUCCESS when no chooser can continue */
    struct adn_pick pick;
    struct adn_offers offers;
    char reason[ADN_CHOOSERS][300];  /* why each declined; "" where it had nothing to choose */
    char text[ADN_PROBLEM_TEXT_MAX]; /* the problem in messages; stacks may be small */
};

/* Starts with the chooser `first` and queries no backend. The caller must call adn_resolution_end.
 */
void adn_resolution_begin(struct adn_resolution *resolution, anydnnHandle_t handle,
                          const char *entry, const struct adn_request *request,
                          enum adn_chooser first);
/* Runs the choosers in order until a pick has a plan, or, in a dry resolution, until one picks.
 * Returns 0 if none does. */
int adn_resolution_choose(struct adn_resolution *resolution);
void adn_resolution_end(struct adn_resolution *resolution);
/* Returns "pin", "measured", "fastest" or "route". */
const char *adn_chooser_name(enum adn_chooser chooser);

/* Makes the plan that the choosers from `first` on select. The caller holds one reference. Fails
 * like adn_offers_refuse when there is no plan. */
anydnnStatus_t adn_resolve(anydnnHandle_t handle, const char *entry,
                           const struct adn_request *request, enum adn_chooser first,
                           struct adn_plan **plan);

/* ---- find.c */

/* Finds the plan of a problem: a kept plan of an equal problem, or a new one after the problem
 * passes its checks. */
anydnnStatus_t adn_find_plan(const struct adn_running *running, const struct adn_problem *problem,
                             struct adn_plan **plan, enum adn_how *how);

/* Makes a new plan and keeps it in the handle's table. `excluded` is as in struct adn_request. */
anydnnStatus_t adn_find_new(const char *entry, anydnnHandle_t handle,
                            const struct adn_problem *problem, uint64_t hash,
                            const struct adn_excluded *excluded, struct adn_plan **plan);

/* Keeps a plan for one call in the record only, which takes over the caller's reference. */
void adn_find_hold(anydnnHandle_t handle, struct adn_plan *plan);

/* ---- retry.c */

/* Finds the second plan, for operands with element alignment only and for the given workspace. */
anydnnStatus_t adn_retry_second(const struct adn_running *running, struct adn_plan *first,
                                struct adn_plan **second);

/* Handles a plan_execute that returned `result` with the record's effect. The next backend may run
 * the call only if all outputs are untouched (effect NONE), the result is not BAD_PARAM, and
 * fallback is not off. Then this function finds its plan; otherwise it fails with the status and
 * message of the failure. */
anydnnStatus_t adn_retry_next(const struct adn_running *running, struct adn_plan *plan,
                              int32_t result, struct adn_plan **next);

#endif
