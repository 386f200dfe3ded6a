/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one call: it finds the plan by key, by value or by selection, checks the pointers, runs the
 * plan and records what happened. */
#include "dispatch/dispatch.h"

#include <string.h>

#include "dispatch/foreign/staging.h"
#include "dispatch/handle/capture.h"
#include "dispatch/handle/guard.h"
#include "dispatch/handle/keep.h"
#include "dispatch/resolve/resolve.h"
#include "problem/masks.h"
#include "problem/operation.h"
#include "problem/problem.h"
#include "problem/unread.h"

#include "sys/callback.h"
#include "sys/error.h"
#include "sys/float_mode.h"
#include "sys/log.h"
#include "sys/process.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Records the plan of the call that is about to run. */
static inline void remember(anydnnHandle_t handle, struct adn_plan *plan, enum adn_how how,
                            int unaligned, int workspace_short)
{
    struct adn_record *last = &handle->last;

    if (last->plan != plan) {
        adn_plan_hold(plan);
        adn_plan_release(last->plan);
        last->plan = plan;
    }
    last->how = how;
    last->effect = ANYDNN_PLUGIN_EFFECT_NONE;
    last->unaligned = unaligned;
    last->workspace_short = workspace_short;
}

/* Adds the call to the recording in progress. Returns SUCCESS with *taken = 1 if it was recorded,
 * or 0 if it must run; fails when memory runs out. */
static anydnnStatus_t record(const struct adn_running *running, struct adn_plan *plan, int *taken)
{
    if (plan->staged && adn_space_captures(running->handle->space))
        return adn_stage_refuse_recording(running->entry, running->handle, plan);
    *taken = adn_recording_call(running->handle, plan, running->operands);
    if (*taken < 0)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory for the recording",
                        running->entry);
    running->operands->flags |= ANYDNN_PLUGIN_OPERANDS_RECORDED;
    return ANYDNN_STATUS_SUCCESS;
}

static anydnnStatus_t execute_other(const struct adn_running *running, struct adn_plan *plan,
                                    enum adn_how how);

/* Runs the call on the next backend after a refusal, or fails. */
static __attribute__((noinline)) anydnnStatus_t
run_next(const struct adn_running *running, struct adn_plan *plan, int32_t result, enum adn_how how)
{
    ADN_MESSAGES_SCOPE;
    anydnnStatus_t status = adn_retry_next(running, plan, result, &plan);

    return status == ANYDNN_STATUS_SUCCESS ? execute_other(running, plan, how) : status;
}

static inline __attribute__((always_inline)) anydnnStatus_t
run_plan(const struct adn_running *running, struct adn_plan *plan, enum adn_how how, int unaligned,
         int workspace_short)
{
    anydnnHandle_t handle = running->handle;
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;
    int taken = 0;
    int32_t result;

    remember(handle, plan, how, unaligned, workspace_short);
    if (UNLIKELY(handle->recording != NULL))
        status = record(running, plan, &taken);
    if (UNLIKELY(status != ANYDNN_STATUS_SUCCESS || taken))
        return status;
    result = plan->execute(plan->body, running->operands, &handle->last.effect);
    if (UNLIKELY(result != 0))
        return run_next(running, plan, result, how);
    handle->last.effect = ANYDNN_PLUGIN_EFFECT_ENQUEUED;
    return ANYDNN_STATUS_SUCCESS;
}

/* Runs the second plan, for operands or workspace that the usual plan does not accept. */
static __attribute__((noinline)) anydnnStatus_t run_second(const struct adn_running *running,
                                                           struct adn_plan *plan, enum adn_how how,
                                                           int unaligned, int workspace_short)
{
    ADN_MESSAGES_SCOPE;
    anydnnStatus_t status = adn_retry_second(running, plan, &plan);

    return status == ANYDNN_STATUS_SUCCESS
               ? run_plan(running, plan, how, unaligned, workspace_short)
               : status;
}

static inline __attribute__((always_inline)) anydnnStatus_t
execute(const struct adn_running *running, struct adn_plan *plan, enum adn_how how,
        uintptr_t address_bits)
{
    const struct anydnn_plugin_operands *operands = running->operands;
    uintptr_t misaligned = 0;
    int workspace_short;

    if (UNLIKELY(plan->fork_number != adn_process_fork_number && !plan->fork_safe))
        return adn_guard_fork(running->entry, plan);
    /* Nearly always, every pointer meets the plan's largest alignment. */
    if (UNLIKELY((address_bits & plan->largest_mask) != 0))
        for (uint32_t i = 0; i < plan->slot_count; i++)
            misaligned |= (uintptr_t)operands->data[i] & plan->mask[i];
    workspace_short = plan->workspace > 0 &&
                      (operands->workspace_bytes < plan->workspace || !operands->workspace ||
                       (uintptr_t)operands->workspace % ADN_ASSUMED_ALIGNMENT != 0);
    if (UNLIKELY(misaligned != 0 || workspace_short))
        return run_second(running, plan, how, misaligned != 0, workspace_short);
    return run_plan(running, plan, how, 0, 0);
}

/* Runs the plan outside the hot path, after a backend was queried or has failed. */
static __attribute__((noinline)) anydnnStatus_t
execute_other(const struct adn_running *running, struct adn_plan *plan, enum adn_how how)
{
    uintptr_t address_bits = 0;

    for (uint32_t i = 0; i < plan->slot_count; i++)
        address_bits |= (uintptr_t)running->operands->data[i];
    adn_float_standard();
    return execute(running, plan, how, address_bits);
}

