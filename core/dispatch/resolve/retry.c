/* SPDX-License-Identifier: Apache-2.0 */
/* Handles a plan that does not run: it finds the second plan or the next backend, or reports the
 * failure. */
#include "dispatch/handle/guard.h"
#include "dispatch/handle/keep.h"
#include "dispatch/resolve/resolve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "desc/names.h"
#include "sys/error.h"
#include "sys/log.h"

/* Returns 1 if the second plan suits the limit. A plan selected under a limit is also the choice
 * under any lower limit that it fits. A lower limit removes only candidates that were not chosen.
 */
static int second_fits(const struct adn_plan *first, uint64_t limit)
{
    return first->second && first->second->workspace <= limit && limit <= first->second_limit;
}

anydnnStatus_t adn_retry_second(const struct adn_running *running, struct adn_plan *first,
                                struct adn_plan **out)
{
    const struct anydnn_plugin_operands *operands = running->operands;
    struct adn_request request = {&first->problem, 0, 0, first->excluded};
    anydnnStatus_t status = adn_guard_elements(running->entry, &first->problem, operands);
    struct adn_plan *second = NULL;

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (operands->workspace && (uintptr_t)operands->workspace % ADN_ASSUMED_ALIGNMENT == 0)
        request.workspace_limit = operands->workspace_bytes;
    if (request.workspace_limit > running->handle->workspace_limit)
        request.workspace_limit = running->handle->workspace_limit;
    if (!second_fits(first, request.workspace_limit)) {
        status =
            first->problem.batch_invariant
                ? adn_offers_remake(running->handle, running->entry, &request, first, &second)
                : adn_resolve(running->handle, running->entry, &request, ADN_BY_ROUTE, &second);
        adn_load_error_clear();
        if (status != ANYDNN_STATUS_SUCCESS)
            return status;
        adn_plan_release(first->second);
        first->second = second;
        adn_keep_hooked(running->handle, second);
        first->second_limit = request.workspace_limit;
    }
    *out = first->second;
    return ANYDNN_STATUS_SUCCESS;
}

static anydnnStatus_t failed(const struct adn_running *running, const struct adn_plan *plan,
                             int32_t result)
{
    static const char *const effects[] = {
        "outputs are untouched", "work was enqueued before it failed", "outputs are undefined"};
    anydnnHandle_t handle = running->handle;
    int32_t effect = handle->last.effect;
    anydnnStatus_t status;

    status = adn_fail(adn_plan_status(result), "%s: %s failed: %s; %s", running->entry,
                      plan->backend->name, adn_load_error_text(),
                      effects[effect >= 0 && effect <= 2 ? effect : 2]);
    adn_load_error_clear();
    return status;
}

/* Selects another plan for this call alone after memory ran out. Only the record holds the plan. */
static anydnnStatus_t select_once(const struct adn_running *running, const struct adn_plan *plan,
                                  const struct adn_excluded *excluded, struct adn_plan **out)
{
    anydnnHandle_t handle = running->handle;
    struct adn_request request = {&plan->problem, handle->workspace_limit, ADN_ASSUMED_ALIGNMENT,
                                  excluded};
    anydnnStatus_t status = adn_resolve(handle, running->entry, &request, ADN_BY_ROUTE, out);

    if (status == ANYDNN_STATUS_SUCCESS)
        adn_find_hold(handle, *out);
    return status;
}

/* Selects again without the backend that refused. The caller has checked that the outputs are
 * untouched and that a fallback is permitted. */
static anydnnStatus_t select_next(const struct adn_running *running, const struct adn_plan *plan,
                                  int32_t result, struct adn_plan **out)
{
    anydnnHandle_t handle = running->handle;
    struct adn_problem problem = plan->problem;
    uint64_t hash = adn_problem_hash(&problem);
    struct adn_excluded *excluded = adn_excluded_copy(plan->excluded, plan->backend->index);
    const char *name = plan->backend->name;
    struct adn_plan *kept = adn_table_find_problem(&handle->cache, &problem, hash);
    char said[400];
    struct adn_refusal unsaid;
    anydnnStatus_t status;

    snprintf(said, sizeof(said), "%.399s", adn_load_error_text());
    adn_warn("%s: %s refused to run (%d): %s; trying the next backend of the route", running->entry,
             name, (int)result, said);
    adn_refusal_begin(&unsaid);
    if (!excluded) {
        status = adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", running->entry);
    } else if (result == ANYDNN_STATUS_ALLOC_FAILED) {
        status = select_once(running, plan, excluded, out);
    } else {
        if (kept)
            adn_table_remove(&handle->cache, kept);
        status = adn_find_new(running->entry, handle, &problem, hash, excluded, out);
    }
    free(excluded);
    adn_refusal_end(&unsaid);
    adn_load_error_clear();
    if (status != ANYDNN_STATUS_SUCCESS)
        return adn_fail(adn_plan_status(result),
                        "%s: %s failed before it began: %s; no other backend runs the problem",
                        running->entry, name, said);
    handle->counters.fallbacks += !(*out)->past_first;
    (*out)->past_first = 1;
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_retry_next(const struct adn_running *running, struct adn_plan *plan,
                              int32_t result, struct adn_plan **next)
{
    anydnnStatus_t status = adn_guard_poisoned(running->entry, running->handle);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (running->handle->last.effect != ANYDNN_PLUGIN_EFFECT_NONE ||
        result == ANYDNN_STATUS_BAD_PARAM || plan->fallback == ADN_FALLBACK_OFF ||
        plan->problem.batch_invariant)
        return failed(running, plan, result);
    return select_next(running, plan, result, next);
}
