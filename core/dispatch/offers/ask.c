/* SPDX-License-Identifier: Apache-2.0 */
/* Queries a backend for its candidates and determines the flaws of each offer. */
#include "dispatch/foreign/staging.h"
#include "dispatch/offers/offers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc/names.h"
#include "desc/operations.h"
#include "problem/candidate.h"
#include "problem/operation.h"
#include "problem/parameters.h"
#include "sys/error.h"

/* ---- flaws */

/* Returns the workspace limit. Staged operands and workspace lie in memory that anydnn allocates,
 * so the handle's limit applies to them. */
static uint64_t limit_for(const struct adn_offers *offers, const struct adn_answer *answer)
{
    return answer->staged ? offers->handle->workspace_limit : offers->request->workspace_limit;
}

/* Returns the first operand that is aligned to less than the candidate needs, or -1. */
static int32_t misaligned(const struct adn_offers *offers, const struct adn_answer *answer,
                          const struct anydnn_plugin_candidate *candidate)
{
    const struct adn_problem *problem = offers->request->problem;
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    uint32_t alignment = answer->staged ? ADN_ASSUMED_ALIGNMENT : offers->request->alignment;

    for (int32_t i = 0; i < info->slot_count; i++)
        if ((problem->present >> i & 1) && candidate->alignment[i] > alignment &&
            candidate->alignment[i] > adn_type_size(problem->tensor[i].type))
            return i;
    return -1;
}

static uint32_t flaws_of(const struct adn_offers *offers, const struct adn_answer *answer,
                         const struct anydnn_plugin_candidate *candidate)
{
    const struct adn_problem *problem = offers->request->problem;
    int named =
        candidate->algorithm != ADN_ALGORITHM_ANY && candidate->algorithm == problem->algorithm;
    uint32_t notes = candidate->notes, flaws = 0;

    if (!adn_math_permits(problem->math, candidate->math))
        flaws |= ADN_FLAW_MATH;
    if ((notes & ANYDNN_PLUGIN_NOTE_REDUCED_PRECISION) && !adn_math_permits_rounding(problem->math))
        flaws |= ADN_FLAW_ROUNDING;
    if ((notes & ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC) && problem->deterministic)
        flaws |= ADN_FLAW_NONDETERMINISTIC;
    if ((notes & ANYDNN_PLUGIN_NOTE_TRANSFORM) && !named)
        flaws |= ADN_FLAW_TRANSFORM;
    if (!(notes & ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT) && problem->batch_invariant)
        flaws |= ADN_FLAW_BATCH_VARIANT;
    if (candidate->workspace > limit_for(offers, answer))
        flaws |= ADN_FLAW_WORKSPACE;
    if (misaligned(offers, answer, candidate) >= 0)
        flaws |= ADN_FLAW_ALIGNMENT;
    return flaws;
}

/* ---- errata */

/* Applies an erratum to an offer: it forbids the engine, or adds a note that the backend does not
 * state, or removes one. `finer` concerns the backend alone. */
static void apply(const struct adn_erratum *erratum, struct adn_offer *offer, int32_t algorithm)
{
    uint32_t bit = ADN_ERRATUM_BIT(erratum->verdict);

    if (bit & ADN_ERRATUM_AVOIDED) {
        if (!(offer->flaws & ADN_FLAW_ERRATUM))
            offer->erratum = erratum;
        offer->flaws |= ADN_FLAW_ERRATUM;
        return;
    }
    if (erratum->verdict == ADN_ERRATUM_NONDETERMINISTIC)
        offer->candidate.notes |= ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC;
    else if (erratum->verdict == ADN_ERRATUM_TRANSFORM)
        offer->candidate.notes |= ANYDNN_PLUGIN_NOTE_TRANSFORM;
    else if (erratum->verdict == ADN_ERRATUM_BATCH_VARIANT)
        offer->candidate.notes &= ~ANYDNN_PLUGIN_NOTE_BATCH_INVARIANT;
    else if (erratum->verdict == ADN_ERRATUM_SLOW)
        offer->slow = 1;
    else
        return;
    if (erratum->verdict == ADN_ERRATUM_TRANSFORM && algorithm >= 0)
        offer->candidate.algorithm = algorithm;
    if (!offer->erratum)
        offer->erratum = erratum;
}

