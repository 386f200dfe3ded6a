/* SPDX-License-Identifier: Apache-2.0 */
/* What a search chooses among: the candidates of the route in each math type, in the order that the
 * backends' own words give. */
#include "dispatch/autotune/search.h"

#include <stdlib.h>
#include <string.h>

#include "problem/candidate.h"
#include "sys/error.h"

/* Weakest first: each includes those before it. */
static const int32_t maths[] = {ANYDNN_PLUGIN_MATH_DEFAULT, ANYDNN_PLUGIN_MATH_TENSOR_OP,
                                ANYDNN_PLUGIN_MATH_SPLIT, ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION};

#define MATHS ((int32_t)(sizeof(maths) / sizeof(maths[0])))

/* The same way of running was met in a weaker math type, or under the same name. */
static int known(const struct adn_choices *choices, const struct adn_choice *one)
{
    for (int32_t i = 0; i < choices->count; i++) {
        const struct adn_choice *other = &choices->choice[i];

        if (other->backend == one->backend && other->engine == one->engine &&
            (choices->fastest || (other->algorithm == one->algorithm && other->used == one->used)))
            return 1;
    }
    return 0;
}

static void add(struct adn_choices *choices, const struct adn_choice *one)
{
    if (choices->count == choices->room) {
        int32_t room = choices->room * 2 + 32;
        struct adn_choice *grown =
            realloc(choices->choice, (size_t)room * sizeof(choices->choice[0]));

        choices->out_of_memory |= !grown;
        if (!grown)
            return;
        choices->choice = grown;
        choices->room = room;
    }
    choices->choice[choices->count] = *one;
    choices->choice[choices->count].rank = choices->count;
    choices->count++;
}

static void take(struct adn_walk *walk, const struct adn_answer *answer,
                 const struct anydnn_plugin_candidate *candidate, const char *reason)
{
    struct adn_choices *choices = walk->cookie;
    int too_large = candidate->workspace > choices->workspace_limit;
    struct adn_choice one = {
        .algorithm = candidate->algorithm == ADN_ALGORITHM_ANY ? 0 : candidate->algorithm,
        .math = walk->wish->problem->math,
        .used = candidate->math,
        .notes = candidate->notes,
        .reason = too_large ? ANYDNN_PLUGIN_REASON_MEMORY : ANYDNN_PLUGIN_REASON_NONE,
        .status = too_large ? ANYDNN_STATUS_ALLOC_FAILED : ANYDNN_STATUS_SUCCESS,
        .expected_us = candidate->expected_us,
        .microseconds = -1,
        .engine = candidate->engine,
        .workspace = candidate->workspace,
        .backend = answer->backend,
    };

    while (one.pass < MATHS - 1 && maths[one.pass] != one.math)
        one.pass++;
    if (reason[0] == '\0' && !known(choices, &one))
        add(choices, &one);
}

/* The candidates of the rule for one math type; a workspace that is too large is no reason yet. */
static anydnnStatus_t collect_math(struct adn_choices *choices, struct adn_walk *walk, int32_t math)
{
    struct adn_problem problem;
    struct adn_wish wish = {&problem, UINT64_MAX, choices->alignment, NULL, NULL};
    int32_t end;

    adn_problem_copy(&problem, &choices->problem);
    problem.math = math;
    adn_walk_begin(walk, choices->handle, &wish);
    walk->search = choices->fastest ? ADN_SEARCH_NAMED : ADN_SEARCH_ALL;
    walk->observe = take;
    walk->cookie = choices;
    end = adn_walk_end(walk);
    for (int32_t i = 0; i < end; i++) {
        int32_t before = choices->count;

        adn_walk_ask(walk, &walk->answer[i]);
        if (walk->answer[i].outcome == ADN_GARBAGE)
            choices->count = before;
    }
    if (walk->starved)
        return adn_walk_refuse(walk, choices->entry);
    if (choices->out_of_memory)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", choices->entry);
    if (choices->count == 0 && math == choices->problem.math)
        return adn_walk_refuse(walk, choices->entry);
    return ANYDNN_STATUS_SUCCESS;
}

/* The strongest math type first; within it the order of the route, then of the offers. */
static int by_route(const void *left, const void *right)
{
    const struct adn_choice *a = left, *b = right;

    return a->pass != b->pass ? b->pass - a->pass : a->rank - b->rank;
}

static int by_expectation(const void *left, const void *right)
{
    const struct adn_choice *a = left, *b = right;

    if (a->group != b->group)
        return a->group - b->group;
    if (a->expected_us != b->expected_us)
        return a->expected_us < b->expected_us ? -1 : 1;
    return a->rank - b->rank;
}

/*
 * Expected times are compared among backends that follow one another in the route and state one for
 * all that they offer. Any other backend keeps its place and its own order.
 */
static void order(struct adn_choices *choices)
{
    int32_t group = 0, end;
    int estimated_before = 0;

    qsort(choices->choice, (size_t)choices->count, sizeof(choices->choice[0]), by_route);
    for (int32_t begin = 0; begin < choices->count; begin = end) {
        struct adn_choice *first = &choices->choice[begin];
        int estimated = 1;

        for (end = begin; end < choices->count && choices->choice[end].backend == first->backend &&
                          choices->choice[end].pass == first->pass;
             end++)
            estimated &= choices->choice[end].expected_us > 0;
        group += !(estimated && estimated_before);
        for (int32_t i = begin; i < end; i++) {
            choices->choice[i].group = group;
            choices->choice[i].rank = i;
            if (!estimated)
                choices->choice[i].expected_us = 0;
        }
        estimated_before = estimated;
    }
    qsort(choices->choice, (size_t)choices->count, sizeof(choices->choice[0]), by_expectation);
    for (int32_t i = 0; i < choices->count; i++)
        choices->choice[i].rank = i;
}

anydnnStatus_t adn_choices_collect(struct adn_choices *choices)
{
    int32_t permitted = choices->problem.math;
    struct adn_walk *walk = malloc(sizeof(*walk));
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;

    if (!walk)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", choices->entry);
    if (choices->fastest)
        status = collect_math(choices, walk, permitted);
    for (int32_t i = 0; i < MATHS && !choices->fastest && status == ANYDNN_STATUS_SUCCESS; i++)
        if (maths[i] == permitted || (!choices->one_math && adn_math_permits(permitted, maths[i])))
            status = collect_math(choices, walk, maths[i]);
    free(walk);
    if (status == ANYDNN_STATUS_SUCCESS && choices->count > 0)
        order(choices);
    return status;
}

void adn_choices_free(struct adn_choices *choices)
{
    for (int32_t i = 0; i < choices->count; i++)
        adn_plan_release(choices->choice[i].plan);
    free(choices->choice);
}
