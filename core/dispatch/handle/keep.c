/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a handle's choices: plans, and pins that outlive them. */
#include "dispatch/handle/keep.h"

#include "problem/problem.h"
#include "sys/error.h"
#include "sys/log.h"

void adn_keep_hooked(anydnnHandle_t handle, struct adn_plan *plan)
{
    for (int32_t i = 0; i < ADN_HOOKS; i++)
        if (handle->hook[i])
            handle->hook[i]->plan_made(handle->hook[i], plan);
}

anydnnStatus_t adn_keep_plan(const char *entry, anydnnHandle_t handle, struct adn_plan *plan)
{
    int evicted = adn_table_add_plan(&handle->cache, plan);

    if (evicted < 0) {
        adn_plan_release(plan);
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory for the plan tables", entry);
    }
    handle->counters.evictions += evicted;
    adn_keep_hooked(handle, plan);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_keep_choice(const char *entry, anydnnHandle_t handle,
                               const struct adn_problem *problem, int32_t backend, uint64_t engine,
                               int32_t searched)
{
    uint64_t hash = adn_problem_hash(problem);
    struct adn_plan *plan = adn_table_find_problem(&handle->cache, problem, hash);
    int dropped;

    if (plan && (plan->backend->index != backend || plan->engine != engine))
        adn_table_remove(&handle->cache, plan);
    dropped = adn_table_add_pin(&handle->cache, problem, hash, backend, engine, searched);
    if (dropped < 0)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory for a pin", entry);
    if (dropped > 0 && handle->counters.pins_dropped++ == 0)
        adn_info("%s: more choices are pinned than plan_cache allows; the oldest are dropped",
                 entry);
    return ANYDNN_STATUS_SUCCESS;
}
