/* SPDX-License-Identifier: Apache-2.0 */
/* Implements `fastest`: it decides when and in which order candidates are timed for a plan, and
 * which one wins. */
#include "dispatch/autotune/fastest.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/autotune/store.h"
#include "dispatch/autotune/suspect.h"
#include "sys/error.h"
#include "sys/log.h"
#include "sys/process.h"

/* A contest: one timing in progress. Two contests at once on one device would disturb each other's
 * times. */
struct contest {
    struct contest *next;
    const struct adn_space *space;
    int32_t device;
    pthread_t thread;
};

static struct contest *contests;
static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t one_ended = PTHREAD_COND_INITIALIZER;
static uint64_t fork_number; /* fork number of the process that the contests are in */

static void guard(void)
{
    adn_process_fork_waits(&lock);
}

/* Forgets the contests of the parent process. In a child after fork(), their threads and waiters do
 * not exist. */
static void forget_parents(void)
{
    static const pthread_cond_t fresh = PTHREAD_COND_INITIALIZER;

    if (fork_number == adn_process_fork_number)
        return;
    fork_number = adn_process_fork_number;
    contests = NULL;
    one_ended = fresh;
}

/* Returns a contest that excludes this one: one on the same device, or one of this thread. The
 * latter happens when the backend under test calls this library. */
static const struct contest *other_contest(const struct contest *mine)
{
    for (const struct contest *at = contests; at; at = at->next)
        if (pthread_equal(at->thread, mine->thread) ||
            (at->space == mine->space && at->device == mine->device))
            return at;
    return NULL;
}

/* Enters a contest. Returns 1 if the device was free, 0 after waiting for another contest, or -1 if
 * this thread is in a contest. */
static int enter(struct contest *mine, anydnnHandle_t handle)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct contest *other;
    int alone = 1;

    *mine = (struct contest){.space = handle->space, .device = handle->device};
    mine->thread = pthread_self();
    pthread_once(&once, guard);
    pthread_mutex_lock(&lock);
    forget_parents();
    while ((other = other_contest(mine)) != NULL && alone >= 0) {
        alone = pthread_equal(other->thread, mine->thread) ? -1 : 0;
        if (alone == 0)
            pthread_cond_wait(&one_ended, &lock);
    }
    if (alone >= 0) {
        mine->next = contests;
        contests = mine;
    }
    pthread_mutex_unlock(&lock);
    return alone;
}

static void leave(const struct contest *mine)
{
    struct contest **at = &contests;

    pthread_mutex_lock(&lock);
    while (*at && *at != mine)
        at = &(*at)->next;
    if (*at)
        *at = mine->next;
    pthread_cond_broadcast(&one_ended);
    pthread_mutex_unlock(&lock);
}

/* Returns 1 if the tuning file is only read. Then only the file decides and nothing is timed, so
 * that processes that share it make the same choices. */
static int is_frozen(anydnnHandle_t handle)
{
    const struct adn_settings *settings = handle->global->settings;

    return settings->tuning_mode == ADN_TUNING_READ && strcmp(settings->tuning, "off") != 0;
}

/* Returns 1 during a recording, or while the application captures the stream. No mark can be
 * recorded on a captured stream. */
static int is_captured(anydnnHandle_t handle)
{
    const struct anydnn_plugin_space *space = handle->space->functions;
    void *mark = NULL;
    int captured;

    if (handle->recording)
        return 1;
    if (adn_space_mark_create(handle->space, handle->device, &mark) != 0)
        return 0;
    captured =
        space->mark_record(handle->device, handle->stream, mark) == ANYDNN_STATUS_NOT_SUPPORTED;
    space->mark_destroy(handle->device, mark);
    return captured;
}

/* Returns how many choices of the same backend precede this one. */
static int32_t turn_of(const struct adn_choices *choices, int32_t at)
{
    int32_t turn = 0;

    for (int32_t i = 0; i < at; i++)
        turn += choices->choice[i].backend == choices->choice[at].backend;
    return turn;
}

static int by_turn(const void *left, const void *right)
{
    const struct adn_choice *a = left, *b = right;

    return a->group != b->group ? a->group - b->group : a->rank - b->rank;
}

/* Orders the choices in rounds, each backend's best expected choice first. The time limit may end
 * the contest before all have run. */
