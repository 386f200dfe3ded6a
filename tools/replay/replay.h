/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn replay: the distinct calls of a trace. */
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

/* The calls that differ only in their times. A call whose operands were kept has its own entry. */
struct replay_call {
    struct replay_call *next;   /* in the same bucket */
    struct replay_call *beside; /* the next call of the same side */
    unsigned hash;
    char *problem;
    char *backend;
    char *math;
    char *dump;       /* number of its folder, or "-" */
    long long line;   /* line of the first occurrence */
    long long count;  /* number of calls */
    long long failed; /* calls that did not return success */
    long long wrong;  /* calls that shadow found wrong */
    long long timed;
    double time; /* sum of the measured times in microseconds */
};

/* The calls that ran on one backend in one math mode. */
struct replay_side {
    struct replay_side *next; /* in the same bucket */
    struct replay_call *first, *last;
    unsigned hash;
};

/* The newest schema of a trace that is read (core/trace/file.c writes it). */
#define REPLAY_SCHEMA 1

struct replay_trace {
    struct replay_side **side; /* in the order of their first calls */
    size_t sides;
    size_t count;      /* number of calls */
    long long lines;   /* complete lines */
    long long damaged; /* lines that were truncated, or are not lines of a trace */
    long newer;        /* the schema, if it is newer than REPLAY_SCHEMA */
    /* The hash tables of `capacity` buckets each, which is at least the number of calls. */
    size_t capacity;
    struct replay_call **call_bucket;
    struct replay_side **side_bucket;
};

/* Reads a trace to its last complete line. Fails with a message if the file cannot be read or
 * contains no call. */
int replay_read(struct tool *tool, const char *path, struct replay_trace *trace);
/* Does the same with an open file, which messages call `path`. */
int replay_read_from(struct tool *tool, FILE *file, const char *path, struct replay_trace *trace);
void replay_free(struct replay_trace *trace);

/* ---- reduce.c */

/* Reduces a problem whose side A exceeds its bound, as far as the mismatch remains, and writes it
 * as a separate trace. Its path is stored in `path`. */
int replay_reduce(struct compare *compare, const struct suite_item *item, const char *trace,
                  char *path, size_t size);

#endif
