/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of shadow and checks: counts of calls, and texts about them, for a handle and for
 * the process. */
#ifndef ADN_SHADOW_FINDINGS_H
#define ADN_SHADOW_FINDINGS_H

#include <stdint.h>

#include "problem/problem.h"

/* The outcomes of calls that are counted. */
enum adn_count {
    ADN_COUNT_CALLS,       /* calls of the operations that are shadowed */
    ADN_COUNT_SAMPLED,     /* calls that were chosen, and then compared or skipped */
    ADN_COUNT_COMPARED,    /* calls that were compared with the reference */
    ADN_COUNT_MISMATCHES,  /* calls with an output beyond its bound */
    ADN_COUNT_OVER_BUDGET, /* skipped: no time */
    ADN_COUNT_OVER_MEMORY, /* skipped: no memory */
    ADN_COUNT_RECORDED,    /* skipped: a device captured the stream */
    ADN_COUNT_DECLINED,    /* skipped: the reference declined */
    ADN_COUNT_FAILED,      /* skipped: the call, the copies or the reference failed */
    ADN_COUNT_CHECKED,     /* calls whose outputs were checked for special values */
    ADN_COUNT_NAN,         /* calls with such an output */
    ADN_COUNT_INF,
    ADN_COUNT_ZERO,
    ADN_COUNTS
};

/* The findings on a handle. */
struct adn_findings {
    int64_t count[ADN_COUNTS];
    double ratio;    /* the largest of a call, in parts of its bound */
    double spent_us; /* in copies, the reference and the comparison */
    char *worst;     /* the problem with that ratio */
    char *mismatch;  /* the last mismatch in words */
    char *special;   /* the first call that a check names */
    char *passed;    /* why the last call was skipped */
};

/* Counts a call on the handle and in the process. */
void adn_findings_add(struct adn_findings *findings, enum adn_count which);
/* Adds the time that the shadow of a call took, whatever its outcome. */
void adn_findings_spend(struct adn_findings *findings, double microseconds);
/* Records the ratio of a compared call. */
void adn_findings_take(struct adn_findings *findings, double ratio,
                       const struct adn_problem *problem);
/* Replaces the text at `place` by a copy of `text`, or by NULL if memory is out. */
void adn_findings_say(char **place, const char *text);
/* Frees the texts. */
void adn_findings_free(struct adn_findings *findings);
/* Registers a report of the process's findings at exit. */
void adn_findings_at_exit(void);

#endif
