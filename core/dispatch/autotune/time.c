/* SPDX-License-Identifier: Apache-2.0 */
/* How long each choice of a search takes: the median of a few runs between the space's marks. */
#include "dispatch/autotune/stand.h"
#include "dispatch/autotune/suspect.h"
#include "dispatch/handle/guard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "desc/names.h"
#include "sys/error.h"
#include "sys/float_mode.h"
#include "sys/log.h"

/* Runs after the first, which warms up; fewer once they have taken this long together. */
#define RUNS   5
#define ENOUGH 100e3 /* microseconds */
/* One mark to the other takes at least so long under `fastest`, by runs in a row. A device that has
 * waited for the host is idle at the first mark, so that what the host needs to launch the first
 * run counts, some microseconds that backends differ in; and runs in a row overlap as they do where
 * calls follow each other. */
#define LONG_ENOUGH 1000.0 /* microseconds */
#define BURST       64
/* What is not this part faster is a tie, which the earlier one wins. */
#define TIE 0.01
/* So many times the fastest one's time are out of the question under `fastest`, where time is
 * short: an engine that takes it warm is not run again, and other engines of its backend come last.
 */
#define HOPELESS 2.0

/* So many runs in a row; the time of one. */
static int32_t run_some(struct adn_stand *stand, const struct adn_plan *plan, int runs,
                        double *microseconds)
{
    int32_t effect = ANYDNN_PLUGIN_EFFECT_NONE;
    int32_t result = adn_stand_restore(stand);

    if (result == 0)
        result = stand->space->mark_record(stand->device, stand->operands.stream, stand->marks[0]);
    for (int i = 0; i < runs && result == 0; i++) {
        adn_stand_turn(stand);
        result = ADN_BACKEND_CALL(plan->execute(plan->body, &stand->operands, &effect));
    }
    adn_float_standard();
    if (result == 0)
        result = stand->space->mark_record(stand->device, stand->operands.stream, stand->marks[1]);
    if (result == 0)
        result = stand->space->mark_elapsed(stand->device, stand->marks[0], stand->marks[1],
                                            microseconds);
    *microseconds /= runs;
    return result;
}