/* Runs a problem whose plan no key identifies. */
static anydnnStatus_t run_problem(const struct adn_running *running,
                                  const struct adn_problem *problem, struct adn_call *call)
{
    anydnnHandle_t handle = running->handle;
    struct adn_plan *plan = NULL;
    enum adn_how how;
    anydnnStatus_t status = adn_find_plan(running, problem, &plan, &how);

    if (status != ANYDNN_STATUS_SUCCESS) {
        handle->last.effect = ANYDNN_PLUGIN_EFFECT_NONE;
        return status;
    }
    handle->counters.plan_equal_hits += how == ADN_HOW_EQUAL;
    handle->counters.plan_misses += how == ADN_HOW_MISS;
    if (call && !plan->transient)
        adn_table_add_key(&handle->cache, call->key, call->key_words, call->hash, plan);
    return execute_other(running, plan, how);
}

static __attribute__((noinline)) anydnnStatus_t run_missed(const struct adn_running *running,
                                                           struct adn_call *call)
{
    ADN_MESSAGES_SCOPE;
    struct adn_problem problem;

    /* The entry leaves out the words that an operation with few slots does not need. */
    if (!adn_aliases_are_wide(adn_slot_masks[call->operation]))
        memset(&call->aliases.word[1], 0,
               sizeof(call->aliases.word) - sizeof(call->aliases.word[0]));
    adn_call_problem(call, running->handle->modes, &call->aliases, &problem);
    return run_problem(running, &problem, call);
}

anydnnStatus_t adn_dispatch_run(anydnnHandle_t handle, struct adn_call *call)
{
    struct adn_running running = {call->entry, handle, &call->operands};
    struct adn_plan *plan;

    handle->counters.calls++;
    call->operands.stream = handle->stream;
    plan = adn_table_find_key(&handle->cache, call->key, call->key_words, call->hash);
    if (UNLIKELY(!plan))
        return run_missed(&running, call);
    plan->used = 1;
    handle->counters.plan_hits++;
    return execute(&running, plan, ADN_HOW_HIT, call->address_bits);
}

/* Checks that the pointers agree with the aliases that the problem's text states. */
static anydnnStatus_t check_aliases(const char *entry, const struct adn_problem *problem,
                                    const struct adn_aliases *aliases)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);

    for (int32_t i = 0; i < info->slot_count; i++) {
        int32_t said = problem->alias[i];
        int32_t seen = (int32_t)adn_alias_get(aliases, i);

        if (said != seen)
            return adn_fail(ANYDNN_STATUS_BAD_PARAM,
                            "%s: operand %s has %s%s address, but the problem states %s%s; they "
                            "must agree (alias=OUTPUT:INPUT)",
                            entry, info->slot[i].role, seen ? "the same as " : "no input's",
                            seen ? info->slot[seen - 1].role : "", said ? "that of " : "none",
                            said ? info->slot[said - 1].role : "");
    }
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_dispatch_problem_run(anydnnHandle_t handle, const char *entry,
                                        const struct adn_problem *problem,
                                        struct anydnn_plugin_operands *operands)
{
    struct adn_slot_masks masks = adn_slot_masks[problem->operation];
    struct adn_running running = {entry, handle, operands};
    struct adn_aliases aliases;
    struct adn_problem now;
    anydnnStatus_t status;

    handle->counters.calls++;
    if (handle->space->poisoned)
        return adn_guard_poisoned(entry, handle);
    masks.ins &= ~problem->absent;
    for (int32_t slot = 0; slot < ADN_SLOTS; slot++)
        if (problem->absent >> slot & 1)
            operands->data[slot] = operands->data[adn_problem_substitute(problem, slot)];
    aliases = adn_aliases_of(masks, problem->present, operands->data);
    status = check_aliases(entry, problem, &aliases);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    operands->stream = handle->stream;
    adn_problem_copy(&now, problem);
    adn_modes_apply(handle->modes, &now);
    return run_problem(&running, &now, NULL);
}

/* Finds or makes the plan, pins its choice, and returns its workspace. */
static anydnnStatus_t workspace_of(const struct adn_running *running,
                                   const struct adn_problem *problem, size_t *bytes)
{
    anydnnHandle_t handle = running->handle;
    struct adn_plan *plan = NULL;
    enum adn_how how;
    anydnnStatus_t status;

    if (handle->space->poisoned)
        return adn_guard_poisoned(running->entry, handle);
    status = adn_find_plan(running, problem, &plan, &how);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    /* The choice is the same for every call if batch invariance is on. */
    if (!plan->transient && !plan->problem.batch_invariant)
        status = adn_keep_choice(running->entry, handle, &plan->problem, plan->backend->index,
                                 plan->engine, 0);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    *bytes = (size_t)plan->workspace;
    return ANYDNN_STATUS_SUCCESS;
}

anydnnStatus_t adn_dispatch_workspace(anydnnHandle_t handle, struct adn_call *call, size_t *bytes)
{
    struct adn_running running = {call->entry, handle, NULL};
    struct adn_problem problem;

    adn_call_problem(call, handle->modes, NULL, &problem);
    return workspace_of(&running, &problem, bytes);
}

anydnnStatus_t adn_dispatch_problem_workspace(anydnnHandle_t handle, const char *entry,
                                              const struct adn_problem *problem, size_t *bytes)
{
    struct adn_running running = {entry, handle, NULL};
    struct adn_problem now;

    adn_problem_copy(&now, problem);
    adn_modes_apply(handle->modes, &now);
    return workspace_of(&running, &now, bytes);
}
