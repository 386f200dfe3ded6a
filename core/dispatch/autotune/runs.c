/* SPDX-License-Identifier: Apache-2.0 */
/* How long a plan takes: the median of a few runs or, under `fastest`, of rows of them that are
 * recorded, where the space records, so that what the host needs to launch one does not count. */
#include "dispatch/autotune/stand.h"

#include <stdlib.h>

#include "sys/error.h"
#include "sys/float_mode.h"

/* Samples after the runs that warm up; fewer once they have taken this long together. */
#define SAMPLES 5
#define ENOUGH  100e3 /* microseconds */
/* A sample of `fastest` lasts at least so long, by runs in a row, as calls follow each other in a
 * step. Data that go at a quarter of a TB/s or faster then come round through all sets, beyond any
 * cache; of the slowest and smallest problems not so many runs are made. */
#define LONG_ENOUGH 1000.0 /* microseconds */
#define ROW_MAX     256
/* What one run between two marks may take longer than in a row: the device is idle at the first
 * mark until the host has launched it. */
#define LAUNCH 20.0 /* microseconds */

static int32_t enqueue(struct adn_stand *stand, const struct adn_plan *plan, int runs)
{
    int32_t effect = ANYDNN_PLUGIN_EFFECT_NONE;
    int32_t result = 0;

    for (int i = 0; i < runs && result == 0; i++) {
        adn_stand_turn(stand);
        result = ADN_BACKEND_CALL(plan->execute(plan->body, &stand->operands, &effect));
    }
    adn_float_standard();
    return result;
}

/* So many runs, or a recording of so many; the time of one. */
static int32_t sample(struct adn_stand *stand, const struct adn_plan *plan, int runs,
                      void *recording, double *microseconds)
{
    const struct anydnn_plugin_space *space = stand->space;
    void *stream = stand->operands.stream;
    int32_t result = adn_stand_restore(stand);

    if (result == 0)
        result = space->mark_record(stand->device, stream, stand->marks[0]);
    if (result == 0 && recording)
        result = ADN_BACKEND_CALL(space->record_replay(stand->device, stream, recording));
    else if (result == 0)
        result = enqueue(stand, plan, runs);
    if (result == 0)
        result = space->mark_record(stand->device, stream, stand->marks[1]);
    if (result == 0)
        result = space->mark_elapsed(stand->device, stand->marks[0], stand->marks[1], microseconds);
    *microseconds /= runs;
    return result;
}

/* ---- rows */

/* As many as last long enough, as far as one that warmed up tells; round all sets, where they are
 * fewer, since every replay begins with the first. */
static int row_of(const struct adn_stand *stand, double one)
{
    int runs = one * ROW_MAX <= LONG_ENOUGH ? ROW_MAX : (int)(LONG_ENOUGH / one) + 1;

    if (!stand->choices->fastest || one >= LONG_ENOUGH)
        return 1;
    return runs > stand->sets ? (runs + stand->sets - 1) / stand->sets * stand->sets : runs;
}

/* NULL where there is none to be had: of one run, on the application's own stream, or of a backend
 * that does something else than to enqueue. */
static void *record(struct adn_stand *stand, const struct adn_plan *plan, int runs)
{
    const struct adn_space *space = stand->choices->handle->space;
    void *recording = NULL;
    int32_t result, ended;

    /* The sets begin as they do in a sample, behind what was filled last. */
    if (runs == 1 || !stand->stream || adn_stand_restore(stand) != 0 ||
        ADN_BACKEND_CALL(stand->space->record_begin(stand->device, stand->stream)) != 0)
        return NULL;
    result = enqueue(stand, plan, runs);
    ended = adn_space_record_end(space, stand->device, stand->stream, &recording);
    if (result != 0 && ended == 0) {
        stand->space->record_destroy(stand->device, recording);
        recording = NULL;
    }
    return recording;
}

static int by_size(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return *a < *b ? -1 : *a > *b;
}

static int32_t median_of(struct adn_stand *stand, const struct adn_plan *plan, int runs,
                         void *recording, double *median)
{
    double samples[SAMPLES], total = 0, warm_up;
    int count = 0;
    int32_t result = recording ? sample(stand, plan, runs, recording, &warm_up) : 0;

    while (result == 0 && count < SAMPLES && (count == 0 || total < ENOUGH)) {
        result = sample(stand, plan, runs, recording, &samples[count]);
        total += result == 0 ? samples[count++] * runs : 0;
    }
    if (result != 0)
        return result;
    qsort(samples, (size_t)count, sizeof(samples[0]), by_size);
    *median = samples[count / 2] > 0 ? samples[count / 2] : 0;
    return 0;
}

int32_t adn_stand_time(struct adn_stand *stand, const struct adn_plan *plan, double hopeless,
                       double *microseconds)
{
    void *recording;
    double one = 0;
    int runs;
    int32_t result = sample(stand, plan, 1, NULL, &one);

    /* The first run loads code. */
    if (result == 0 && stand->choices->fastest && one < ENOUGH)
        result = sample(stand, plan, 1, NULL, &one);
    if (result != 0)
        return result;
    if (hopeless >= 0 && one > hopeless + LAUNCH) {
        *microseconds = one;
        return 0;
    }
    runs = row_of(stand, one);
    recording = record(stand, plan, runs);
    result = median_of(stand, plan, runs, recording, microseconds);
    if (recording)
        stand->space->record_destroy(stand->device, recording);
    /* What cannot be replayed may run all the same. */
    return result != 0 && recording ? median_of(stand, plan, runs, NULL, microseconds) : result;
}
