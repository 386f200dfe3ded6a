/* SPDX-License-Identifier: Apache-2.0 */
/* Times a plan: the median of a few runs. Under `fastest` each sample is a row of runs, recorded if
 * the space can record, so that the host's launch time does not count. */
#include "dispatch/autotune/bench_env.h"

#include <stdlib.h>

#include "sys/error.h"
#include "sys/float_mode.h"

/* samples after the warm-up; fewer after ENOUGH microseconds in total */
#define SAMPLES 5
#define ENOUGH  100e3 /* microseconds */
/* A sample of `fastest` lasts at least this long, by consecutive runs, as calls follow each other
 * in a training step. At a quarter of a TB/s or faster, the runs then use all sets, which exceed
 * any cache. ROW_MAX bounds the number of runs. */
#define LONG_ENOUGH 1000.0 /* microseconds */
#define ROW_MAX     256
/* The extra time that one run between two marks may take, compared with a row. The device is idle
 * after the first mark until the host has launched the run. */
#define LAUNCH 20.0 /* microseconds */

static int32_t enqueue(struct adn_bench_env *env, const struct adn_plan *plan, int runs)
{
    int32_t effect = ANYDNN_PLUGIN_EFFECT_NONE;
    int32_t result = 0;

    for (int i = 0; i < runs && result == 0; i++) {
        adn_bench_env_turn(env);
        result = ADN_BACKEND_CALL(plan->execute(plan->body, &env->operands, &effect));
    }
    adn_float_standard();
    return result;
}

/* Takes one sample: `runs` runs, or the replay of a recording of them. *microseconds is the time of
 * one run. */
static int32_t sample(struct adn_bench_env *env, const struct adn_plan *plan, int runs,
                      void *recording, double *microseconds)
{
    const struct anydnn_plugin_space *space = env->space;
    void *stream = env->operands.stream;
    int32_t result = adn_bench_env_restore(env);

    if (result == 0)
        result = space->mark_record(env->device, stream, env->marks[0]);
    if (result == 0 && recording)
        result = ADN_BACKEND_CALL(space->record_replay(env->device, stream, recording));
    else if (result == 0)
        result = enqueue(env, plan, runs);
    if (result == 0)
        result = space->mark_record(env->device, stream, env->marks[1]);
    if (result == 0)
        result = space->mark_elapsed(env->device, env->marks[0], env->marks[1], microseconds);
    *microseconds /= runs;
    return result;
}

/* ---- rows */

/* Returns how many runs last long enough, given the time of one warm run. The number is a multiple
 * of the sets if it exceeds them, since every replay begins with the same set. */
static int row_of(const struct adn_bench_env *env, double one)
{
    int runs = one * ROW_MAX <= LONG_ENOUGH ? ROW_MAX : (int)(LONG_ENOUGH / one) + 1;

    if (!env->choices->fastest || one >= LONG_ENOUGH)
        return 1;
    return runs > env->sets ? (runs + env->sets - 1) / env->sets * env->sets : runs;
}

/* Records a row of runs. Returns NULL if that is impossible: for a single run, without an own
 * stream, or if the backend does more than enqueue work. */
static void *record(struct adn_bench_env *env, const struct adn_plan *plan, int runs)
{
    const struct adn_space *space = env->choices->handle->space;
    void *recording = NULL;
    int32_t result, ended;

    /* The recording begins with the same set as a sample, after the set that was filled last. */
    if (runs == 1 || !env->stream || !adn_space_captures(space) ||
        adn_bench_env_restore(env) != 0 ||
        ADN_BACKEND_CALL(env->space->record_begin(env->device, env->stream)) != 0)
        return NULL;
    env->operands.flags = ANYDNN_PLUGIN_OPERANDS_RECORDED;
    result = enqueue(env, plan, runs);
    env->operands.flags = 0;
    ended = adn_space_record_end(space, env->device, env->stream, &recording);
    if (result != 0 && ended == 0) {
        env->space->record_destroy(env->device, recording);
        recording = NULL;
    }
    return recording;
}

static int by_size(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

static int32_t median_of(struct adn_bench_env *env, const struct adn_plan *plan, int runs,
                         void *recording, double *median)
{
    double samples[SAMPLES], total = 0, warm_up;
    int count = 0;
    int32_t result = recording ? sample(env, plan, runs, recording, &warm_up) : 0;

    while (result == 0 && count < SAMPLES && (count == 0 || total < ENOUGH)) {
        result = sample(env, plan, runs, recording, &samples[count]);
        total += result == 0 ? samples[count++] * runs : 0;
    }
    if (result != 0)
        return result;
    qsort(samples, (size_t)count, sizeof(samples[0]), by_size);
    *median = samples[count / 2] > 0 ? samples[count / 2] : 0;
    return 0;
}

int32_t adn_bench_env_time(struct adn_bench_env *env, const struct adn_plan *plan, double hopeless,
                           double *microseconds)
{
    void *recording;
    double one = 0;
    int runs;
    int32_t result = sample(env, plan, 1, NULL, &one);

    /* The first run loads code. */
    if (result == 0 && env->choices->fastest && one < ENOUGH)
        result = sample(env, plan, 1, NULL, &one);
    if (result != 0)
        return result;
    if (hopeless >= 0 && one > hopeless + LAUNCH) {
        *microseconds = one;
        return 0;
    }
    runs = row_of(env, one);
    recording = record(env, plan, runs);
    result = median_of(env, plan, runs, recording, microseconds);
    if (recording)
        env->space->record_destroy(env->device, recording);
    /* A plan that cannot be replayed may still run. */
    return result != 0 && recording ? median_of(env, plan, runs, NULL, microseconds) : result;
}
