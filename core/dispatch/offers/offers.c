/* SPDX-License-Identifier: Apache-2.0 */
/* The list of a rule's backends: which ones count, the order of the queries, and which offer is
 * chosen. */
#include "dispatch/offers/offers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/operations.h"
#include "problem/text.h"
#include "sys/error.h"
#include "sys/text.h"

/* Returns 1 if a backend counts as a choice of the rule. A backend that a user names always counts.
 * The built-in routes name every known backend, so there only installed ones of the handle's space
 * count. */
static int is_choice(const struct adn_offers *offers, const struct adn_backend *backend)
{
    if (offers->rule->layer != ADN_LAYER_BUILTIN)
        return 1;
    if (!backend || backend->stage == ADN_LOAD_MISSING)
        return 0;
    return backend->stage != ADN_LOAD_LIVE ||
           strcmp(backend->plugin->space, offers->handle->space->name) == 0;
}

void adn_offers_begin(struct adn_offers *offers, anydnnHandle_t handle,
                      const struct adn_request *request)
{
    const struct adn_global *global = handle->global;

    memset(offers, 0, sizeof(*offers));
    offers->handle = handle;
    offers->request = request;
    offers->rule =
        adn_settings_route(global->settings, handle->rules, handle->rule_count,
                           adn_operation_name(request->problem->operation), request->problem->math);
    offers->fallback = offers->rule->fallback != ADN_FALLBACK_UNSET ? offers->rule->fallback
                                                                    : global->settings->fallback;
    offers->count = offers->rule->count;
    for (int32_t i = 0; i < offers->count; i++) {
        struct adn_answer *answer = &offers->answer[i];

        snprintf(answer->name, sizeof(answer->name), "%s", offers->rule->backend[i]);
        answer->backend = adn_load_find(global->registry, answer->name);
        answer->chooses = is_choice(offers, answer->backend);
    }
}

static void free_offers(struct adn_answer *answer)
{
    for (int32_t i = 0; i < answer->offers; i++)
        free(answer->offer[i].words);
    free(answer->offer);
}

void adn_offers_free(struct adn_offers *offers)
{
    for (int32_t i = 0; i < offers->count; i++)
        free_offers(&offers->answer[i]);
}

void adn_offers_reset_out_of_resources(struct adn_offers *offers)
{
    offers->out_of_resources = 0;
    for (int32_t i = 0; i < offers->count; i++) {
        struct adn_answer *answer = &offers->answer[i];

        if (!answer->out_of_resources)
            continue;
        free_offers(answer);
        answer->offer = NULL;
        answer->offers = answer->capacity = answer->out_of_resources = 0;
        answer->outcome = ADN_NOT_ASKED;
        answer->reason[0] = '\0';
    }
}

int adn_offers_is_foreign(const struct adn_offers *offers, const struct adn_answer *answer)
{
    return answer->backend && adn_global_open(offers->handle->global, answer->backend) &&
           strcmp(answer->backend->plugin->space, offers->handle->space->name) != 0;
}

/* Returns 1 if a backend comes after all of the handle's own. With staging = last this holds for
 * backends of another space. The space is known once the backend is open. */
static int learn_late(const struct adn_offers *offers, struct adn_answer *answer)
{
    if (offers->handle->global->settings->staging == ADN_STAGING_LAST)
        answer->late = adn_offers_is_foreign(offers, answer);
    return answer->late;
}

/* Returns the number of backends that count, or -1 if there is no choice. With fallback = off,
 * those up to the first choice count. Under `fastest` each one is a first choice. */
static int32_t end_of(struct adn_offers *offers, int late)
{
    if (offers->fallback != ADN_FALLBACK_OFF || offers->rule->fastest)
        return offers->count;
    for (int32_t i = 0; i < offers->count; i++)
        if (offers->answer[i].chooses && learn_late(offers, &offers->answer[i]) == late)
            return i + 1;
    return -1;
}

/* Returns how many backends count among the late ones, or among the others. */
static int32_t end_among(struct adn_offers *offers, int late)
{
    int32_t end = end_of(offers, late);

    if (late && offers->fallback == ADN_FALLBACK_OFF && end_of(offers, 0) >= 0)
        return 0;
    return end < 0 ? offers->count : end;
}

int32_t adn_offers_end(struct adn_offers *offers)
{
    return end_among(offers, 0);
}

/* Returns an offer whose only flaws are waived, or NULL. If an engine is given, only its offers
 * count. Prefers the first offer with the algorithm that the call names; otherwise returns the
 * first offer, of those that no erratum calls slow if there are any. */
