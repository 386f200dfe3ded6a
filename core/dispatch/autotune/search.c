/* SPDX-License-Identifier: Apache-2.0 */
/* Implements Get and Find: it ranks or times the choices, selects one answer for each pair
 * (algorithm, math type), and pins it. */
#include "dispatch/autotune/search.h"

#include <inttypes.h>
#include <stdlib.h>

#include "dispatch/autotune/store.h"
#include "dispatch/handle/guard.h"
#include "dispatch/handle/keep.h"
#include "problem/batch.h"
#include "problem/check_problem.h"
#include "problem/masks.h"
#include "sys/error.h"

/* Returns 0 for a timed choice, 1 for one that was not timed, 2 for one that failed. */
static int class_of(const struct adn_choice *choice)
{
    if (choice->status != ANYDNN_STATUS_SUCCESS)
        return 2;
    return choice->microseconds < 0;
}

static int by_result(const void *left, const void *right)
{
    const struct adn_choice *a = left, *b = right;

    if (class_of(a) != class_of(b))
        return class_of(a) - class_of(b);
    if (a->microseconds != b->microseconds)
        return a->microseconds < b->microseconds ? -1 : 1;
    return a->rank - b->rank;
}

/* Moves the best choice of each pair to the front, and returns the number of pairs. */
static int first_of_pairs(struct adn_choices *choices)
{
    int pairs = 0;

    qsort(choices->choice, (size_t)choices->count, sizeof(choices->choice[0]), by_result);
    for (int32_t i = 0; i < choices->count && pairs < ADN_SEARCH_MAX; i++) {
        struct adn_choice one = choices->choice[i];
        int earlier = 0;

        for (int k = 0; k < pairs; k++)
            earlier |= adn_choice_same_pair(&choices->choice[k], &one);
        if (earlier)
            continue;
        choices->choice[i] = choices->choice[pairs];
        choices->choice[pairs++] = one;
    }
    return pairs;
}

/* Pins an answer and adds its plan, if it has one, to the handle. */
static anydnnStatus_t pin(struct adn_choices *choices, struct adn_choice *choice)
{
    struct adn_plan *plan = choice->plan;
    struct adn_problem problem;
    anydnnStatus_t status;

    adn_problem_copy(&problem, &choices->problem);
    problem.algorithm = choice->algorithm;
    problem.math = choice->math;
    status = adn_keep_choice(choices->entry, choices->handle, &problem, choice->backend->index,
                             choice->engine, 1);
    if (status != ANYDNN_STATUS_SUCCESS || !plan ||
        adn_table_find_problem(&choices->handle->cache, &problem, plan->hash))
        return status;
    choice->plan = NULL;
    return adn_keep_plan(choices->entry, choices->handle, plan);
}

static anydnnStatus_t nothing_runs(const struct adn_choices *choices)
{
    const struct adn_choice *first = &choices->choice[0];

    if (choices->failed.status != ANYDNN_STATUS_SUCCESS)
        return adn_refusal_publish(&choices->failed);
    return adn_fail(
        ANYDNN_STATUS_NOT_SUPPORTED,
        "%s: every candidate of the route needs more workspace than the limit of %" PRIu64
        " bytes; the best one, of %s, needs %" PRIu64,
        choices->entry, choices->workspace_limit, first->backend->name, first->workspace);
}

/* Sets what an answer needs for the call's own batch. The choice was made for a fixed one. */
static void fit_to_call(const struct adn_choices *choices, const struct adn_choice *choice,
                        struct adn_found *found)
{
    struct adn_problem problem;
    struct adn_request request = {&problem, UINT64_MAX, choices->alignment, NULL};

    adn_problem_copy(&problem, &choices->call);
    problem.algorithm = choice->algorithm;
    problem.math = choice->math;
    if (!adn_offers_workspace(choices->handle, &request, choice->backend->index, choice->engine,
                              &found->workspace)) {
        found->status = ANYDNN_STATUS_NOT_SUPPORTED;
        found->reason = ANYDNN_PLUGIN_REASON_OTHER;
    } else if (found->workspace > choices->call_limit) {
        found->status = ANYDNN_STATUS_ALLOC_FAILED;
        found->reason = ANYDNN_PLUGIN_REASON_MEMORY;
    }
}

/* Fails because no answer suits the call's own batch. */
static anydnnStatus_t nothing_fits(const struct adn_choices *choices)
{
    return adn_fail(
        ANYDNN_STATUS_NOT_SUPPORTED,
        "%s: the engines that are chosen for every batch cannot run this one within the "
        "workspace limit of %" PRIu64 " bytes",
        choices->entry, choices->call_limit);
}

/* Pins and writes the answers. The last ones are pinned first, so that the best remain if
 * plan_cache cannot hold all. */
