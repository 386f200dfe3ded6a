/* SPDX-License-Identifier: Apache-2.0 */
/* The choosers, in the order of their table, and the single pass through them that makes a plan. */
#include "dispatch/resolve/resolve.h"
#include "dispatch/autotune/fastest.h"
#include "dispatch/autotune/store.h"
#include "dispatch/foreign/staging.h"
#include "dispatch/handle/global.h"
#include "dispatch/handle/guard.h"
#include "dispatch/handle/keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/load.h"
#include "problem/batch.h"
#include "problem/text.h"
#include "settings/settings.h"
#include "sys/error.h"
#include "sys/log.h"

/* ---- choosers: each picks an offer, or declines with a reason */

/* Picks the choice that a workspace query, Get or Find pinned. A caller who passes on the algorithm
 * from Get or Find names a transform explicitly, so the transform flaw is waived. */
static int choose_pinned(struct adn_resolution *resolution)
{
    struct adn_offers *offers = &resolution->offers;
    const struct adn_problem *problem = offers->request->problem;
    const struct adn_pin *pin =
        adn_table_find_pin(&offers->handle->cache, problem, adn_problem_hash(problem));

    if (!pin)
        return 0;
    resolution->pick = (struct adn_pick){.by = ADN_BY_PIN, .searched = pin->searched};
    return adn_offers_pick_engine(offers, pin->backend, pin->engine, ADN_FLAW_TRANSFORM,
                                  &resolution->pick, resolution->reason[ADN_BY_PIN],
                                  sizeof(resolution->reason[0]));
}

/* Picks the choice that the tuning file records. */
static int choose_measured(struct adn_resolution *resolution)
{
    uint64_t engine;
    int32_t backend;

    if (!adn_tuned_find(&resolution->offers, &backend, &engine))
        return 0;
    resolution->pick = (struct adn_pick){.by = ADN_BY_MEASURED, .searched = 1};
    return adn_offers_pick_engine(&resolution->offers, backend, engine, 0, &resolution->pick,
                                  resolution->reason[ADN_BY_MEASURED],
                                  sizeof(resolution->reason[0]));
}

/* Picks the fastest candidate by timing, if the route begins with `fastest`. */
static int choose_fastest(struct adn_resolution *resolution)
{
    struct adn_offers *offers = &resolution->offers;
    enum adn_fastest result;
    const char *reason;

    if (!offers->rule->fastest || offers->request->excluded)
        return 0;
    result =
        adn_fastest_pick(offers, resolution->entry, resolution->dry, &resolution->pick, &reason);
    if (result == ADN_FASTEST_FOUND)
        return choose_measured(resolution);
    if (result == ADN_FASTEST_LOST)
        resolution->status = adn_guard_poisoned(resolution->entry, offers->handle);
    resolution->transient |= result == ADN_FASTEST_LATER;
    snprintf(resolution->reason[ADN_BY_FASTEST], sizeof(resolution->reason[0]), "%s", reason);
    return result == ADN_FASTEST_TIMED;
}

/* Picks by the order of the route. */
static int choose_by_route(struct adn_resolution *resolution)
{
    resolution->pick = (struct adn_pick){.by = ADN_BY_ROUTE};
    return adn_offers_pick_first(&resolution->offers, &resolution->pick);
}

static const struct {
    const char *name;
    int (*choose)(struct adn_resolution *resolution);
} choosers[ADN_CHOOSERS] = {
    [ADN_BY_PIN] = {"pin", choose_pinned},
    [ADN_BY_MEASURED] = {"measured", choose_measured},
    [ADN_BY_FASTEST] = {"fastest", choose_fastest},
    [ADN_BY_ROUTE] = {"route", choose_by_route},
};

const char *adn_chooser_name(enum adn_chooser chooser)
{
    return choosers[chooser].name;
}

/* ---- the pass */

void adn_resolution_begin(struct adn_resolution *resolution, anydnnHandle_t handle,
                          const char *entry, const struct adn_request *request,
                          enum adn_chooser first)
{
    memset(resolution, 0, sizeof(*resolution));
    resolution->entry = entry;
    resolution->by = first;
    adn_offers_begin(&resolution->offers, handle, request);
}

