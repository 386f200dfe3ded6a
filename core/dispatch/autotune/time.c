/* SPDX-License-Identifier: Apache-2.0 */
/* Times the choices of a search one by one: it makes each plan, times it, and keeps the fastest. */
#include "dispatch/autotune/bench_env.h"
#include "dispatch/autotune/suspect.h"
#include "dispatch/autotune/trial.h"
#include "dispatch/handle/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "desc/names.h"
#include "problem/operation.h"
#include "problem/text.h"
#include "sys/error.h"
#include "sys/log.h"

/* A candidate must be faster by this part to win; otherwise it ties, and the earlier one wins. */
#define TIE 0.01
/* Under `fastest`, where time is short, a candidate is hopeless if it takes this many times the
 * fastest time. An engine that is hopeless when warm is not run again. Other engines of its backend
 * run last. */
#define HOPELESS 2.0

/* Returns the least time among the candidates that ran, of one backend or of all, or -1 if none
 * ran. */
static double least_of(const struct adn_choices *choices, const struct adn_backend *backend)
{
    double least = -1;

    for (int32_t i = 0; i < choices->count; i++) {
        const struct adn_choice *choice = &choices->choice[i];

        if ((!backend || choice->backend == backend) && choice->microseconds >= 0 &&
            (least < 0 || choice->microseconds < least))
            least = choice->microseconds;
    }
    return least;
}

/* Returns the time beyond which a candidate is hopeless, or -1 if there is no limit. */
static double hopeless_beyond(const struct adn_choices *choices)
{
    double least = choices->fastest ? least_of(choices, NULL) : -1;

    return least < 0 ? -1 : HOPELESS * least;
}

static int is_hopeless(const struct adn_choices *choices, const struct adn_backend *backend)
{
    double beyond = hopeless_beyond(choices);

    return beyond >= 0 && least_of(choices, backend) > beyond;
}

static anydnnStatus_t status_of(const struct adn_offers *offers)
{
    return offers->out_of_resources ? ANYDNN_STATUS_ALLOC_FAILED : ANYDNN_STATUS_NOT_SUPPORTED;
}

static anydnnStatus_t make_picked(const struct adn_choices *choices, struct adn_offers *offers,
                                  struct adn_choice *choice, const struct adn_pick *pick)
{
    struct adn_plan *plan = adn_offers_make(offers, pick);

    if (!plan)
        return adn_fail(status_of(offers), "%s: %s: %s", choices->entry, pick->answer->name,
                        pick->answer->reason);
    adn_offers_tell_plan(plan, pick);
    plan->hash = adn_problem_hash(&plan->problem);
    choice->plan = plan;
    choice->workspace = plan->workspace;
    choice->notes = plan->notes;
    return ANYDNN_STATUS_SUCCESS;
}

/* Makes the plan that a call gets when it names the choice of a search. */
static anydnnStatus_t make_named(const struct adn_choices *choices, struct adn_choice *choice)
{
    struct adn_offers *offers = malloc(sizeof(*offers));
    struct adn_problem problem;
    struct adn_request request = {&problem, choices->workspace_limit, choices->alignment, NULL};
    struct adn_pick pick = {.by = ADN_BY_PIN, .searched = 1};
    char reason[300];
    anydnnStatus_t status;

    if (!offers)
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED, "%s: out of memory", choices->entry);
    adn_problem_copy(&problem, &choices->problem);
    problem.algorithm = choice->algorithm;
    problem.math = choice->math;
    adn_offers_begin(offers, choices->handle, &request);
    if (adn_offers_pick_engine(offers, choice->backend->index, choice->engine, ADN_FLAW_TRANSFORM,
                               &pick, reason, sizeof(reason)))
        status = make_picked(choices, offers, choice, &pick);
    else
        status = adn_fail(status_of(offers), "%s: %s", choices->entry, reason);
    adn_offers_free(offers);
    free(offers);
    return status;
}

/* Makes and runs one choice. A failure becomes the choice's status. */
static anydnnStatus_t run_choice(struct adn_bench_env *env, struct adn_choice *choice)
{
    const struct adn_choices *choices = env->choices;
    const char *entry = choices->entry;
    anydnnStatus_t status = choices->offers
                                ? make_picked(choices, choices->offers, choice, &choice->pick)
                                : make_named(choices, choice);
    double microseconds;
    int32_t result;

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_load_error_clear();
    if (adn_bench_env_workspace(env, choice->workspace) != 0) {
        choice->reason = ANYDNN_PLUGIN_REASON_MEMORY;
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED,
                        "%s: device %s cannot allocate %" PRIu64 " bytes for the workspace of %s",
                        entry, choices->handle->device_name, choice->workspace,
                        choice->backend->name);
    }
    result = adn_bench_env_time(env, choice->plan, hopeless_beyond(choices), &microseconds);
    if (result == 0) {
        choice->microseconds = microseconds;
        return ANYDNN_STATUS_SUCCESS;
    }
    status = adn_fail(adn_plan_status(result), "%s: %s failed: %s", entry, choice->backend->name,
                      adn_load_error_text());
    env->space->synchronize(env->device, env->operands.stream);
    return status;
}

/* Returns the slower of two choices that ran. Among rivals for one problem, the earlier one wins a
 * tie. */
static struct adn_choice *slower_of(const struct adn_choices *choices, struct adn_choice *one,
                                    struct adn_choice *other)
{
    double tie = choices->fastest ? 1 - TIE : 1;
    struct adn_choice *first = other < one ? other : one;
    struct adn_choice *second = other < one ? one : other;

    return second->microseconds >= first->microseconds * tie ? second : first;
}

