/* SPDX-License-Identifier: Apache-2.0 */
/* One pair on one problem during the timing. */
#ifndef TOOLS_BENCH_RUNNER_H
#define TOOLS_BENCH_RUNNER_H

#include "tools/bench/bench.h"
#include "tools/bench/buffers.h"

struct runner {
    struct contender *contender;
    struct row *row;
    struct entrant entrant;
    const struct buffers *buffers;
    anydnnRecording_t *recording; /* use all sets in turn; NULL: calls are made */
    int recordings;               /* one by one */
    int calls;                    /* per recording */
    int next;                     /* index of the next recording or set */
    double estimate;
    double spent; /* microseconds, including the warm-up */
    double *sample;
    int samples;
};

/* Returns the microseconds between two marks around one call. Returns a negative value after a
 * failure; the library keeps the message. */
double runner_time_call(const struct contender *contender, const struct entrant *entrant,
                        void *const pointers[]);
/* Returns the same for the runner's next recording, or its next call. */
double runner_time_next(struct runner *runner);
/* Makes the plan and the recordings, and checks which backend ran: entrant.declined reports
 * another. Returns 0 after a failure. */
int runner_warm_up(struct runner *runner, double limit);
/* Fills the row from the record of the last call and from the samples. */
void runner_keep_record(struct runner *runner);
void runner_finish(struct runner *runner, const struct traffic *traffic);
void runner_release(struct runner *runner);

/* ---- outputs.c: computes those inputs that must be outputs of another operation. */
void bench_make_outputs(struct tool *tool, const struct contender *pair, const char *text,
                        const struct operands *operands, const struct buffers *buffers);

#endif
