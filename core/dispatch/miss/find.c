/* SPDX-License-Identifier: Apache-2.0 */
/* From a call to its plan when the key does not tell: the problem as a value, an equal problem's
 * plan, or a new one. */
#include "dispatch/autotune/store.h"
#include "dispatch/miss/miss.h"
#include "dispatch/select/select.h"

#include <stdio.h>
#include <string.h>

#include "sys/error.h"
#include "sys/log.h"

void adn_find_build(const struct adn_call *call, int32_t deterministic, uint64_t aliases,
                    struct adn_problem *problem)
{
    const struct adn_operation *info = adn_problem_operation(call->operation);

    memset(problem, 0, offsetof(struct adn_problem, tensor));
    problem->operation = call->operation;
    problem->math = call->math;
    problem->algorithm = call->algorithm;
    problem->deterministic = deterministic;
    problem->present = call->present;
    for (int32_t i = 0; i < info->slot_count; i++) {
        problem->alias[i] = (uint8_t)(aliases >> (4 * i) & 15);
        if (call->present >> i & 1)
            problem->tensor[i] = *call->tensor[i];
    }
    if (call->params)
        call->params(call, &problem->params);
    problem->params.struct_size = (uint32_t)adn_problem_params_size(info->family);
}

anydnnStatus_t adn_find_check_owners(const struct adn_running *running,
                                     const struct adn_problem *problem)
{
    const struct adn_space *space = running->handle->space;
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    if (space->host)
        return ANYDNN_STATUS_SUCCESS;
    for (int32_t i = 0; i < info->slot_count; i++) {
        int32_t owner = ANYDNN_PLUGIN_POINTER_UNKNOWN;

        if (!(problem->present >> i & 1) || !running->operands->data[i])
            continue;
        if (space->functions->pointer_owner(running->handle->device, running->operands->data[i],
                                            &owner) == 0 &&
            owner == ANYDNN_PLUGIN_POINTER_HOST)
            return adn_fail(
                ANYDNN_STATUS_BAD_PARAM,
                "%s: operand %s (%p) is host memory and the handle is of device %s; allocate it "
                "with anydnnMemAlloc, or make the handle with anydnnCreateOnDevice(&handle, "
                "\"cpu\")",
                running->entry, info->slot[i].role, running->operands->data[i],
                running->handle->device_name);
    }
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_find_keep(const char *entry, anydnnHandle_t handle, struct adn_plan *plan)
{
    int evicted = adn_cache_add_plan(&handle->cache, plan);

    if (evicted < 0) {
        adn_plan_release(plan);
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory for the plan tables", entry);
    }
    handle->counters.evictions += evicted;
    return ANYDNN_STATUS_SUCCESS;
}

/* The plan of a choice that was fixed, where that is still offered and may be taken; that it is not
 * is no failure of the call. */
static int select_pinned(const char *entry, anydnnHandle_t handle, struct adn_wish *wish,
                         const struct adn_pin *pin, struct adn_plan **out)
{
    char sentence[ADN_ERROR_MAX];
    anydnnStatus_t status;

    snprintf(sentence, sizeof(sentence), "%s", adn_error_text());
    adn_error_hold();
    wish->pin = pin;
    status = adn_select_plan(handle, entry, wish, out);
    wish->pin = NULL;
    if (status != ANYDNN_STATUS_SUCCESS)
        adn_fail(ANYDNN_STATUS_SUCCESS, "%s", sentence);
    adn_error_release(ANYDNN_STATUS_SUCCESS);
    return status == ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_find_select(const char *entry, anydnnHandle_t handle,
                               const struct adn_problem *problem, uint64_t hash,
                               const struct adn_excluded *excluded, struct adn_plan **out)
{
    struct adn_wish wish = {problem, handle->workspace_limit, ADN_ASSUMED_ALIGNMENT, excluded,
                            NULL};
    const struct adn_pin *pin = adn_cache_find_pin(&handle->cache, problem, hash);
    int made = pin && select_pinned(entry, handle, &wish, pin, out);
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;
    struct adn_pin measured;

    if (!made && adn_tuned_find(handle, problem, &measured))
        made = select_pinned(entry, handle, &wish, &measured, out);
    if (!made)
        status = adn_select_plan(handle, entry, &wish, out);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    (*out)->hash = hash;
    return adn_find_keep(entry, handle, *out);
}

anydnnStatus_t adn_find_pin(const char *entry, anydnnHandle_t handle,
                            const struct adn_problem *problem, int32_t backend, uint64_t engine,
                            int32_t searched)
{
    uint64_t hash = adn_problem_hash(problem);
    struct adn_plan *plan = adn_cache_find_problem(&handle->cache, problem, hash);
    int dropped;

    if (plan && (plan->backend->index != backend || plan->engine != engine))
        adn_cache_remove(&handle->cache, plan);
    dropped = adn_cache_add_pin(&handle->cache, problem, hash, backend, engine, searched);
    if (dropped < 0)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory for a pin", entry);
    if (dropped > 0 && handle->counters.pins_dropped++ == 0)
        adn_info("%s: more choices pinned than plan_cache allows; the oldest were dropped", entry);
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_find_plan(const struct adn_running *running, const struct adn_problem *problem,
                             struct adn_plan **plan, enum adn_how *how)
{
    anydnnHandle_t handle = running->handle;
    uint64_t hash = adn_problem_hash(problem);
    anydnnStatus_t status;

    *plan = adn_cache_find_problem(&handle->cache, problem, hash);
    *how = *plan ? ADN_HOW_EQUAL : ADN_HOW_MISS;
    if (*plan) {
        (*plan)->used = 1;
        return ANYDNN_STATUS_SUCCESS;
    }
    status = adn_retry_refuse_lost(running->entry, handle);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_problem_check(problem, running->entry);
    if (status == ANYDNN_STATUS_SUCCESS && running->operands)
        status = adn_find_check_owners(running, problem);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_find_select(running->entry, handle, problem, hash, NULL, plan);
    /* What backends said while they were asked is not about the run that follows. */
    adn_load_error_clear();
    return status;
}
