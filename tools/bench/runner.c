/* SPDX-License-Identifier: Apache-2.0 */
/* Times a problem on one pair, as the time between two marks of the stream. They enclose one call,
 * or, for short calls, the replay of a recording of many. */
#include "tools/bench/runner.h"

#include <stdlib.h>
#include <string.h>

#define SUCCESS ANYDNN_STATUS_SUCCESS

/* The minimum length of a sample in microseconds: a thousand times the cost of a mark. */
#define SAMPLE 2000.0

/* ---- time */

/* Returns the time between two marks: around a replay, or around one call if there is no recording.
 * Returns a negative value after a failure; the library keeps the message. */
static double time_between(anydnnHandle_t handle, anydnnRecording_t recording,
                           const struct contender *contender, const struct entrant *entrant,
                           void *const pointers[])
{
    anydnnMark_t from = NULL;
    anydnnMark_t to = NULL;
    double microseconds = -1;
    anydnnStatus_t status = anydnnMark(handle, &from);

    if (status == SUCCESS)
        status = recording != NULL ? anydnnReplay(handle, recording)
                                   : entrant_call(contender, entrant, pointers);
    if (status == SUCCESS)
        status = anydnnMark(handle, &to);
    if (status == SUCCESS)
        status = anydnnMarkElapsed(handle, from, to, &microseconds);
    anydnnMarkDestroy(handle, from);
    anydnnMarkDestroy(handle, to);
    return status == SUCCESS && microseconds >= 0 ? microseconds : -1;
}

double runner_time_call(const struct contender *contender, const struct entrant *entrant,
                        void *const pointers[])
{
    return time_between(contender->handle, NULL, contender, entrant, pointers);
}

double runner_time_next(struct runner *runner)
{
    void *pointers[OPERANDS_MAX];
    int many = runner->recording != NULL ? runner->recordings : runner->buffers->sets;
    int at = runner->next % many;
    double microseconds;

    buffers_pointers(runner->buffers, at % runner->buffers->sets, pointers);
    microseconds = time_between(runner->contender->handle,
                                runner->recording != NULL ? runner->recording[at] : NULL,
                                runner->contender, &runner->entrant, pointers);
    runner->next = (at + 1) % many;
    runner->spent += microseconds;
    return microseconds;
}

/* ---- preparing */

/* Records enough calls for a sample of the minimum length, and uses the sets in turn. Ends a
 * recording also if a call failed: an open one would record what other contenders do on this
 * device. */
static anydnnStatus_t record_one(struct runner *runner, int index)
{
    void *pointers[OPERANDS_MAX];
    anydnnHandle_t handle = runner->contender->handle;
    anydnnStatus_t status = anydnnRecordBegin(handle), ended;
    int first = index * runner->calls;

    if (status != SUCCESS)
        return status;
    for (int i = first; i < first + runner->calls && status == SUCCESS; i++) {
        buffers_pointers(runner->buffers, i % runner->buffers->sets, pointers);
        status = entrant_call(runner->contender, &runner->entrant, pointers);
    }
    ended = anydnnRecordEnd(handle, &runner->recording[index]);
    return status == SUCCESS ? ended : status;
}

/* Makes enough recordings to use all sets. The first replay may set up state on the device, so each
 * is replayed once, unless that exceeds `limit`. */
static int record(struct runner *runner, double limit)
{
    int sets = runner->buffers->sets;
    size_t bytes;

    runner->calls = (int)(SAMPLE / (runner->estimate > 0.01 ? runner->estimate : 0.01)) + 1;
    if (runner->calls > sets)
        runner->calls = (runner->calls + sets - 1) / sets * sets;
    runner->recordings = (sets + runner->calls - 1) / runner->calls;
    bytes = (size_t)runner->recordings * sizeof(*runner->recording);
    runner->recording = memset(tool_alloc(bytes), 0, bytes);
    runner->next = 0;
    for (int i = 0; i < runner->recordings; i++)
        if (record_one(runner, i) != SUCCESS)
            return 0;
    for (int i = 0; i < runner->recordings && runner->spent < limit / 2; i++)
        if (runner_time_next(runner) < 0)
            return 0;
    return 1;
}

/* Makes two calls. The first makes the plan and may load a kernel, so the second determines the
 * duration. There is no second call if the first took as long as the limit. */
int runner_warm_up(struct runner *runner, double limit)
{
    runner->estimate = runner_time_next(runner);
    if (runner->estimate < 0)
        return 0;
    entrant_check(runner->contender, &runner->entrant, contender_chooses(runner->contender));
    if (runner->entrant.declined != NULL)
        return 1;
    if (runner->estimate < limit) {
        runner->spent = 0;
        runner->estimate = runner_time_next(runner);
    }
    if (runner->estimate < 0)
        return 0;
    runner->calls = 1;
    return runner->estimate >= SAMPLE || record(runner, limit);
}

void runner_keep_record(struct runner *runner)
{
    int64_t engine = 0;

    runner->row->algorithm = tool_ask_handle(runner->contender->handle, "algorithm");
    runner->row->workspace = runner->entrant.workspace;
    if (anydnnGetDispatchInfoInt(runner->contender->handle, "engine", &engine) == SUCCESS)
        runner->row->engine = engine;
    if (contender_chooses(runner->contender))
        runner->row->chosen = tool_ask_handle(runner->contender->handle, "backend");
}

/* ---- statistics */

static int by_size(const void *left, const void *right)
{
    const double *a = left;
    const double *b = right;

    return (*a > *b) - (*a < *b);
}

/* Returns a quantile, interpolated linearly between the two nearest samples. */
static double quantile(const double *sorted, int count, double fraction)
{
    double at = fraction * (count - 1);
    int below = (int)at;

    return below + 1 < count ? sorted[below] + (at - below) * (sorted[below + 1] - sorted[below])
                             : sorted[below];
}

void runner_finish(struct runner *runner, const struct traffic *traffic)
{
    struct row *row = runner->row;

    qsort(runner->sample, (size_t)runner->samples, sizeof(double), by_size);
    row->rounds = runner->samples;
    row->calls = runner->calls;
    row->least = runner->sample[0];
    row->median = quantile(runner->sample, runner->samples, 0.5);
    row->spread = row->median > 0 ? (quantile(runner->sample, runner->samples, 0.75) -
                                     quantile(runner->sample, runner->samples, 0.25)) /
                                        row->median
                                  : 0;
    row->tflops = row->median > 0 ? traffic->flops / row->median / 1e6 : 0;
    row->gbps = row->median > 0 ? traffic->bytes / row->median / 1e3 : 0;
}

void runner_release(struct runner *runner)
{
    for (int i = 0; i < runner->recordings; i++)
        anydnnRecordingDestroy(runner->contender->handle, runner->recording[i]);
    free(runner->recording);
    entrant_free(runner->contender, &runner->entrant);
    free(runner->sample);
}