static int by_size(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

/* How many runs take long enough together, as far as one that warms up tells. */
static int burst_of(const struct adn_choices *choices, double one)
{
    if (!choices->fastest || one >= LONG_ENOUGH)
        return 1;
    return one * BURST <= LONG_ENOUGH ? BURST : (int)(LONG_ENOUGH / one) + 1;
}

/* The least time of those that ran, of one backend or of all; -1 where none did. */
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

static int is_hopeless(const struct adn_choices *choices, double microseconds)
{
    double least = least_of(choices, NULL);

    return choices->fastest && least >= 0 && microseconds > HOPELESS * least;
}

/* The median of the runs after those that warm up, or what failed. */
static int32_t run_all(struct adn_stand *stand, const struct adn_plan *plan, double *median)
{
    double runs[RUNS], total = 0, warm_up = 0;
    int count = 0, burst = 1;
    int32_t result = run_some(stand, plan, 1, &warm_up);

    /* The first run loads code. */
    if (result == 0 && stand->choices->fastest && warm_up < ENOUGH) {
        result = run_some(stand, plan, 1, &warm_up);
        if (result == 0 && is_hopeless(stand->choices, warm_up)) {
            *median = warm_up;
            return 0;
        }
    }
    if (result == 0)
        burst = burst_of(stand->choices, warm_up);
    while (result == 0 && count < RUNS && (count == 0 || total < ENOUGH)) {
        result = run_some(stand, plan, burst, &runs[count]);
        total += result == 0 ? runs[count++] * burst : 0;
    }
    if (result != 0)
        return result;
    qsort(runs, (size_t)count, sizeof(runs[0]), by_size);
    *median = runs[count / 2] > 0 ? runs[count / 2] : 0;
    return 0;
}

/* The plan that a call which names the choice would get. */
static anydnnStatus_t make_plan(const struct adn_stand *stand, struct adn_choice *choice)
{
    const struct adn_choices *choices = stand->choices;
    struct adn_pin pin = {
        .engine = choice->engine, .backend = choice->backend->index, .searched = 1};
    struct adn_problem problem;
    struct adn_wish wish = {&problem, choices->workspace_limit, choices->alignment, NULL, &pin};
    anydnnStatus_t status;

    adn_problem_copy(&problem, &choices->problem);
    if (!choices->fastest) {
        problem.algorithm = choice->algorithm;
        problem.math = choice->math;
    }
    status = adn_select_plan(choices->handle, choices->entry, &wish, &choice->plan);
    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    choice->plan->hash = adn_problem_hash(&problem);
    choice->workspace = choice->plan->workspace;
    choice->notes = choice->plan->notes;
    return ANYDNN_STATUS_SUCCESS;
}

/* Makes and runs one choice; its failure, with the sentence, is its status. */
static anydnnStatus_t run_choice(struct adn_stand *stand, struct adn_choice *choice)
{
    const char *entry = stand->choices->entry;
    anydnnStatus_t status = make_plan(stand, choice);
    double microseconds;
    int32_t result;

    if (status != ANYDNN_STATUS_SUCCESS)
        return status;
    adn_load_error_clear();
    if (adn_stand_workspace(stand, choice->workspace) != 0) {
        choice->reason = ANYDNN_PLUGIN_REASON_MEMORY;
        return adn_fail(ANYDNN_STATUS_ALLOC_FAILED,
                        "%s: device %s has no %" PRIu64 " bytes left for the workspace of %s",
                        entry, stand->choices->handle->device_name, choice->workspace,
                        choice->backend->name);
    }
    result = run_all(stand, choice->plan, &microseconds);
    if (result == 0) {
        choice->microseconds = microseconds;
        return ANYDNN_STATUS_SUCCESS;
    }
    status = adn_fail(adn_plan_status(result), "%s: %s failed: %s", entry, choice->backend->name,
                      adn_load_error_text());
    stand->space->synchronize(stand->device, stand->operands.stream);
    return status;
}

/* Of two choices of a pair that ran only the faster one keeps its plan; of rivals for one problem
 * the earlier, where they tie. */
static void keep_faster(struct adn_choices *choices, struct adn_choice *latest)
{
    double tie = choices->fastest ? 1 - TIE : 1;

    for (int32_t i = 0; i < choices->count; i++) {
        struct adn_choice *other = &choices->choice[i];
        struct adn_choice *first = other < latest ? other : latest;
        struct adn_choice *second = other < latest ? latest : other;
        struct adn_choice *slower =
            second->microseconds >= first->microseconds * tie ? second : first;

        if (other == latest || !other->plan || !latest->plan ||
            (!choices->fastest && !adn_choice_same_pair(other, latest)))
            continue;
        adn_plan_release(slower->plan);
        slower->plan = NULL;
    }
}

static anydnnStatus_t time_choice(struct adn_stand *stand, struct adn_choice *choice)
{
    struct adn_choices *choices = stand->choices;
    struct adn_refusal refusal;
    anydnnStatus_t status;

    adn_refusal_begin(&refusal);
    choice->status = adn_suspect_runs(choices, choice);
    if (choice->status == ANYDNN_STATUS_SUCCESS)
        choice->status = run_choice(stand, choice);
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

/* Those that were not run yet, in order: of backends that have a chance, or of all. */
static anydnnStatus_t time_choices(struct adn_stand *stand, double began, int all)
{
    struct adn_choices *choices = stand->choices;
    anydnnStatus_t status = ANYDNN_STATUS_SUCCESS;

    for (int32_t i = 0; i < choices->count && status == ANYDNN_STATUS_SUCCESS; i++) {
        struct adn_choice *choice = &choices->choice[i];

        /* A reference is right, not fast: a contest that takes hours has no use. */
        if (choice->status != ANYDNN_STATUS_SUCCESS || choice->microseconds >= 0 ||
            (choice->backend->plugin->flags & ANYDNN_PLUGIN_REFERENCE) ||
            (!all && is_hopeless(choices, least_of(choices, choice->backend))))
            continue;
        choices->partial |= choices->limit_us > 0 && microseconds_now() - began > choices->limit_us;
        if (choices->partial)
            break;
        status = time_choice(stand, choice);
    }
    return status;
}

anydnnStatus_t adn_timing_run(struct adn_choices *choices,
                              const struct anydnn_plugin_operands *operands)
{
    double began = microseconds_now();
    struct adn_stand stand;
    anydnnStatus_t status = adn_stand_enter(&stand, choices, operands);

    if (status == ANYDNN_STATUS_SUCCESS)
        status = time_choices(&stand, began, 0);
    if (status == ANYDNN_STATUS_SUCCESS && choices->fastest && !choices->partial)
        status = time_choices(&stand, began, 1);
    adn_stand_leave(&stand);
    return status;
}