void adn_resolution_end(struct adn_resolution *resolution)
{
    adn_offers_free(&resolution->offers);
}

/* Returns 1 if the pick has a plan. Timing may have made it already; otherwise the backend makes it
 * now. */
static int make(struct adn_resolution *resolution)
{
    struct adn_pick *pick = &resolution->pick;

    if (!resolution->dry && !pick->plan)
        pick->plan = adn_offers_make(&resolution->offers, pick);
    if (!resolution->dry && !pick->plan)
        snprintf(resolution->reason[resolution->by], sizeof(resolution->reason[0]), "%.290s",
                 pick->answer->reason);
    return resolution->dry || pick->plan;
}

int adn_resolution_choose(struct adn_resolution *resolution)
{
    struct adn_offers *offers = &resolution->offers;

    for (; resolution->by < ADN_CHOOSERS; resolution->by++) {
        while (!offers->out_of_resources && choosers[resolution->by].choose(resolution))
            if (make(resolution))
                return 1;
        if (resolution->status != ANYDNN_STATUS_SUCCESS)
            return 0;
        if (offers->out_of_resources && resolution->by < ADN_BY_ROUTE) {
            /* The next chooser may have enough memory. Its choice is then not kept. */
            resolution->transient = 1;
            adn_offers_reset_out_of_resources(offers);
        }
    }
    return 0;
}

/* ---- messages */

/* Logs, at level debug, one line for each backend that was queried, with the outcome. */
static void tell_answers(struct adn_resolution *resolution, const struct adn_plan *plan)
{
    const struct adn_offers *offers = &resolution->offers;
    char *problem = resolution->text;

    if (!adn_log_on(ADN_LOG_DEBUG))
        return;
    adn_problem_print(offers->request->problem, NULL, problem, sizeof(resolution->text));
    for (int32_t i = 0; i < offers->count; i++) {
        const struct adn_answer *answer = &offers->answer[i];
        int chosen = plan && plan->backend == answer->backend;

        if (answer->outcome == ADN_OFFERED || chosen)
            adn_debug("queried %s: %s: %s", answer->name, chosen ? "chosen" : "offered, not chosen",
                      problem);
        else if (answer->outcome != ADN_NOT_ASKED)
            adn_debug("queried %s: skipped: %s: %s", answer->name, answer->reason, problem);
    }
}

/* Warns once per process of a rule that chooses the plain kernels of cuda_naive although cuda_simt
 * is installed and the rule does not name it. Settings written before cuda_simt existed name
 * cuda_naive for the fast kernels. A program that requests one backend without fallback, as shadow
 * does, gets no warning. */
static void warn_of_plain_kernels(const struct adn_offers *offers, const struct adn_plan *plan)
{
    static const char plain[] = "cuda_naive", fast[] = "cuda_simt";
    const struct adn_backend *other;

    if (strcmp(plan->backend->name, plain) != 0 ||
        (offers->rule->layer == ADN_LAYER_API && plan->fallback == ADN_FALLBACK_OFF))
        return;
    for (int32_t i = 0; i < offers->rule->count; i++)
        if (strcmp(offers->rule->backend[i], fast) == 0)
            return;
    other = adn_load_find(offers->handle->global->registry, fast);
    if (other && (other->stage == ADN_LOAD_KNOWN || other->stage == ADN_LOAD_LIVE) &&
        adn_log_first(plain, strlen(plain), fast))
        adn_warn("%s: the route `%s` selects %s, whose kernels are simple and slow, and does not "
                 "name %s, which has fast ones",
                 offers->rule->origin, offers->rule->pattern, plain, fast);
}

