/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the plan of a pick, and writes why other backends were skipped. */
#include "dispatch/foreign/staging.h"
#include "dispatch/offers/offers.h"
#include "dispatch/plan/traced.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "problem/operation.h"
#include "problem/text.h"
#include "sys/error.h"
#include "sys/log.h"
#include "sys/process.h"
#include "sys/text.h"

/* Returns 1 if the backend's turn comes before that of the chosen one. */
static int is_before(const struct adn_answer *answer, const struct adn_answer *chosen)
{
    int later = answer->late - chosen->late;

    return later != 0 ? later < 0 : answer < chosen;
}

/* Returns 1 if the backend was chosen before the others were queried. */
static int is_fixed(const struct adn_pick *pick)
{
    return pick->by == ADN_BY_PIN || pick->by == ADN_BY_MEASURED;
}

/* Returns the reason why a queried backend was not chosen. */
static const char *reason_of(const struct adn_answer *answer, const struct adn_pick *pick)
{
    if (answer->outcome != ADN_OFFERED)
        return answer->reason;
    if (is_fixed(pick))
        return "not chosen, because another choice is pinned";
    return pick->by == ADN_BY_FASTEST ? "slower than the chosen engine"
                                      : "does not provide the requested algorithm";
}

/* Writes a line for each backend that was queried before the chosen one, or that the rule lists
 * before it. */
static void write_passed_over(const struct adn_offers *offers, const struct adn_pick *pick,
                              struct adn_text *text)
{
    for (int32_t i = 0; i < offers->count; i++) {
        const struct adn_answer *answer = &offers->answer[i];

        if (!is_before(answer, pick->answer) && !(answer->late && answer < pick->answer))
            continue;
        if (answer->outcome != ADN_NOT_ASKED)
            adn_text_add(text, "%s: %s\n", answer->name, reason_of(answer, pick));
        else if (is_fixed(pick))
            adn_text_add(text, "%s: not queried, because another choice is pinned\n", answer->name);
        else if (answer->late)
            adn_text_add(text,
                         "%s: uses memory space `%s`, and this handle uses `%s`; with staging = "
                         "last it is queried after all others\n",
                         answer->name, answer->backend->plugin->space, offers->handle->space->name);
    }
}

static char *passed_over(const struct adn_offers *offers, const struct adn_pick *pick)
{
    char buffer[ADN_ROUTE_MAX * 450];
    struct adn_text text;

    adn_text_begin(&text, buffer, sizeof(buffer));
    write_passed_over(offers, pick, &text);
    return strdup(buffer);
}

/* Writes a line for each offer that an erratum forbids or changes, of each backend that was
 * queried. Errata of the same engine count once. */
static void write_errata(const struct adn_offers *offers, struct adn_text *text)
{
    for (int32_t i = 0; i < offers->count; i++) {
        const struct adn_answer *answer = &offers->answer[i];

        for (int32_t k = 0; answer->outcome != ADN_GARBAGE && k < answer->offers; k++) {
            const struct adn_offer *offer = &answer->offer[k];

            if (offer->erratum && (k == 0 || offer[-1].candidate.engine != offer->candidate.engine))
                adn_text_add(text, "%s engine %" PRIu64 ": erratum %s (%s)\n", answer->name,
                             offer->candidate.engine, offer->erratum->id,
                             adn_erratum_verdict_name(offer->erratum->verdict));
        }
    }
}

static char *errata_of(const struct adn_offers *offers)
{
    struct adn_text text;
    char *lines;

    adn_text_begin(&text, NULL, 0);
    write_errata(offers, &text);
    lines = calloc(1, text.length + 1);
    if (!lines)
        return NULL;
    adn_text_begin(&text, lines, text.length + 1);
    write_errata(offers, &text);
    return lines;
}

static void fill_rule(struct adn_plan *plan, const struct adn_offers *offers,
                      const struct adn_pick *pick)
{
    const struct adn_route_rule *rule = offers->rule;

    plan->fallback = offers->fallback;
    for (int32_t i = 0; i < offers->count; i++)
        plan->past_first |= is_before(&offers->answer[i], pick->answer) &&
                            offers->answer[i].chooses && !rule->fastest;
    snprintf(plan->rule, sizeof(plan->rule), "[route%s%s] %s", rule->math >= 0 ? " " : "",
             rule->math >= 0 ? adn_math_name(rule->math) : "", rule->pattern);
    snprintf(plan->rule_origin, sizeof(plan->rule_origin), "%s", rule->origin);
}