static void apply_errata(const struct adn_offers *offers, const struct adn_answer *answer,
                         const struct anydnn_plugin_problem *view, struct adn_offer *offer)
{
    struct adn_global_device device = {offers->handle->global, answer->backend, view->device};
    struct adn_errata *errata = offers->handle->global->errata;
    struct adn_errata_query query;
    const struct adn_erratum *erratum;
    int at = 0;

    adn_global_errata_query(&device, view, &offer->candidate, &query);
    while ((erratum = adn_errata_next(errata, &query, &at)) != NULL) {
        const char *name = erratum->text[ADN_ERRATUM_ALGORITHM];

        apply(erratum, offer,
              name ? adn_problem_algorithm_parse(view->operation, name) : ADN_ALGORITHM_ANY);
    }
}

void adn_offers_reason(const struct adn_offers *offers, const struct adn_answer *answer,
                       const struct adn_offer *offer, char *reason, size_t size)
{
    const struct anydnn_plugin_candidate *candidate = &offer->candidate;
    const struct adn_problem *problem = offers->request->problem;
    int32_t slot;

    reason[0] = '\0';
    switch (offer->flaws & -offer->flaws) {
    case ADN_FLAW_MATH:
        snprintf(reason, size, "computes in %s, which %s does not permit",
                 adn_math_name(candidate->math), adn_math_name(problem->math));
        break;
    case ADN_FLAW_ROUNDING:
        snprintf(reason, size, "rounds operands, which %s does not permit",
                 adn_math_name(problem->math));
        break;
    case ADN_FLAW_NONDETERMINISTIC:
        snprintf(reason, size,
                 "is nondeterministic, but the handle permits only deterministic candidates");
        break;
    case ADN_FLAW_TRANSFORM:
        snprintf(reason, size, "is a transform algorithm (%s), which must be requested by name",
                 candidate->algorithm == ADN_ALGORITHM_ANY
                     ? "without a number"
                     : adn_problem_algorithm_name(problem->operation, candidate->algorithm));
        break;
    case ADN_FLAW_WORKSPACE:
        snprintf(reason, size, "needs %" PRIu64 " bytes of workspace; the limit is %" PRIu64,
                 candidate->workspace, limit_for(offers, answer));
        break;
    case ADN_FLAW_ERRATUM:
        snprintf(reason, size, "engine %" PRIu64 " has the erratum %s (%s)", candidate->engine,
                 offer->erratum->id, adn_erratum_verdict_name(offer->erratum->verdict));
        break;
    case ADN_FLAW_WRONG:
        snprintf(reason, size, "engine %" PRIu64 " gave wrong results when it was timed",
                 candidate->engine);
        break;
    case ADN_FLAW_BATCH_VARIANT:
        snprintf(reason, size,
                 "is not batch-invariant, but the handle permits only batch-invariant candidates");
        break;
    case ADN_FLAW_ALIGNMENT:
        slot = misaligned(offers, answer, candidate);
        snprintf(reason, size, "needs operand %s aligned to %u bytes",
                 adn_problem_operation(problem->operation)->slot[slot].role,
                 candidate->alignment[slot]);
        break;
    default:
        break;
    }
    if (offer->erratum &&
        (offer->flaws & -offer->flaws &
         (ADN_FLAW_NONDETERMINISTIC | ADN_FLAW_TRANSFORM | ADN_FLAW_BATCH_VARIANT))) {
        size_t length = strlen(reason);

        snprintf(reason + length, size - length, "; erratum %s", offer->erratum->id);
    }
}

/* ---- queries */

struct asking {
    struct adn_offers *offers;
    struct adn_answer *answer;
    const struct anydnn_plugin_problem *view;
    int read;
    int offered;
    int declined;
};

