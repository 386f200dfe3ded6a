/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the candidates of the route in each math type for a search, and ranks them by the
 * backends' own data. */
#include "dispatch/autotune/search.h"

#include <stdlib.h>
#include <string.h>

#include "problem/candidate.h"
#include "sys/error.h"

/* The math types, weakest first. Each includes those before it. */
static const int32_t maths[] = {ANYDNN_PLUGIN_MATH_DEFAULT, ANYDNN_PLUGIN_MATH_TENSOR_OP,
                                ANYDNN_PLUGIN_MATH_SPLIT, ANYDNN_PLUGIN_MATH_ALLOW_CONVERSION};

#define MATHS ((int32_t)(sizeof(maths) / sizeof(maths[0])))

/* Returns 1 if the same candidate was already met, in a weaker math type or under the same name. */
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
    if (choices->count == choices->capacity) {
        int32_t capacity = choices->capacity * 2 + 32;
        struct adn_choice *grown =
            realloc(choices->choice, (size_t)capacity * sizeof(choices->choice[0]));

        choices->out_of_memory |= !grown;
        if (!grown)
            return;
        choices->choice = grown;
        choices->capacity = capacity;
    }
    choices->choice[choices->count] = *one;
    choices->choice[choices->count].rank = choices->count;
    choices->count++;
}

/* Returns the flaws that do not exclude an offer. Too much workspace is reported as the choice's
 * failure. A caller who passes on an algorithm from Get or Find names a transform by its number. */
static uint32_t waived_for(const struct adn_choices *choices, const struct adn_offer *offer)
{
    int named = !choices->fastest && offer->candidate.algorithm != ADN_ALGORITHM_ANY;

    return ADN_FLAW_WORKSPACE | (named ? ADN_FLAW_TRANSFORM : 0);
}

static void take(struct adn_choices *choices, const struct adn_offers *offers,
                 struct adn_answer *answer, struct adn_offer *offer)
{
    const struct anydnn_plugin_candidate *candidate = &offer->candidate;
    int too_large = (offer->flaws & ADN_FLAW_WORKSPACE) != 0;
    struct adn_choice one = {
        .algorithm = candidate->algorithm == ADN_ALGORITHM_ANY ? 0 : candidate->algorithm,
        .math = offers->request->problem->math,
        .used = candidate->math,
        .notes = candidate->notes,
        .reason = too_large ? ANYDNN_PLUGIN_REASON_MEMORY : ANYDNN_PLUGIN_REASON_NONE,
        .status = too_large ? ANYDNN_STATUS_ALLOC_FAILED : ANYDNN_STATUS_SUCCESS,
        .expected_us = candidate->expected_us,
        .microseconds = -1,
        .engine = candidate->engine,
        .workspace = candidate->workspace,
        .backend = answer->backend,
        .pick = {.by = ADN_BY_FASTEST, .searched = 1, .answer = answer, .offer = offer},
    };

    while (one.pass < MATHS - 1 && maths[one.pass] != one.math)
        one.pass++;
    if ((offer->flaws & ~waived_for(choices, offer)) == 0 && !known(choices, &one))
        add(choices, &one);
}

/* Takes the offers of a list's backends, except those of another space. */
static anydnnStatus_t take_all(struct adn_choices *choices, struct adn_offers *offers)
{
    int32_t end = adn_offers_end(offers);

    for (int32_t i = 0; i < end; i++) {
        struct adn_answer *answer = &offers->answer[i];

        if (!offers->own_space && adn_offers_is_foreign(offers, answer))
            continue;
        adn_offers_ask(offers, answer);
        for (int32_t k = 0; answer->outcome != ADN_GARBAGE && k < answer->offers; k++)
            take(choices, offers, answer, &answer->offer[k]);
    }
    if (choices->out_of_memory)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", choices->entry);
    if (offers->out_of_resources ||
        (choices->count == 0 && offers->request->problem->math == choices->problem.math))
        return adn_offers_refuse(offers, choices->entry);
    return ANYDNN_STATUS_SUCCESS;
}

/* Takes the candidates of the rule for one math type. */
static anydnnStatus_t collect_math(struct adn_choices *choices, struct adn_offers *offers,
                                   int32_t math)
{
    struct adn_problem problem;
    struct adn_request request = {&problem, choices->workspace_limit, choices->alignment, NULL};
    anydnnStatus_t status;

    adn_problem_copy(&problem, &choices->problem);
    problem.math = math;
    adn_offers_begin(offers, choices->handle, &request);
    offers->own_space = 1;
    status = take_all(choices, offers);
    adn_offers_free(offers);
    return status;
}

/* Orders by math type, strongest first, then by the route and its offers. */
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

/* Orders the choices. Expected times are compared only among backends that are adjacent in the
 * route and state a time for each of their offers. Any other backend keeps its place and its own
 * order. */
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

/* Takes the candidates in each math type that the call permits. */
static anydnnStatus_t collect_maths(struct adn_choices *choices)
{
    int32_t permitted = choices->problem.math;
    struct adn_offers *offers = malloc(sizeof(*offers));
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;

    if (!offers)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", choices->entry);
    for (int32_t i = 0; i < MATHS && status == ANYDNN_STATUS_SUCCESS; i++)
        if (maths[i] == permitted || (!choices->one_math && adn_math_permits(permitted, maths[i])))
            status = collect_math(choices, offers, maths[i]);
    free(offers);
    return status;
}

anydnnStatus_t adn_choices_collect(struct adn_choices *choices)
{
    anydnnStatus_t status =
        choices->offers ? take_all(choices, choices->offers) : collect_maths(choices);

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
