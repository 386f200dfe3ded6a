/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a problem when no key tells it: that of an equal problem, or a new one. */
#include "dispatch/autotune/fastest.h"
#include "dispatch/autotune/store.h"
#include "dispatch/handle/guard.h"
#include "dispatch/handle/keep.h"
#include "dispatch/miss/miss.h"
#include "dispatch/select/select.h"
#include "problem/check_problem.h"

#include <string.h>

#include "sys/error.h"
#include "sys/log.h"

/* The plan of a choice that was fixed, where that is still offered and may be taken; that it is not
 * is no failure of the call. */
static int select_pinned(const char *entry, anydnnHandle_t handle, struct adn_wish *wish,
                         const struct adn_pin *pin, struct adn_plan **out)
{
    struct adn_refusal unsaid;
    anydnnStatus_t status;

    adn_refusal_begin(&unsaid);
    wish->pin = pin;
    status = adn_select_plan(handle, entry, wish, out);
    wish->pin = NULL;
    adn_refusal_end(&unsaid);
    return status == ANYDNN_STATUS_SUCCESS;
}

/* What the tuning file says, where that is still offered. */
static int select_measured(const char *entry, anydnnHandle_t handle, struct adn_wish *wish,
                           struct adn_plan **out)
{
    struct adn_pin measured;

    if (!adn_tuned_find(handle, wish->problem, &measured) ||
        !select_pinned(entry, handle, wish, &measured, out))
        return 0;
    (*out)->timed = handle->world->settings->tuning_mode != ADN_TUNING_READ;
    return 1;
}

/* By the clock, now or before, else by the order of the route. */
static anydnnStatus_t select_unpinned(const char *entry, anydnnHandle_t handle,
                                      struct adn_wish *wish, struct adn_plan **out)
{
    enum adn_fastest fastest = ADN_FASTEST_NONE;
    anydnnStatus_t status;

    if (select_measured(entry, handle, wish, out))
        return ANYDNN_STATUS_SUCCESS;
    if (!wish->excluded)
        fastest = adn_fastest_plan(entry, handle, wish->problem, out);
    if (fastest == ADN_FASTEST_TIMED ||
        (fastest == ADN_FASTEST_FOUND && select_measured(entry, handle, wish, out)))
        return ANYDNN_STATUS_SUCCESS;
    if (fastest == ADN_FASTEST_FAILED)
        return adn_guard_poisoned(entry, handle);
    status = adn_select_plan(handle, entry, wish, out);
    if (status == ANYDNN_STATUS_SUCCESS)
        (*out)->passing = fastest == ADN_FASTEST_LATER;
    return status;
}

/* The record of the last call holds a plan that no table does. */
static anydnnStatus_t hold_passing(anydnnHandle_t handle, struct adn_plan *plan)
{
    adn_plan_release(handle->last.plan);
    handle->last.plan = plan;
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_find_select(const char *entry, anydnnHandle_t handle,
                               const struct adn_problem *problem, uint64_t hash,
                               const struct adn_excluded *excluded, struct adn_plan **out)
{
    struct adn_wish wish = {problem, handle->workspace_limit, ADN_ASSUMED_ALIGNMENT, excluded,
                            NULL};
    const struct adn_pin *pin = adn_table_find_pin(&handle->cache, problem, hash);
    int made = pin && select_pinned(entry, handle, &wish, pin, out);
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;

    if (!made)
        status = select_unpinned(entry, handle, &wish, out);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    (*out)->hash = hash;
    return (*out)->passing ? hold_passing(handle, *out) : adn_keep_plan(entry, handle, *out);
}

anydnnStatus_t adn_find_plan(const struct adn_running *running, const struct adn_problem *problem,
                             struct adn_plan **plan, enum adn_how *how)
{
    anydnnHandle_t handle = running->handle;
    uint64_t hash = adn_problem_hash(problem);
    anydnnStatus_t status;

    *plan = adn_table_find_problem(&handle->cache, problem, hash);
    *how = *plan ? ADN_HOW_EQUAL : ADN_HOW_MISS;
    if (*plan) {
        (*plan)->used = 1;
        return ANYDNN_STATUS_SUCCESS;
    }
    status = adn_guard_lost(running->entry, handle);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_problem_check(problem, running->entry);
    if (status == ANYDNN_STATUS_SUCCESS && running->operands)
        status = adn_guard_owners(running->entry, handle, problem, running->operands);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_find_select(running->entry, handle, problem, hash, NULL, plan);
    /* What backends said while they were asked is not about the run that follows. */
    adn_load_error_clear();
    return status;
}
