/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the plan of a problem when no key matches: the plan of an equal problem, or a new one. */
#include "dispatch/handle/guard.h"
#include "dispatch/handle/keep.h"
#include "dispatch/resolve/resolve.h"
#include "problem/check_problem.h"

void adn_find_hold(anydnnHandle_t handle, struct adn_plan *plan)
{
    adn_plan_release(handle->last.plan);
    handle->last.plan = plan;
    adn_keep_hooked(handle, plan);
}

anydnnStatus_t adn_find_new(const char *entry, anydnnHandle_t handle,
                            const struct adn_problem *problem, uint64_t hash,
                            const struct adn_excluded *excluded, struct adn_plan **out)
{
    struct adn_request request = {problem, handle->workspace_limit, ADN_ASSUMED_ALIGNMENT,
                                  excluded};
    anydnnStatus_t status = adn_resolve(handle, entry, &request, ADN_BY_PIN, out);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    (*out)->hash = hash;
    if (!(*out)->transient)
        return adn_keep_plan(entry, handle, *out);
    adn_find_hold(handle, *out);
    return ANYDNN_STATUS_SUCCESS;
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
        status = adn_find_new(running->entry, handle, problem, hash, NULL, plan);
    /* Errors that backends reported during selection do not concern the run that follows. */
    adn_load_error_clear();
    return status;
}
