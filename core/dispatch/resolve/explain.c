/* SPDX-License-Identifier: Apache-2.0 */
/* Explains a problem's resolution: the rule, each backend's offers or reasons, and the choice. */
#include "dispatch/resolve/explain.h"
#include "dispatch/resolve/resolve.h"

#include <inttypes.h>
#include <stdlib.h>

#include "desc/names.h"
#include "problem/batch.h"
#include "problem/check_problem.h"
#include "problem/operation.h"
#include "sys/error.h"
#include "sys/text.h"

static const char *algorithm_name(const struct adn_offers *offers, const struct adn_offer *offer)
{
    int32_t algorithm = offer->candidate.algorithm;

    return algorithm == ADN_ALGORITHM_ANY
               ? "none"
               : adn_problem_algorithm_name(offers->request->problem->operation, algorithm);
}

static void explain_rule(const struct adn_offers *offers, struct adn_text *text)
{
    static const char *const fallbacks[] = {"off", "warn", "on"};
    const struct adn_route_rule *rule = offers->rule;

    adn_text_add(text, "device: %s\nrule: [route%s%s] %s = ", offers->handle->device_name,
                 rule->math >= 0 ? " " : "", rule->math >= 0 ? adn_math_name(rule->math) : "",
                 rule->pattern);
    if (rule->fastest)
        adn_text_add(text, "fastest, ");
    for (int32_t i = 0; i < offers->count; i++)
        adn_text_add(text, "%s%s", i > 0 ? ", " : "", offers->answer[i].name);
    adn_text_add(text, "\nfrom: %s\nfallback: %s\n", rule->origin, fallbacks[offers->fallback]);
}

static void explain_offer(const struct adn_offers *offers, const struct adn_answer *answer,
                          const struct adn_offer *offer, struct adn_text *text)
{
    const struct anydnn_plugin_candidate *candidate = &offer->candidate;
    char reason[sizeof(answer->reason)];

    adn_offers_reason(offers, answer, offer, reason, sizeof(reason));
    adn_text_add(text, "    engine %" PRIu64 ": %s math, algorithm %s, workspace %" PRIu64,
                 candidate->engine, adn_math_name(candidate->math), algorithm_name(offers, offer),
                 candidate->workspace);
    if (offer->words)
        adn_text_add(text, ", %s", offer->words);
    if (candidate->notes & ANYDNN_PLUGIN_NOTE_NONDETERMINISTIC)
        adn_text_add(text, ", nondeterministic");
    if (candidate->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM)
        adn_text_add(text, ", transform");
    if (candidate->expected_us > 0)
        adn_text_add(text, ", expected %.1f us", candidate->expected_us);
    adn_text_add(text, "%s%s\n", reason[0] != '\0' ? ": not chosen: " : "", reason);
}

/* Returns the name of the device, in another space, on which the backend serves the handle. */
static const char *staged_on(const struct adn_offers *offers, const struct adn_answer *answer,
                             char *device, size_t size)
{
    const struct anydnnContext *handle = offers->handle;

    adn_space_device_name(adn_global_space(handle->global, answer->backend->plugin->space),
                          handle->contexts[answer->backend->index].device, device, size);
    return device;
}

static void explain_backend(struct adn_offers *offers, struct adn_answer *answer,
                            struct adn_text *text)
{
    const struct anydnnContext *handle = offers->handle;
    char device[64];

    adn_text_add(text, "  %s", answer->name);
    if (answer->backend && answer->backend->stage == ADN_LOAD_LIVE)
        adn_text_add(text, " %s", answer->backend->plugin->version);
    adn_text_add(text, "\n");
    adn_offers_ask(offers, answer);
    for (int32_t i = 0; i < answer->offers; i++)
        explain_offer(offers, answer, &answer->offer[i], text);
    if (answer->outcome != ADN_OFFERED)
        adn_text_add(text, "    skipped: %s\n", answer->reason);
    else if (answer->staged)
        adn_text_add(
            text, "    staged: operands are copied from %s to %s and back%s\n", handle->device_name,
            staged_on(offers, answer, device, sizeof(device)),
            handle->global->settings->staging == ADN_STAGING_LAST
                ? "; queried if no backend of the handle's own memory space runs the problem"
                : "");
}

/* Runs the choosers on the collected offers, and reports why each one declined. */
static void explain_choice(struct adn_resolution *resolution, struct adn_text *text)
{
    static const char *const remarks[ADN_CHOOSERS] = {
        [ADN_BY_PIN] = " (pinned)", [ADN_BY_MEASURED] = " (measured before)"};
    const struct adn_offers *offers = &resolution->offers;
    const struct adn_pick *pick = &resolution->pick;
    int chosen = adn_resolution_choose(resolution);
    char device[64];

    for (int by = 0; by < ADN_CHOOSERS; by++)
        if (resolution->reason[by][0] != '\0')
            adn_text_add(text, "%s: %s\n", adn_chooser_name(by), resolution->reason[by]);
    if (!chosen) {
        adn_text_add(text, "choice: none; the call would return ANYDNN_STATUS_NOT_SUPPORTED\n");
        return;
    }
    adn_text_add(text,
                 "choice: %s engine %" PRIu64 ", %s math, algorithm %s, workspace %" PRIu64 "%s",
                 pick->answer->name, pick->offer->candidate.engine,
                 adn_math_name(pick->offer->candidate.math), algorithm_name(offers, pick->offer),
                 pick->answer->staged ? 0 : pick->offer->candidate.workspace,
                 remarks[pick->by] ? remarks[pick->by] : "");
    if (pick->answer->staged)
        adn_text_add(text, ", staged on %s",
                     staged_on(offers, pick->answer, device, sizeof(device)));
    adn_text_add(text, "\n");
}

anydnnStatus_t adn_dispatch_explain(anydnnHandle_t handle, const char *entry,
                                    const struct adn_problem *problem, char *buffer, size_t size,
                                    size_t *needed)
{
    struct adn_problem now, fixed;
    struct adn_request request = {&now, handle->workspace_limit, ADN_ASSUMED_ALIGNMENT, NULL};
    struct adn_resolution *resolution;
    struct adn_text text;
    anydnnStatus_t status = adn_problem_check(problem, entry);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    /* The resolution is too large for the stacks of some threads. */
    resolution = malloc(sizeof(*resolution));
    if (!resolution)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", entry);
    adn_problem_copy(&now, problem);
    adn_modes_apply(handle->modes, &now);
    if (adn_batch_fix(&now, &fixed)) {
        request.problem = &fixed;
        request.alignment = adn_batch_alignment(&fixed, ADN_ASSUMED_ALIGNMENT);
    }
    adn_text_begin(&text, buffer, size);
    adn_resolution_begin(resolution, handle, entry, &request, ADN_BY_PIN);
    resolution->dry = 1;
    explain_rule(&resolution->offers, &text);
    if (request.problem == &fixed)
        adn_text_add(&text, "batch invariant: chosen as for a batch of %lld\n",
                     (long long)adn_batch_samples(&fixed));
    adn_text_add(&text, "backends:\n");
    for (int32_t i = 0; i < resolution->offers.count; i++)
        explain_backend(&resolution->offers, &resolution->offers.answer[i], &text);
    adn_offers_reset_out_of_resources(&resolution->offers);
    explain_choice(resolution, &text);
    if (needed)
        *needed = text.length + 1;
    adn_resolution_end(resolution);
    free(resolution);
    return ANYDNN_STATUS_SUCCESS;
}