/* Adds an offer to the answer. Marks the list when memory runs out. */
static void add(struct asking *asking, const struct anydnn_plugin_candidate *candidate)
{
    struct adn_offers *offers = asking->offers;
    struct adn_answer *answer = asking->answer;
    struct adn_offer *offer;

    if (answer->offers == answer->capacity) {
        int32_t capacity = answer->capacity * 2 + 4;
        struct adn_offer *grown = realloc(answer->offer, (size_t)capacity * sizeof(*grown));

        offers->out_of_resources |= !grown;
        if (!grown)
            return;
        answer->offer = grown;
        answer->capacity = capacity;
    }
    offer = &answer->offer[answer->offers++];
    *offer = (struct adn_offer){.candidate = *candidate};
    apply_errata(offers, answer, asking->view, offer);
    offer->words = candidate->words ? strdup(candidate->words) : NULL;
    offers->out_of_resources |= candidate->words && !offer->words;
    offer->candidate.sentence = offer->candidate.words = NULL;
    offer->flaws |= flaws_of(offers, answer, &offer->candidate);
    if (offer->flaws == 0)
        answer->outcome = ADN_OFFERED;
    else if (answer->outcome != ADN_OFFERED && answer->reason[0] == '\0')
        adn_offers_reason(offers, answer, offer, answer->reason, sizeof(answer->reason));
}

static int32_t take_offer(void *cookie, const struct anydnn_plugin_candidate *offered)
{
    struct asking *asking = cookie;
    struct adn_answer *answer = asking->answer;
    struct anydnn_plugin_candidate candidate;
    char fault[160];

    if (!offered || answer->outcome == ADN_GARBAGE || asking->read++ >= ANYDNN_PLUGIN_CANDIDATE_MAX)
        return 1;
    memset(&candidate, 0, sizeof(candidate));
    memcpy(&candidate, offered,
           offered->struct_size < sizeof(candidate) ? offered->struct_size : sizeof(candidate));
    asking->offered += candidate.reason == 0;
    asking->declined += candidate.reason != 0;
    if (!adn_candidate_malformed(asking->offers->request->problem->operation, &candidate, fault,
                                 sizeof(fault)) &&
        asking->offered > 0 && asking->declined > 0)
        snprintf(fault, sizeof(fault), "it both declined the problem and offered candidates");
    if (fault[0] != '\0') {
        answer->outcome = ADN_GARBAGE;
        snprintf(answer->reason, sizeof(answer->reason), "offered a malformed candidate: %s",
                 fault);
        return 1;
    }
    if (candidate.reason == 0)
        add(asking, &candidate);
    else if (answer->reason[0] == '\0')
        snprintf(answer->reason, sizeof(answer->reason), "%s",
                 candidate.sentence ? candidate.sentence : "declined without a reason");
    return 0;
}