static struct adn_offer *best_of(const struct adn_offers *offers, const struct adn_answer *answer,
                                 const uint64_t *engine, uint32_t waived)
{
    int32_t named = offers->request->problem->algorithm;
    struct adn_offer *best = NULL;

    for (int32_t i = 0; answer->outcome != ADN_GARBAGE && i < answer->offers; i++) {
        struct adn_offer *offer = &answer->offer[i];

        if ((offer->flaws & ~waived) != 0 || (engine && offer->candidate.engine != *engine))
            continue;
        if (named != ADN_ALGORITHM_ANY && offer->candidate.algorithm == named && !offer->slow)
            return offer;
        if (!best || (best->slow && !offer->slow))
            best = offer;
    }
    return best;
}

void adn_offers_condemn(struct adn_answer *answer, uint64_t engine)
{
    int left = 0;

    for (int32_t i = 0; i < answer->offers; i++) {
        struct adn_offer *offer = &answer->offer[i];

        if (offer->candidate.engine == engine)
            offer->flaws |= ADN_FLAW_WRONG;
        left |= offer->flaws == 0;
    }
    if (left || answer->outcome != ADN_OFFERED)
        return;
    answer->outcome = ADN_DECLINED;
    snprintf(answer->reason, sizeof(answer->reason),
             "engine %" PRIu64 " gave wrong results when it was timed", engine);
}

int adn_offers_pick_engine(struct adn_offers *offers, int32_t backend, uint64_t engine,
                           uint32_t waived, struct adn_pick *pick, char *reason, size_t size)
{
    struct adn_answer *answer = NULL;
    struct adn_offer *offer;

    for (int32_t i = 0; i < offers->count && !answer; i++)
        if (offers->answer[i].backend && offers->answer[i].backend->index == backend &&
            i < end_among(offers, learn_late(offers, &offers->answer[i])))
            answer = &offers->answer[i];
    if (!answer) {
        snprintf(reason, size, "its backend is not in the list of the rule");
        return 0;
    }
    adn_offers_ask(offers, answer);
    offer = offers->out_of_resources ? NULL : best_of(offers, answer, &engine, waived);
    if (!offer || offer->failed) {
        snprintf(reason, size, "%s engine %" PRIu64 " is not chosen: %.200s", answer->name, engine,
                 answer->outcome == ADN_OFFERED && !offer
                     ? "it is not offered, or is not acceptable"
                     : answer->reason);
        return 0;
    }
    pick->answer = answer;
    pick->offer = offer;
    return 1;
}

/* Picks among the late backends, or among the others. Prefers the first offer with the algorithm
 * that the call names; otherwise picks the first offer. */
static int pick_among(struct adn_offers *offers, int late, struct adn_pick *pick)
{
    int32_t named = offers->request->problem->algorithm;
    int32_t end = end_among(offers, late);

    pick->offer = NULL;
    for (int32_t i = 0; i < end; i++) {
        struct adn_answer *answer = &offers->answer[i];
        struct adn_offer *offer;

        if (learn_late(offers, answer) != late)
            continue;
        adn_offers_ask(offers, answer);
        if (offers->out_of_resources)
            return 0;
        offer = best_of(offers, answer, NULL, 0);
        if (offer && offer->failed)
            answer->outcome = ADN_PLAN_FAILED;
        if (!offer || offer->failed || (pick->offer && offer->candidate.algorithm != named))
            continue;
        pick->answer = answer;
        pick->offer = offer;
        if (named == ADN_ALGORITHM_ANY || offer->candidate.algorithm == named)
            break;
    }
    return pick->offer != NULL;
}

int adn_offers_pick_first(struct adn_offers *offers, struct adn_pick *pick)
{
    return pick_among(offers, 0, pick) ||
           (!offers->out_of_resources && pick_among(offers, 1, pick));
}

anydnnStatus_t adn_offers_refuse(const struct adn_offers *offers, const char *entry)
{
    char buffer[ADN_ERROR_MAX];
    char problem[600];
    struct adn_text text;
    int installed = 0;

    adn_text_begin(&text, buffer, sizeof(buffer) - 700);
    for (int32_t i = 0; i < offers->count; i++) {
        const struct adn_answer *answer = &offers->answer[i];

        installed += answer->backend && answer->backend->stage != ADN_LOAD_MISSING;
        adn_text_add(&text, "%s%s: %s", text.length > 0 ? "; " : "", answer->name,
                     answer->outcome == ADN_OFFERED     ? "offered"
                     : answer->outcome != ADN_NOT_ASKED ? answer->reason
                                                        : "not queried (fallback = off)");
    }
    if (offers->count == 0)
        adn_text_add(&text, "its list is empty");
    else if (installed == 0)
        adn_text_add(&text, " (`anydnn info` lists what is installed)");
    adn_problem_print(offers->request->problem, NULL, problem, sizeof(problem));
    if (offers->out_of_resources)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED,
                        "%s: ran out of memory or descriptors while choosing a plan: %s; the next "
                        "call tries again. Problem: %s",
                        entry, buffer, problem);
    return adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                    "%s: no backend of the route `%s` (%s) runs it: %s. Problem: %s", entry,
                    offers->rule->pattern, offers->rule->origin, buffer, problem);
}
