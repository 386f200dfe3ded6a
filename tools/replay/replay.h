/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn replay: the calls that a trace holds, each distinct one once. */
#ifndef TOOLS_REPLAY_REPLAY_H
#define TOOLS_REPLAY_REPLAY_H

#include <stdio.h>

#include "tools/common.h"
#include "tools/compare/compare.h"

/* ---- options.c */

struct replay_options {
    struct compare_options compare;
    unsigned long long line; /* 0: all */
    int reduce;
};
extern const struct tool_option replay_option_table[];

/* ---- read.c */

/* Calls that differ in nothing but their times; one whose operands were kept stands alone. */
struct replay_call {
    struct replay_call *next;   /* in the same bucket */
    struct replay_call *beside; /* the next one of the same side */
    unsigned hash;
    char *problem;
    char *backend;
    char *math;
    char *dump;       /* the number of its folder, or "-" */
    long long line;   /* where it stands first */
    long long count;  /* of calls */
    long long failed; /* of those that did not return success */
    long long wrong;  /* of those that shadow found wrong */
    long long timed;
    double time; /* sum of the times that were measured, in microseconds */
};

/* The calls that ran on one backend in one math mode. */
struct replay_side {
    struct replay_side *next; /* in the same bucket */
    struct replay_call *first, *last;
    unsigned hash;
};

struct replay_trace {
    struct replay_side **side; /* in the order of their first calls */
    size_t sides;
    size_t count;      /* of calls */
    long long lines;   /* whole ones */
    long long damaged; /* lines that were cut, or are none of a trace */
    /* Hash tables of `room` buckets each, which is at least the number of calls. */
    size_t room;
    struct replay_call **call_bucket;
    struct replay_side **side_bucket;
};

/* Reads a trace to its last whole line. Fails with a sentence where the file cannot be read or has
 * no call. */
int replay_read(struct tool *tool, const char *path, struct replay_trace *trace);
/* The same of an open file, which sentences call `path`. */
int replay_read_from(struct tool *tool, FILE *file, const char *path, struct replay_trace *trace);
void replay_free(struct replay_trace *trace);

/* ---- reduce.c */

/* Makes a problem whose side A is beyond its bound as small as it still shows that, and writes it
 * as a trace of its own, whose path is in `path`. */
int replay_reduce(struct compare *compare, const struct suite_item *item, const char *trace,
                  char *path, size_t size);

#endif