/* Counts and reports a fallback, and logs that the plan was made. */
static void tell(struct adn_resolution *resolution)
{
    const struct adn_pick *pick = &resolution->pick;
    const struct adn_plan *plan = pick->plan;
    anydnnHandle_t handle = resolution->offers.handle;
    int fell_back = plan->past_first && !pick->searched;

    handle->counters.fallbacks += fell_back;
    if (plan->staged)
        adn_stage_warn(handle, plan);
    warn_of_plain_kernels(&resolution->offers, plan);
    if (fell_back && plan->fallback == ADN_FALLBACK_WARN && !plan->staged &&
        adn_log_on(ADN_LOG_WARN)) {
        adn_problem_print(&plan->problem, NULL, resolution->text, sizeof(resolution->text));
        adn_warn("fell back to %s (%.*s) for %s", plan->backend->name,
                 (int)strcspn(plan->passed_over, "\n"), plan->passed_over, resolution->text);
    }
    if (pick->by != ADN_BY_FASTEST)
        adn_offers_tell_plan(plan, pick);
}

/* Chooses and makes the plan of exactly this problem. */
static anydnnStatus_t resolve_exactly(anydnnHandle_t handle, const char *entry,
                                      const struct adn_request *request, enum adn_chooser first,
                                      struct adn_plan **out)
{
    struct adn_resolution *resolution = malloc(sizeof(*resolution));
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;
    struct adn_plan *plan = NULL;

    if (!resolution)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", entry);
    adn_resolution_begin(resolution, handle, entry, request, first);
    if (adn_resolution_choose(resolution))
        plan = resolution->pick.plan;
    tell_answers(resolution, plan);
    if (plan) {
        plan->transient = resolution->transient;
        if (resolution->pick.by == ADN_BY_MEASURED)
            plan->timed = handle->global->settings->tuning_mode != ADN_TUNING_READ;
        tell(resolution);
        *out = plan;
    } else if (resolution->status != ANYDNN_STATUS_SUCCESS) {
        status = resolution->status;
    } else {
        status = adn_offers_refuse(&resolution->offers, entry);
    }
    adn_resolution_end(resolution);
    free(resolution);
    return status;
}

/* ---- batch invariance */

/* Pins a choice that timing made, so that a later contest for another batch cannot differ from it.
 */
static anydnnStatus_t pin_timed(anydnnHandle_t handle, const char *entry,
                                const struct adn_plan *chosen)
{
    return chosen->timed ? adn_keep_choice(entry, handle, &chosen->problem, chosen->backend->index,
                                           chosen->engine, 1)
                         : ANYDNN_STATUS_SUCCESS;
}

/* Chooses for the problem with a fixed batch, and makes the plan of the chosen engine for the
 * call's batch. A choice that a lack of memory or a recording influenced would depend on more than
 * the problem, so it is refused. */
static anydnnStatus_t resolve_batch(anydnnHandle_t handle, const char *entry,
                                    const struct adn_request *request,
                                    const struct adn_problem *fixed, enum adn_chooser first,
                                    struct adn_plan **out)
{
    uint32_t alignment = adn_batch_alignment(fixed, ADN_ASSUMED_ALIGNMENT);
    struct adn_request at_fixed = {fixed, request->workspace_limit, alignment, request->excluded};
    struct adn_request at_call = {request->problem, request->workspace_limit, alignment,
                                  request->excluded};
    struct adn_plan *chosen = NULL;
    anydnnStatus_t status = resolve_exactly(handle, entry, &at_fixed, first, &chosen);

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    if (chosen->transient)
        status = adn_fail(ANYDNN_STATUS_NOT_SUPPORTED,
                          "%s: batch invariance needs a choice that later calls repeat, and none "
                          "can be made now: memory is out, or the stream is recorded; run the "
                          "problem once before",
                          entry);
    else
        status = pin_timed(handle, entry, chosen);
    if (status == ANYDNN_STATUS_SUCCESS && adn_problem_equal(fixed, request->problem)) {
        *out = chosen;
        return status;
    }
    if (status == ANYDNN_STATUS_SUCCESS)
        status = adn_offers_remake(handle, entry, &at_call, chosen, out);
    adn_plan_release(chosen);
    return status;
}

anydnnStatus_t adn_resolve(anydnnHandle_t handle, const char *entry,
                           const struct adn_request *request, enum adn_chooser first,
                           struct adn_plan **out)
{
    struct adn_problem fixed;

    return adn_batch_fix(request->problem, &fixed)
               ? resolve_batch(handle, entry, request, &fixed, first, out)
               : resolve_exactly(handle, entry, request, first, out);
}
