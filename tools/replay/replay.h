/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn replay: the calls that a trace holds, each distinct one once. */
#ifndef TOOLS_REPLAY_REPLAY_H
#define TOOLS_REPLAY_REPLAY_H

#include "tools/common.h"

/* Calls that differ in nothing but their times. */
struct replay_call {
    struct replay_call *next; /* of the same hash */
    char *problem;
    char *backend;
    char *math;
    long long line;   /* where it stands first */
    long long count;  /* of calls */
    long long failed; /* of those that did not answer success */
    long long timed;
    double time; /* sum of the times that were measured, in microseconds */
};

#define REPLAY_BUCKETS 4096

struct replay_trace {
    struct replay_call **call; /* in the order of the file */
    size_t count;
    long long lines;   /* whole ones */
    long long damaged; /* lines that were cut, or are none of a trace */
    struct replay_call *bucket[REPLAY_BUCKETS];
};

/* Reads a trace to its last whole line. Fails with a sentence where the file cannot be read or has
 * no call. */
int replay_read(struct tool *tool, const char *path, struct replay_trace *trace);
void replay_free(struct replay_trace *trace);

#endif
