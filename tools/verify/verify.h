/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn verify: what the command was asked for, and the two processes that do it. The parent reads
 * options, keeps time and reports; the child opens the backend and runs the cases. */
#ifndef TOOLS_VERIFY_VERIFY_H
#define TOOLS_VERIFY_VERIFY_H

#include "tools/common.h"

/* First argument of the child's command line; not for users. */
#define VERIFY_CHILD "--child"

struct verify_options {
    int quick; /* 2: without long sums, too */
    int stop;  /* at the first failure */
    const char *operation;
    const char *type;
    const char *problem;
    const char *vectors; /* a folder; NULL: the installed one */
    unsigned long long seed;
    unsigned long long fuzz;       /* random problems in place of the listed ones; 0: none */
    unsigned long long time_limit; /* seconds for the whole run; 0: none */
    unsigned long long case_limit; /* seconds for one case */
    unsigned long long processes;  /* that run the same cases at once */
    int ready, gate;               /* as in struct verify_orders */
    int shard;                     /* from 1 */
    int shards;
    char *name;      /* of the backend */
    char *path;      /* of its file, absolute */
    char *oracle;    /* the file of cpu_ref; NULL: there is none */
    char **settings; /* as verify_settings_read gives them */
    int by_path;     /* the user named a file */
};

/* Runs the cases in children and gathers what they say in `answer`. */
int verify_gather(struct tool *tool, const struct verify_options *options, json_t *answer);
/* Does so in options->processes processes at once, and merges their answers: each case counts once
 * for each process. */
int verify_gather_together(struct tool *tool, const struct verify_options *options, json_t *answer);

/* ---- orders.c, child.c */

/* What the child is told. */
struct verify_orders {
    unsigned long long fd;   /* what it says goes there, as JSON lines */
    unsigned long long from; /* the number of its first case */
    unsigned long long shard, shards;
    /* Of one of several processes, file descriptors; else 0. It writes a byte to `ready` before its
     * first case, and begins when it reads the end of `gate`. */
    unsigned long long ready, gate;
    unsigned long long seed;
    unsigned long long quick;
    unsigned long long fuzz;
    const char *name, *path; /* of the backend */
    const char *oracle;      /* the texts that follow may be NULL */
    const char *vectors;
    const char *operation;
    const char *type;
    const char *problem;
    char **settings; /* ends with NULL */
};

/* As a command line, NULL-terminated, to be freed with its strings. */
char **verify_orders_write(const struct verify_orders *orders);
/* From what stands behind VERIFY_CHILD, which lives as long. 0, or -1. */
int verify_orders_read(char **arguments, struct verify_orders *orders);
/* The child. */
int verify_child(char **arguments);

/* ---- settings.c */

/* What stands in [plugin ...] as set.KEY: lines "NAME.KEY=VALUE" up to a NULL. */
char **verify_settings_read(void);
void verify_settings_free(char **lines);
/* The value for a backend's key among such lines, or NULL. */
const char *verify_setting(void *lines, const char *backend, const char *key, uint32_t kind);

/* Draws conclusions, once all cases are in. */
void verify_finish(json_t *answer);
/* Prints the answer as text. */
void verify_report(const struct verify_options *options, const json_t *answer);
/* The command lines that repeat a failed problem. */
char *verify_repeat_run(const struct verify_options *options, const char *problem);
char *verify_repeat_verify(const struct verify_options *options, const char *problem);

#endif
