/* SPDX-License-Identifier: Apache-2.0 */
/* anydnn verify: its options and its two processes. The parent parses options, keeps time and
 * reports. The child opens the backend and runs the cases. */
#ifndef TOOLS_VERIFY_VERIFY_H
#define TOOLS_VERIFY_VERIFY_H

#include "tools/suite/suite.h"

/* The first argument of the child's command line; not for users. */
#define VERIFY_CHILD "--child"

struct verify_options {
    struct suite_options layers; /* the first member, as tools/suite requires */
    const char *suite;           /* its layers instead of the listed problems; NULL: none */
    char suite_lines[32];        /* a file with a line "LAYER PROBLEM" for each of its problems */
    int quick;                   /* 1: --quick; 2: --small, also without long sums */
    int stop;                    /* at the first failure */
    const char *operation;
    const char *type;
    const char *problem;
    const char *erratum; /* the id of the erratum to check; NULL: none */
    const char *vectors; /* a folder; NULL: the installed one */
    unsigned long long seed;
    unsigned long long fuzz; /* number of random problems instead of the listed ones; 0: none */
    unsigned long long time_limit; /* seconds for the whole run; 0: no limit */
    unsigned long long case_limit; /* seconds per case */
    unsigned long long processes;  /* number of processes that run the same cases at once */
    int ready, gate;               /* as in struct verify_orders */
    int shard;                     /* from 1 */
    int shards;
    char *name;      /* of the backend */
    char *path;      /* of its file, absolute */
    char *oracle;    /* the file of cpu_ref; NULL: none */
    char **settings; /* from verify_settings_read */
    int by_path;     /* 1 if the user named a file */
};

/* Returns the file of an installed backend, or NULL if there is none. The caller frees it. */
char *verify_installed(const char *name);
/* Runs the cases in children and collects their reports in `answer`. */
int verify_gather(struct tool *tool, const struct verify_options *options, json_t *answer);
/* Does so in options->processes processes at once and merges their answers. Each case counts once
 * per process. */
int verify_gather_together(struct tool *tool, const struct verify_options *options, json_t *answer);

/* ---- orders.c, child.c */

/* The orders to a child. */
struct verify_orders {
    unsigned long long fd;   /* descriptor for its reports, as JSON lines */
    unsigned long long from; /* the number of its first case */
    unsigned long long shard, shards;
    /* Descriptors if it is one of several processes, else 0. The child writes a byte to `ready`
     * before its first case, and begins when `gate` reports its end. */
    unsigned long long ready, gate;
    unsigned long long seed;
    unsigned long long quick;
    unsigned long long fuzz;
    const char *name, *path; /* of the backend */
    const char *oracle;      /* this and the following texts may be NULL */
    const char *vectors;
    const char *operation;
    const char *type;
    const char *problem;
    const char *erratum;
    const char *suite; /* a file of lines "LAYER PROBLEM" */
    char **settings;   /* NULL-terminated */
};

/* Returns the orders as a command line, NULL-terminated. The caller frees it with its strings. */
char **verify_orders_write(const struct verify_orders *orders);
/* Parses the arguments after VERIFY_CHILD, which must live as long. Returns 0, or -1. */
int verify_orders_read(char **arguments, struct verify_orders *orders);
/* Runs the child process. */
int verify_child(char **arguments);

/* ---- settings.c */

/* Returns the set.KEY settings of all sections [plugin ...]: NULL-terminated lines
 * "NAME.KEY=VALUE". */
char **verify_settings_read(void);
void verify_settings_free(char **lines);
/* Returns the value of a backend's key in such lines, or NULL. */
const char *verify_setting(void *lines, const char *backend, const char *key, uint32_t kind);

/* Derives the conclusions from all cases. */
void verify_finish(json_t *answer);
/* Prints the answer as text. */
void verify_report(const struct verify_options *options, const json_t *answer);
/* Return the command lines that repeat a failed problem. `edge` is NULL, or the side of operands at
 * which `run` shows the failure. */
char *verify_repeat_run(const struct verify_options *options, const char *problem,
                        const char *edge);
char *verify_repeat_verify(const struct verify_options *options, const char *problem);

#endif