static void fill_plan(struct adn_plan *plan, const struct adn_offers *offers,
                      const struct adn_pick *pick)
{
    const struct adn_problem *problem = offers->request->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    const struct anydnn_plugin_candidate *candidate = &pick->offer->candidate;
    struct adn_backend *backend = pick->answer->backend;
    int staged = pick->answer->staged;

    plan->execute = backend->operation[problem->operation]->plan_execute;
    plan->workspace = staged ? 0 : candidate->workspace;
    plan->slot_count = (uint32_t)info->slot_count;
    plan->fork_safe = (backend->plugin->flags & ANYDNN_PLUGIN_FORK_SAFE) != 0;
    plan->fork_number = adn_process_fork_number;
    for (int32_t i = 0; i < info->slot_count; i++)
        if (problem->present >> i & 1) {
            uint32_t element = (uint32_t)adn_type_size(problem->tensor[i].type);
            uint32_t needed = staged ? 0 : candidate->alignment[i];

            plan->mask[i] = (needed > element ? needed : element) - 1;
            plan->largest_mask |= plan->mask[i];
        }
    plan->backend = backend;
    adn_problem_copy(&plan->problem, problem);
    plan->engine = candidate->engine;
    plan->algorithm = candidate->algorithm;
    plan->math = candidate->math;
    plan->notes = candidate->notes;
    plan->expected_us = candidate->expected_us;
    plan->serial = adn_process_stamp();
    plan->references = 1;
    fill_rule(plan, offers, pick);
}

static struct adn_plan *begin_plan(const struct adn_offers *offers, const struct adn_pick *pick)
{
    const struct adn_excluded *excluded = offers->request->excluded;
    struct adn_plan *plan = calloc(1, sizeof(*plan));

    if (plan && excluded)
        plan->excluded = adn_excluded_copy(excluded, -1);
    if (plan && excluded && !plan->excluded) {
        free(plan);
        return NULL;
    }
    if (plan)
        fill_plan(plan, offers, pick);
    return plan;
}

static void fail(struct adn_offers *offers, const struct adn_pick *pick, int out_of_resources)
{
    pick->offer->failed = 1;
    offers->out_of_resources |= out_of_resources;
    pick->answer->out_of_resources |= out_of_resources;
    if (pick->by == ADN_BY_ROUTE)
        pick->answer->outcome = ADN_PLAN_FAILED;
}

struct adn_plan *adn_offers_make(struct adn_offers *offers, const struct adn_pick *pick)
{
    struct adn_answer *answer = pick->answer;
    struct adn_backend *backend = answer->backend;
    struct adn_handle_context *contexts = offers->handle->contexts;
    struct adn_plan *plan = begin_plan(offers, pick);
    struct anydnn_plugin_context *context;
    struct anydnn_plugin_problem view;
    const char *reason = NULL;
    int32_t result;

    if (!plan) {
        snprintf(answer->reason, sizeof(answer->reason), "could not create a plan: out of memory");
        fail(offers, pick, 1);
        return NULL;
    }
    context = adn_handle_context(offers->handle, backend, &reason);
    adn_problem_view(&plan->problem, contexts[backend->index].device, &view);
    result = ADN_BACKEND_CALL(
        backend->operation[view.operation]->plan_create(context, &view, plan->engine, &plan->body));
    plan->made = plan->body;
    plan->passed_over = passed_over(offers, pick);
    plan->errata = errata_of(offers);
    if (result == 0 && plan->body && plan->passed_over && plan->errata &&
        (!answer->staged ||
         adn_stage_wrap(offers->handle, plan, pick->offer->candidate.workspace) == 0)) {
        if (adn_log_on(ADN_LOG_TRACE))
            adn_plan_trace(plan);
        return plan;
    }
    snprintf(answer->reason, sizeof(answer->reason), "could not create a plan (%d): %.300s",
             (int)result,
             result != 0   ? adn_load_error_text()
             : !plan->body ? "it reported success but returned none"
                           : "out of memory");
    fail(offers, pick, result == ANYDNN_STATUS_ALLOC_FAILED || (result == 0 && plan->body));
    if (result != 0)
        plan->made = NULL;
    adn_plan_release(plan);
    return NULL;
}

void adn_offers_tell_plan(const struct adn_plan *plan, const struct adn_pick *pick)
{
    char problem[ADN_PROBLEM_TEXT_MAX];

    if (!adn_log_on(ADN_LOG_INFO))
        return;
    adn_problem_print(&plan->problem, NULL, problem, sizeof(problem));
    adn_info("plan: %s engine %llu, %s math%s, for %s", plan->backend->name,
             (unsigned long long)plan->engine, adn_math_name(plan->math),
             pick->by == ADN_BY_MEASURED ? ", as measured before" : "", problem);
}