static void refuse_unknown(const struct adn_global *global, struct adn_answer *answer)
{
    const char *near = adn_global_nearest(global, answer->name);

    snprintf(answer->reason, sizeof(answer->reason), "not installed%s%s%s",
             near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
}

/* Returns 1 if a parameter of the problem beyond `known` bytes is not 0. */
static int has_params_beyond(const struct adn_problem *problem, uint32_t known)
{
    size_t size = adn_problem_params_size(adn_problem_operation(problem->operation)->family);
    const unsigned char *bytes = (const unsigned char *)&problem->params;

    while (known < size)
        if (bytes[known++] != 0)
            return 1;
    return 0;
}

/* Declines on behalf of a backend what it cannot see: operands and parameters that were added to
 * the operation after the plugin.h with which it was built. */
static void refuse_later(const struct adn_problem *problem,
                         const struct anydnn_plugin_operation *operation, char *reason, size_t size)
{
    const struct adn_operation *info = adn_problem_operation(problem->operation);
    uint32_t beyond = problem->present & ~operation->slots;

    if (beyond)
        snprintf(reason, size, "does not know the operand %s of %s: it was built without it",
                 info->slot[__builtin_ctz(beyond)].role, adn_operation_name(problem->operation));
    else if (has_params_beyond(problem, operation->params_size))
        snprintf(reason, size,
                 "knows %" PRIu32 " bytes of the parameters of %s, and this problem has a later "
                 "one that is not 0",
                 operation->params_size, adn_operation_name(problem->operation));
}

/* Refuses parameters in half or bfloat16 for a backend that does not publish that it takes them. It
 * may be written for parameters in float, which earlier versions guaranteed. */
static void refuse_parameters(const struct adn_problem *problem, const struct adn_backend *backend,
                              char *reason, size_t size)
{
    int32_t type = adn_parameter_short_type(problem);
    int64_t taken = type < 0 ? 0 : adn_load_limit(backend, problem->operation, ADN_PARAMETER_LIMIT);

    if (type >= 0 && !(taken >> type & 1))
        snprintf(reason, size, "does not take parameters of %s in %s: it publishes no limit `%s`",
                 adn_operation_name(problem->operation), adn_type_name(type), ADN_PARAMETER_LIMIT);
}

/* Looks for a reason to skip the backend without a query. Returns 1 if there is one. */
static int is_refused(struct adn_offers *offers, struct adn_answer *answer)
{
    const struct adn_problem *problem = offers->request->problem;
    struct adn_backend *backend = answer->backend;
    char *reason = answer->reason;
    size_t size = sizeof(answer->reason);
    int32_t type = adn_problem_type(problem);

    answer->staged = adn_offers_is_foreign(offers, answer);
    if (answer->staged)
        adn_stage_judge(offers->handle, backend, offers->own_space, reason, size);
    if (reason[0] != '\0')
        return 1;
    if (!backend)
        refuse_unknown(offers->handle->global, answer);
    else if (!adn_global_open(offers->handle->global, backend)) {
        offers->out_of_resources |= adn_shortage_noted() != 0;
        snprintf(reason, size, "%s: %s", adn_load_stage_name(backend->stage),
                 adn_load_reason(backend));
    } else if (adn_excluded_has(offers->request->excluded, backend->index))
        snprintf(reason, size, "failed in an earlier run of this problem");
    else if (!backend->operation[problem->operation])
        snprintf(reason, size, "does not offer %s", adn_operation_name(problem->operation));
    else if (type >= ANYDNN_PLUGIN_TYPE_RESERVED ||
             !(backend->operation[problem->operation]->types & ANYDNN_PLUGIN_TYPE_BIT(type)))
        snprintf(reason, size, "does not offer %s in %s", adn_operation_name(problem->operation),
                 adn_type_name(type));
    else
        refuse_later(problem, backend->operation[problem->operation], reason, size);
    if (reason[0] == '\0')
        refuse_parameters(problem, backend, reason, size);
    return reason[0] != '\0';
}

static void ask(struct adn_offers *offers, struct adn_answer *answer)
{
    struct adn_handle_context *contexts = offers->handle->contexts;
    struct anydnn_plugin_problem view;
    struct asking asking = {.offers = offers, .answer = answer, .view = &view};
    struct anydnn_plugin_context *context;
    const char *reason = NULL;
    int32_t result;

    context = adn_handle_context(offers->handle, answer->backend, &reason);
    if (!context) {
        offers->out_of_resources |= contexts[answer->backend->index].state == 0;
        snprintf(answer->reason, sizeof(answer->reason), "%s",
                 reason ? reason : "it could not create a context");
        return;
    }
    adn_problem_view(offers->request->problem, contexts[answer->backend->index].device, &view);
    result = ADN_BACKEND_CALL(answer->backend->operation[view.operation]->candidates(
        context, &view, take_offer, &asking));
    offers->out_of_resources |= result == ANYDNN_STATUS_ALLOC_FAILED;
    if (result != 0) {
        answer->outcome = ADN_GARBAGE;
        snprintf(answer->reason, sizeof(answer->reason), "its function candidates failed (%d): %s",
                 (int)result, adn_load_error_text());
    } else if (asking.offered == 0 && asking.declined == 0) {
        snprintf(answer->reason, sizeof(answer->reason), "offered no candidate and gave no reason");
    }
}

void adn_offers_ask(struct adn_offers *offers, struct adn_answer *answer)
{
    if (answer->outcome != ADN_NOT_ASKED)
        return;
    answer->outcome = ADN_DECLINED;
    if (!is_refused(offers, answer))
        ask(offers, answer);
    answer->out_of_resources = offers->out_of_resources;
}