static anydnnStatus_t answer(struct adn_choices *choices, int requested, struct adn_found *found,
                             int *count)
{
    int pairs = first_of_pairs(choices);
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;
    int fits = !choices->problem.batch_invariant;

    if (choices->choice[0].status != ANYDNN_STATUS_SUCCESS)
        return nothing_runs(choices);
    adn_tuned_keep(choices, pairs);
    /* Plans for other batches may have another engine than the new pins. */
    if (choices->problem.batch_invariant)
        adn_table_clear_plans(&choices->handle->cache);
    pairs = pairs < requested ? pairs : requested;
    for (int i = pairs - 1; i >= 0 && status == ANYDNN_STATUS_SUCCESS; i--)
        if (choices->choice[i].status == ANYDNN_STATUS_SUCCESS)
            status = pin(choices, &choices->choice[i]);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    for (int i = 0; i < pairs; i++) {
        const struct adn_choice *choice = &choices->choice[i];

        found[i] = (struct adn_found){
            .algorithm = choice->algorithm,
            .math = choice->math,
            .status = choice->status,
            .reason = choice->reason,
            .microseconds = choice->microseconds,
            .workspace = choice->workspace,
            .deterministic = !(choice->notes & ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC),
            .backend = choice->backend->index,
        };
        if (choices->problem.batch_invariant && choice->status == ANYDNN_STATUS_SUCCESS)
            fit_to_call(choices, choice, &found[i]);
        fits |= found[i].status == ANYDNN_STATUS_SUCCESS;
    }
    *count = pairs;
    return fits ? ANYDNN_STATUS_SUCCESS : nothing_fits(choices);
}

/* Returns the common alignment of the operands in bytes, up to the one that selection assumes. */
static uint32_t alignment_of(const struct adn_call *call)
{
    uintptr_t all = ADN_ASSUMED_ALIGNMENT;

    for (int i = 0; i < ADN_SLOTS; i++)
        if (call->present >> i & 1)
            all |= (uintptr_t)call->operands.data[i];
    return (uint32_t)(all & -all);
}

/* Replaces the problem by one with a fixed batch, if batch invariance applies to it. The limit of
 * the search and the call's pointers must not matter for the choice. */
static void fix_batch(struct adn_choices *choices)
{
    struct adn_problem fixed;

    choices->call_limit = choices->workspace_limit;
    if (!adn_batch_fix(&choices->problem, &fixed))
        return;
    adn_problem_copy(&choices->call, &choices->problem);
    adn_problem_copy(&choices->problem, &fixed);
    choices->workspace_limit = choices->handle->workspace_limit;
    choices->alignment = adn_batch_alignment(&fixed, ADN_ASSUMED_ALIGNMENT);
}

static anydnnStatus_t begin(const struct adn_search *search, struct adn_choices *choices)
{
    const struct adn_call *call = search->call;
    anydnnHandle_t handle = search->handle;
    struct adn_aliases aliases;
    anydnnStatus_t status;

    choices->entry = call->entry;
    choices->handle = handle;
    choices->one_math = search->one_math;
    choices->alignment = ADN_ASSUMED_ALIGNMENT;
    choices->workspace_limit = search->workspace_limit < handle->workspace_limit
                                   ? search->workspace_limit
                                   : handle->workspace_limit;
    if (search->given)
        aliases =
            adn_aliases_of(adn_slot_masks[call->operation], call->present, call->operands.data);
    adn_call_problem(call, handle->modes, search->given ? &aliases : NULL, &choices->problem);
    status = adn_problem_check(&choices->problem, call->entry);
    if (status != ANYDNN_STATUS_SUCCESS || !search->given)
        return status;
    choices->alignment = alignment_of(call);
    status = adn_guard_owners(call->entry, handle, &choices->problem, &call->operands);
    return status == ANYDNN_STATUS_SUCCESS
               ? adn_guard_elements(call->entry, &choices->problem, &call->operands)
               : status;
}

static anydnnStatus_t run(const struct adn_search *search, int timed, int requested,
                          struct adn_found *found, int *count)
{
    struct adn_choices *choices = calloc(1, sizeof(*choices));
    struct adn_refusal refusal;
    anydnnStatus_t status;

    if (!choices)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", search->call->entry);
    adn_refusal_begin(&refusal);
    status = begin(search, choices);
    if (status == ANYDNN_STATUS_SUCCESS)
        fix_batch(choices);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_choices_collect(choices);
    if (status == ANYDNN_STATUS_SUCCESS && !timed)
        adn_tuned_rank(choices);
    if (status == ANYDNN_STATUS_SUCCESS && timed)
        status = adn_timing_run(choices, search->given && !choices->problem.batch_invariant
                                             ? &search->call->operands
                                             : NULL);
    if (status == ANYDNN_STATUS_SUCCESS)
        status = answer(choices, requested, found, count);
    adn_choices_free(choices);
    free(choices);
    adn_load_error_clear();
    adn_refusal_end(&refusal);
    /* A search that succeeds leaves the thread's error message unchanged. */
    return status == ANYDNN_STATUS_SUCCESS ? status : adn_refusal_publish(&refusal);
}

anydnnStatus_t adn_search_get(const struct adn_search *search, int requested,
                              struct adn_found *found, int *count)
{
    return run(search, 0, requested, found, count);
}

anydnnStatus_t adn_search_find(const struct adn_search *search, int requested,
                               struct adn_found *found, int *count)
{
    if (search->handle->recording)
        return adn_fail(
            ANYDNN_STATUS_NOT_SUPPORTED,
            "%s: a recording is in progress; a search waits for its runs, which cannot be recorded",
            search->call->entry);
    return run(search, 1, requested, found, count);
}