/* Returns 1 if both have a plan and only one may keep it. */
static int are_rivals(const struct adn_choices *choices, const struct adn_choice *one,
                      const struct adn_choice *other)
{
    return one != other && one->plan && other->plan &&
           (choices->fastest || adn_choice_same_pair(one, other));
}

/* Returns 1 if no rival that ran before is faster. */
static int leads(struct adn_choices *choices, struct adn_choice *latest)
{
    for (int32_t i = 0; i < choices->count; i++)
        if (are_rivals(choices, &choices->choice[i], latest) &&
            slower_of(choices, latest, &choices->choice[i]) == latest)
            return 0;
    return 1;
}

/* Judges the results of a choice that would win so far, or of each if the settings want that. One
 * that gives wrong results counts as one that does not run. */
static anydnnStatus_t judge_leader(struct adn_bench_env *env, struct adn_choice *choice)
{
    struct adn_choices *choices = env->choices;
    int all = choices->handle->global->settings->tune_check == ADN_TUNE_CHECK_ALL;
    const char *words = choices->offers ? choice->pick.offer->words : NULL;
    char sentence[400], problem[1024];

    if ((!all && !leads(choices, choice)) ||
        adn_trial_passes(env, choice, sentence, sizeof(sentence)))
        return ANYDNN_STATUS_SUCCESS;
    adn_problem_print(&choice->plan->problem, NULL, problem, sizeof(problem));
    adn_warn("%s: %s engine %" PRIu64 "%s%s%s gives wrong results and is skipped: %s. Problem: %s",
             choices->entry, choice->backend->name, choice->engine, words ? " (" : "",
             words ? words : "", words ? ")" : "", sentence, problem);
    choice->microseconds = -1;
    adn_suspect_wrong(choices);
    if (choices->offers)
        adn_offers_condemn(choice->pick.answer, choice->engine);
    return adn_fail(ANYDNN_STATUS_EXECUTION_FAILED, "%s: %s gives wrong results: %s",
                    choices->entry, choice->backend->name, sentence);
}

/* Releases the plan of the slower of two choices of a pair that ran. */
static void keep_faster(struct adn_choices *choices, struct adn_choice *latest)
{
    for (int32_t i = 0; i < choices->count; i++) {
        struct adn_choice *slower = slower_of(choices, latest, &choices->choice[i]);

        if (!are_rivals(choices, &choices->choice[i], latest))
            continue;
        adn_plan_release(slower->plan);
        slower->plan = NULL;
    }
}

static anydnnStatus_t time_choice(struct adn_bench_env *env, struct adn_choice *choice)
{
    struct adn_choices *choices = env->choices;
    struct adn_refusal refusal;
    anydnnStatus_t status;

    adn_refusal_begin(&refusal);
    choice->status = adn_suspect_runs(choices, choice);
    if (choice->status == ANYDNN_STATUS_SUCCESS)
        choice->status = run_choice(env, choice);
    if (choice->status == ANYDNN_STATUS_SUCCESS)
        choice->status = judge_leader(env, choice);
    adn_refusal_end(&refusal);
    adn_info("%s: %s engine %" PRIu64 " as %s in %s: %.1f us%s%s", choices->entry,
             choice->backend->name, choice->engine,
             adn_problem_algorithm_name(choices->problem.operation, choice->algorithm),
             adn_math_name(choice->math), choice->microseconds,
             choice->status != ANYDNN_STATUS_SUCCESS ? ": " : "",
             choice->status != ANYDNN_STATUS_SUCCESS ? refusal.text : "");
    if (choice->status == ANYDNN_STATUS_SUCCESS) {
        keep_faster(choices, choice);
        return ANYDNN_STATUS_SUCCESS;
    }
    if (choices->failed.status == ANYDNN_STATUS_SUCCESS)
        choices->failed = refusal;
    adn_plan_release(choice->plan);
    choice->plan = NULL;
    if (choice->reason == ANYDNN_PLUGIN_REASON_NONE)
        choice->reason = ANYDNN_PLUGIN_REASON_OTHER;
    status = adn_guard_poisoned(choices->entry, choices->handle);
    if (status != ANYDNN_STATUS_SUCCESS)
        adn_suspect_lost(choices);
    return status;
}

static double microseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* Times, in order, the choices that have not run yet: those of backends that are not hopeless, or
 * all. */
static anydnnStatus_t time_choices(struct adn_bench_env *env, double began, int all)
{
    struct adn_choices *choices = env->choices;
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;

    for (int32_t i = 0; i < choices->count && status == ANYDNN_STATUS_SUCCESS; i++) {
        struct adn_choice *choice = &choices->choice[i];

        /* The reference backend is built to be correct, not fast. Timing it could take hours. */
        if (choice->status != ANYDNN_STATUS_SUCCESS || choice->microseconds >= 0 ||
            (choice->backend->plugin->flags & ANYDNN_PLUGIN_REFERENCE) ||
            (!all && is_hopeless(choices, choice->backend)))
            continue;
        choices->partial |= choices->limit_us > 0 && microseconds_now() - began > choices->limit_us;
        if (choices->partial)
            break;
        status = time_choice(env, choice);
    }
    return status;
}

anydnnStatus_t adn_timing_run(struct adn_choices *choices,
                              const struct anydnn_plugin_operands *operands)
{
    double began = microseconds_now();
    struct adn_bench_env env;
    anydnnStatus_t status = adn_bench_env_enter(&env, choices, operands);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = time_choices(&env, began, 0);
    if (status == ANYDNN_STATUS_SUCCESS && choices->fastest && !choices->partial)
        status = time_choices(&env, began, 1);
    adn_bench_env_leave(&env);
    return status;
}
