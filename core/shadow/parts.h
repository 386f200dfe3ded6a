/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share. */
#ifndef ADN_SHADOW_PARTS_H
#define ADN_SHADOW_PARTS_H

#include <time.h>

#include "dispatch/handle/handle.h"
#include "dispatch/handle/operand.h"
#include "judge/judge.h"
#include "settings/watch.h"
#include "shadow/shadow.h"

/* ---- findings.c */

/* What became of calls, on one handle or in the process. */
enum adn_count {
    ADN_COUNT_CALLS,       /* of the operations that are shadowed */
    ADN_COUNT_SAMPLED,     /* chosen, and then compared or passed over */
    ADN_COUNT_COMPARED,    /* held to the reference */
    ADN_COUNT_MISMATCHES,  /* with an output beyond its bound */
    ADN_COUNT_OVER_BUDGET, /* from here on passed over */
    ADN_COUNT_OVER_MEMORY,
    ADN_COUNT_RECORDED, /* a device was capturing */
    ADN_COUNT_DECLINED, /* by the reference */
    ADN_COUNT_FAILED,   /* the call itself, the copies or the reference */
    ADN_COUNT_CHECKED,  /* calls whose outputs were looked through */
    ADN_COUNT_NAN,      /* calls with such an output */
    ADN_COUNT_INF,
    ADN_COUNT_ZERO,
    ADN_COUNTS
};

struct adn_findings {
    int64_t count[ADN_COUNTS];
    double ratio;    /* the largest of a call, in parts of its bound */
    double spent_us; /* in copies, the reference and the comparison */
    char *worst;     /* the problem with that ratio */
    char *mismatch;  /* the last mismatch in words */
    char *special;   /* the first call that a check names */
    char *passed;    /* why the last one was passed over */
};

/* One more on the handle and in the process. */
void adn_findings_add(struct adn_findings *findings, enum adn_count which);
/* Time that a call's shadow took, whatever came of it. */
void adn_findings_spend(struct adn_findings *findings, double microseconds);
/* A call was compared. */
void adn_findings_take(struct adn_findings *findings, double ratio,
                       const struct adn_problem *problem);
/* A copy of the text takes the old one's place; without memory there is none. */
void adn_findings_say(char **place, const char *text);
void adn_findings_free(struct adn_findings *findings);
/* Tells what the process found when it exits. */
void adn_findings_at_exit(void);

/* ---- referee.c, reference.c: who runs a call once more */

struct adn_referee {
    anydnnHandle_t outer;
    anydnnHandle_t handle; /* where the reference works; NULL: none yet */
    void *stream;          /* of that handle, where its space makes streams */
    struct adn_store {
        void *memory;
        uint64_t bytes;
    } store[ADN_SLOTS + 1]; /* on the device, from run to run: operands, workspace */
    uint64_t fork_number;
    struct adn_reference wanted;
    char name[ANYDNN_PLUGIN_NAME_MAX + 1]; /* of the backend, once there is a handle */
    const struct adn_problem *problem;     /* of the call */
    int narrow;                            /* the last run was in the problem's own types */
    struct adn_method method;              /* of that run */
    char why[400];                         /* there is no handle */
};

/* Makes the handle where there is none; -1 with `why`. */
int adn_referee_open(struct adn_referee *referee);
void adn_referee_close(struct adn_referee *referee);
/* Gives back memory of the device. */
void adn_referee_drop(const struct adn_referee *referee, struct adn_store *store);
/* An oracle that runs on it; NULL in `run` of one that cannot be. */
void adn_referee_oracle(struct adn_referee *referee, struct adn_oracle *oracle);

/* ---- later.c */

/* Sampled calls of a device whose verdicts are not there yet. */
struct adn_backlog {
    struct adn_later *first, *last;
    int64_t count;
    struct adn_block *spare; /* for further calls */
    struct adn_block *lost;  /* whether copies to it are under way is not known */
    uint64_t bytes;          /* of all blocks */
    void *sign;              /* on the device: what is copied behind a call's outputs */
    void *probe;             /* a mark, which no stream takes while it is captured */
    uint64_t fork_number;    /* of the process that made them */
};

/* ---- shadow.c */

/* What is watched on a handle. */
struct adn_watch {
    struct adn_hook hook;
    anydnnHandle_t handle;
    struct adn_findings findings;

    struct adn_settings *shadow; /* [shadow] of this handle */
    struct adn_sample sample;
    uint64_t operations;
    double bound;
    double budget;
    struct adn_referee referee;
    struct adn_backlog backlog;
    struct timespec began;
    uint64_t random;
    int told_wait;

    struct adn_settings *check; /* [check] of this handle */
    uint32_t values;
    uint64_t check_operations;
    uint32_t told_values;
    void *counts; /* in the device's memory; NULL: none yet */
    uint64_t counts_fork;
};

/* A plan that is shadowed. */
struct adn_shadowed {
    struct adn_wrap wrap;
    struct adn_plan *plan;
    struct adn_watch *watch;
    uint64_t calls;
    int told; /* its first mismatch */
};

/* The factors of a call. */
void adn_watch_call(const struct adn_plan *plan, const struct anydnn_plugin_operands *operands,
                    struct adn_values *values);
/* Microseconds from one time to another. */
double adn_watch_between(const struct timespec *from, const struct timespec *to);

/* ---- compare.c */

/* A sampled call. */
struct adn_pass {
    struct adn_shadowed *own;
    struct adn_subject subject;
    char sentence[ADN_JUDGE_SENTENCE];
};

void adn_pass_begin(struct adn_pass *pass, struct adn_shadowed *own,
                    const struct anydnn_plugin_operands *operands);
/* Whether what the operand holds before the call must be kept. */
int adn_pass_reads(const struct adn_pass *pass, int slot);
/* The numbers that lie at `bytes`; 0, or -1 with the sentence. */
int adn_pass_take(struct adn_pass *pass, int slot, const unsigned char *bytes);
/* All that is read was taken; has the reference run and holds the outputs, `got` by slot, to what
 * it says. */
void adn_pass_judge(struct adn_pass *pass, const unsigned char *const got[ADN_SLOTS]);
/* Counted, and why. */
void adn_pass_over(struct adn_shadowed *own, enum adn_count why, const char *sentence);

/* ---- run.c */

/* Runs the call and its shadow. */
int32_t adn_shadow_run(struct adn_shadowed *own, const struct anydnn_plugin_operands *operands,
                       int32_t *effect);

/* ---- later.c */

/* Whether the handle's device copies without a wait. */
int adn_later_can(const struct adn_watch *watch);
/* Runs the call between copies in the order of its stream; the verdict comes later. */
int32_t adn_later_run(struct adn_shadowed *own, const struct anydnn_plugin_operands *operands,
                      int32_t *effect);
/* Gives the oldest call its verdict if its copies have arrived; before a call on `stream`. */
void adn_later_look(struct adn_watch *watch, void *stream);
/* Waits for the copies of all, and gives them their verdicts. */
void adn_later_settle(struct adn_watch *watch);
/* Frees what there is, calls without a verdict as well. */
void adn_later_end(struct adn_watch *watch);

/* ---- tell.c */

/* What is done about outputs beyond their bounds, of which `verdict` is the worst. */
void adn_shadow_tell(struct adn_shadowed *own, const struct adn_subject *subject, int slot,
                     const struct adn_verdict *verdict);

/* ---- check.c */

void adn_check_wrap(struct adn_watch *watch, struct adn_plan *plan);
/* With the watch. */
void adn_check_end(struct adn_watch *watch);

#endif
