/* SPDX-License-Identifier: Apache-2.0 */
/* One pair on one problem while it is being timed. */
#ifndef TOOLS_BENCH_RUNNER_H
#define TOOLS_BENCH_RUNNER_H

#include "tools/bench/bench.h"
#include "tools/bench/buffers.h"

struct runner {
    struct contender *contender;
    struct row *row;
    struct entrant entrant;
    const struct buffers *buffers;
    anydnnRecording_t *recording; /* one after the other through all sets; NULL: calls are made */
    int recordings;               /* one by one */
    int calls;                    /* in each recording */
    int next;                     /* recording or set */
    double estimate;
    double spent; /* microseconds, warming up included */
    double *sample;
    int samples;
};

/* Microseconds between two marks around one call; negative after a failure, whose sentence the
 * library keeps. */
double runner_time_call(const struct contender *contender, const struct entrant *entrant,
                        void *const pointers[]);
/* The same of the runner's next recording, or its next call. */
double runner_time_next(struct runner *runner);
/* Makes plan and recording; checks who ran: entrant.declined tells. 0 after a failure. */
int runner_warm_up(struct runner *runner, double limit);
/* Fills the row from the record of the last call, and from the samples. */
void runner_keep_record(struct runner *runner);
void runner_finish(struct runner *runner, const struct traffic *traffic);
void runner_release(struct runner *runner);

/* ---- outputs.c: makes inputs what the operation expects them to be, where that matters. */
void bench_make_outputs(struct tool *tool, const struct contender *pair, const char *text,
                        const struct operands *operands, const struct buffers *buffers);

#endif