static void take_turns(struct adn_choices *choices)
{
    for (int32_t i = 0; i < choices->count; i++) {
        choices->choice[i].group = turn_of(choices, i);
        choices->choice[i].rank = i;
    }
    qsort(choices->choice, (size_t)choices->count, sizeof(choices->choice[0]), by_turn);
}

static struct adn_choice *winner(struct adn_choices *choices)
{
    for (int32_t i = 0; i < choices->count; i++)
        if (choices->choice[i].plan && choices->choice[i].microseconds >= 0)
            return &choices->choice[i];
    return NULL;
}

/* Times the choices and picks the winner with its plan. Returns 0 if none ran. */
static int pick_winner(struct adn_choices *choices, struct adn_pick *pick)
{
    struct adn_choice *best;
    anydnnStatus_t status;

    take_turns(choices);
    adn_suspect_begin(choices);
    status = adn_timing_run(choices, NULL);
    adn_suspect_end(choices);
    best = status == ANYDNN_STATUS_SUCCESS ? winner(choices) : NULL;
    if (!best)
        return 0;
    *pick = best->pick;
    pick->plan = best->plan;
    pick->plan->timed = 1;
    best->plan = NULL;
    adn_tuned_keep_one(choices, best);
    return 1;
}

/* Queries all backends and times their offers. A single candidate is not timed; the order of the
 * route decides. */
static enum adn_fastest compete(struct adn_choices *choices, int dry, struct adn_pick *pick,
                                const char **reason)
{
    if (adn_choices_collect(choices) != ANYDNN_STATUS_SUCCESS || choices->count < 2)
        return ADN_FASTEST_NONE;
    if (dry) {
        *reason = "not timed yet; the first call times the engines and may choose another one";
        return ADN_FASTEST_NONE;
    }
    return pick_winner(choices, pick) ? ADN_FASTEST_TIMED : ADN_FASTEST_NONE;
}

/* Holds a contest, unless another thread timed the problem while this one waited. */
static enum adn_fastest hold_contest(struct adn_choices *choices, int dry, struct adn_pick *pick,
                                     const char **reason)
{
    struct adn_refusal unsaid;
    enum adn_fastest result;
    struct contest mine;
    uint64_t engine;
    int32_t backend;
    int entered = dry ? 1 : enter(&mine, choices->handle);

    if (entered < 0)
        return ADN_FASTEST_LATER;
    adn_refusal_begin(&unsaid);
    if (entered == 0 && adn_tuned_find(choices->offers, &backend, &engine))
        result = ADN_FASTEST_FOUND;
    else
        result = compete(choices, dry, pick, reason);
    if (result == ADN_FASTEST_NONE && choices->handle->space->poisoned)
        result = ADN_FASTEST_LOST;
    adn_refusal_end(&unsaid);
    if (!dry)
        leave(&mine);
    return result;
}

enum adn_fastest adn_fastest_pick(struct adn_offers *offers, const char *entry, int dry,
                                  struct adn_pick *pick, const char **reason)
{
    anydnnHandle_t handle = offers->handle;
    struct adn_choices *choices;
    enum adn_fastest result;

    *reason = "not timed: the tuning file is read-only and has no record of the problem";
    if (is_frozen(handle))
        return ADN_FASTEST_NONE;
    *reason = "not timed during a recording or capture; a later call times the engines and may "
              "choose another one";
    if (is_captured(handle))
        return ADN_FASTEST_LATER;
    *reason = "no engine can be timed: the order of the route decides";
    choices = calloc(1, sizeof(*choices));
    if (!choices)
        return ADN_FASTEST_NONE;
    choices->entry = entry;
    choices->handle = handle;
    choices->offers = offers;
    choices->fastest = 1;
    choices->alignment = ADN_ASSUMED_ALIGNMENT;
    choices->workspace_limit = handle->workspace_limit;
    choices->limit_us = 1e3 * handle->global->settings->tune_limit;
    adn_problem_copy(&choices->problem, offers->request->problem);
    result = hold_contest(choices, dry, pick, reason);
    if (result == ADN_FASTEST_NONE && !dry)
        adn_info("%s: no engine could be timed: the order of the route decides", entry);
    adn_choices_free(choices);
    free(choices);
    return result;
}
