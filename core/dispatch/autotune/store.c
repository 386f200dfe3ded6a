/* SPDX-License-Identifier: Apache-2.0 */
/* Stores choices in the tuning file, under the keys of key.c. */
#include "dispatch/autotune/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem/operation.h"
#include "tuning/tuning.h"

static struct adn_tuning *file_of(anydnnHandle_t handle)
{
    const char *path = handle->global->settings->tuning;

    return strcmp(path, "off") == 0 ? NULL : adn_tuning_at(path);
}

/* ---- find */

static int find(struct adn_tuning *tuning, char *key, struct adn_tuned *tuned)
{
    int found = key && adn_tuning_find(tuning, key, tuned);

    free(key);
    return found;
}

/* Returns the problem whose record counts under `fastest`. There an algorithm's number is ignored,
 * unless it names a transform and thereby permits it. The record is then that of calls that name no
 * algorithm. */
static const struct adn_problem *without_number(const struct adn_problem *problem,
                                                struct adn_problem *copy)
{
    const char *name = adn_problem_algorithm_name(problem->operation, problem->algorithm);

    if (problem->algorithm == ADN_ALGORITHM_ANY || strstr(name, "fft") || strstr(name, "winograd"))
        return problem;
    adn_problem_copy(copy, problem);
    copy->algorithm = ADN_ALGORITHM_ANY;
    return copy;
}

int adn_tuned_find(struct adn_offers *offers, int32_t *backend, uint64_t *engine)
{
    struct adn_tuning *tuning = file_of(offers->handle);
    const struct adn_problem *problem = offers->request->problem;
    const struct adn_backend *found;
    struct adn_problem copy;
    struct adn_tuned tuned;

    if (!tuning)
        return 0;
    if (offers->rule->fastest)
        problem = without_number(problem, &copy);
    if (!find(tuning, adn_tuned_key(offers, problem), &tuned))
        return 0;
    found = adn_load_find(offers->handle->global->registry, tuned.backend);
    if (!found)
        return 0;
    *backend = found->index;
    *engine = tuned.engine;
    return 1;
}

static int by_rank(const void *left, const void *right)
{
    const struct adn_choice *a = left, *b = right;

    return a->rank - b->rank;
}

/* A choice and the time that it took earlier. */
struct timed {
    double microseconds;
    int32_t at;
};

static int by_time(const void *left, const void *right)
{
    const struct timed *a = left, *b = right;

    if (a->microseconds != b->microseconds)
        return a->microseconds < b->microseconds ? -1 : 1;
    return a->at - b->at;
}

static void problem_of(const struct adn_choices *choices, const struct adn_choice *choice,
                       struct adn_problem *problem)
{
    adn_problem_copy(problem, &choices->problem);
    problem->algorithm = choice->algorithm;
    problem->math = choice->math;
}

void adn_tuned_rank(struct adn_choices *choices)
{
    struct adn_tuning *tuning = file_of(choices->handle);
    struct timed *timed = tuning ? calloc((size_t)choices->count + 1, sizeof(*timed)) : NULL;
    int32_t count = 0;

    for (int32_t i = 0; timed && i < choices->count; i++) {
        const struct adn_choice *choice = &choices->choice[i];
        struct adn_problem problem;
        struct adn_tuned tuned;

        problem_of(choices, choice, &problem);
        if (choice->status == ANYDNN_STATUS_SUCCESS &&
            find(tuning, adn_tuned_key_of(choices->handle, &problem), &tuned) &&
            tuned.engine == choice->engine && strcmp(tuned.backend, choice->backend->name) == 0)
            timed[count++] = (struct timed){tuned.microseconds, i};
    }
    if (count > 0) {
        qsort(timed, (size_t)count, sizeof(*timed), by_time);
        for (int32_t i = 0; i < count; i++)
            choices->choice[timed[i].at].rank = i - count;
        qsort(choices->choice, (size_t)choices->count, sizeof(choices->choice[0]), by_rank);
    }
    free(timed);
}

/* ---- keep */

struct keeping {
    int count;
    char *key[ADN_SEARCH_MAX + 1];
    struct adn_tuned tuned[ADN_SEARCH_MAX + 1];
};

/* Returns the workspace limit if it excluded any choice, or UINT64_MAX. */
static uint64_t limit_of(const struct adn_choices *choices)
{
    for (int32_t i = 0; i < choices->count; i++)
        if (choices->choice[i].reason == ANYDNN_PLUGIN_REASON_MEMORY)
            return choices->workspace_limit;
    return UINT64_MAX;
}

static void keep(struct keeping *keeping, const struct adn_choices *choices,
                 const struct adn_choice *choice, char *key)
{
    struct adn_tuned *tuned = &keeping->tuned[keeping->count];

    if (!key)
        return;
    keeping->key[keeping->count++] = key;
    snprintf(tuned->backend, sizeof(tuned->backend), "%s", choice->backend->name);
    tuned->engine = choice->engine;
    tuned->limit = limit_of(choices);
    tuned->microseconds = choice->microseconds;
}

static void end_keeping(struct keeping *keeping, struct adn_tuning *tuning)
{
    if (keeping->count > 0)
        adn_tuning_keep(tuning, (const char *const *)keeping->key, keeping->tuned, keeping->count);
    while (keeping->count > 0)
        free(keeping->key[--keeping->count]);
}

/* Returns 1 if the choice suits calls that name no algorithm. Transforms run only if they are
 * named. */
static int is_for_any(const struct adn_choice *choice)
{
    return choice->status == ANYDNN_STATUS_SUCCESS && choice->microseconds >= 0 &&
           !(choice->notes & ANYDNN_PLUGIN_NOTE_TRANSFORM);
}

struct adn_tuning *adn_tuned_file(anydnnHandle_t handle)
{
    return handle->global->settings->tuning_mode == ADN_TUNING_READ ? NULL : file_of(handle);
}

char *adn_tuned_key_of_rivals(const struct adn_choices *choices)
{
    struct adn_problem copy;

    return adn_tuned_key(choices->offers, without_number(&choices->problem, &copy));
}

void adn_tuned_keep_one(const struct adn_choices *choices, const struct adn_choice *choice)
{
    struct adn_tuning *tuning = adn_tuned_file(choices->handle);
    struct keeping keeping;

    if (!tuning)
        return;
    keeping.count = 0;
    keep(&keeping, choices, choice, adn_tuned_key_of_rivals(choices));
    if (keeping.count > 0 && choices->partial && keeping.tuned[0].limit == UINT64_MAX)
        keeping.tuned[0].limit--;
    end_keeping(&keeping, tuning);
}

void adn_tuned_keep(const struct adn_choices *choices, int pairs)
{
    struct adn_tuning *tuning = adn_tuned_file(choices->handle);
    struct keeping keeping;
    int has_any = 0;

    keeping.count = 0;
    for (int i = 0; tuning && i < pairs; i++) {
        const struct adn_choice *choice = &choices->choice[i];
        struct adn_problem problem;

        if (choice->status != ANYDNN_STATUS_SUCCESS || choice->microseconds < 0)
            continue;
        problem_of(choices, choice, &problem);
        keep(&keeping, choices, choice, adn_tuned_key_of(choices->handle, &problem));
        if (has_any || !is_for_any(choice))
            continue;
        has_any = 1;
        keep(&keeping, choices, choice, adn_tuned_key_of(choices->handle, &choices->problem));
    }
    end_keeping(&keeping, tuning);
}
