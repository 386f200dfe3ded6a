/* SPDX-License-Identifier: Apache-2.0 */
/* A plan: the choice made for a problem in one handle, ready to run. */
#ifndef ADN_DISPATCH_PLAN_PLAN_H
#define ADN_DISPATCH_PLAN_PLAN_H

#include "dispatch/plan/call.h"
#include "load/load.h"
#include "problem/problem.h"
#include "settings/settings.h"

struct adn_staged;
struct adn_wrap;

/* The backends that failed at execution, by registry index. NULL means none. */
struct adn_excluded {
    int32_t count;
    int32_t index[];
};

int adn_excluded_has(const struct adn_excluded *excluded, int32_t index);
/* Returns a copy with one more backend (-1: none), which the caller frees, or NULL when memory runs
 * out. */
struct adn_excluded *adn_excluded_copy(const struct adn_excluded *excluded, int32_t more);

struct adn_plan {
    /* Read by every call. */
    int32_t (*execute)(struct anydnn_plugin_plan *plan,
                       const struct anydnn_plugin_operands *operands, int32_t *effect);
    struct anydnn_plugin_plan *body;
    uint64_t workspace;
    uint32_t slot_count;
    uint32_t fork_safe;       /* 1 if it works in a child process after fork() */
    uint32_t used;            /* 1 if used since the clock's hand last passed it */
    uint32_t largest_mask;    /* the OR of `mask` */
    uint32_t mask[ADN_SLOTS]; /* required alignment minus 1 */
    /* The choice and its reasons. */
    struct adn_staged *staged; /* NULL: the backend works in the handle's own space */
    const char *staged_on; /* the backend's device in another space, such as "mockdev:0", or NULL */
    struct adn_wrap *wraps;          /* functions that run before execute, the outermost first */
    struct anydnn_plugin_plan *made; /* the backend's own plan; body may be a wrap instead */
    struct adn_backend *backend;
    struct adn_problem problem;
    uint64_t hash;
    uint64_t engine;
    int32_t algorithm;
    int32_t math;
    uint32_t notes;
    int32_t past_first; /* 1 if it is not the rule's first choice */
    int32_t timed;      /* 1 if timing chose it; another process may choose differently */
    int32_t transient;  /* 1 if it is for one call and in no table */
    int32_t fallback;   /* enum adn_fallback of the rule */
    double expected_us;
    struct adn_excluded *excluded;
    char rule[80]; /* "[route tensor_op] convolution_*" */
    char rule_origin[ADN_ORIGIN_MAX];
    char *passed_over; /* lines "backend: reason\n"; never NULL */
    char *errata;      /* lines "backend engine N: erratum ID (verdict)\n"; never NULL */
    /* Links and counts. */
    struct adn_plan *second; /* for operands with element alignment only, or for less workspace */
    uint64_t second_limit;   /* the workspace limit of the second plan's selection */
    uint32_t slot;
    uint32_t next;        /* slot + 1 of the next plan in the bucket */
    uint64_t serial;      /* unique in the process; detects a reused slot */
    uint64_t fork_number; /* fork number of the process that made it */
    int32_t references;
};

typedef int32_t adn_execute_fn(struct anydnn_plugin_plan *plan,
                               const struct anydnn_plugin_operands *operands, int32_t *effect);

/* A wrap: a function that replaces a plan's execute when the plan is made. Plans without one pay
 * nothing. It is the first member of the function's own struct, which is passed as the plan's body.
 */
struct adn_wrap {
    struct adn_wrap *next;
    const struct adn_plan *plan;
    adn_execute_fn *execute; /* the wrapped function, called with `body` */
    struct anydnn_plugin_plan *body;
    void (*end)(struct adn_wrap *wrap); /* frees the wrap when the plan is destroyed */
};

void adn_plan_wrap(struct adn_plan *plan, struct adn_wrap *wrap, adn_execute_fn *execute,
                   void (*end)(struct adn_wrap *wrap));

/* Converts a backend's result to a status; an invalid number becomes EXECUTION_FAILED. */
static inline anydnnStatus_t adn_plan_status(int32_t result)
{
    return result > 0 && result <= ANYDNN_STATUS_RUNTIME_FP_OVERFLOW
               ? (anydnnStatus_t)result
               : ANYDNN_STATUS_EXECUTION_FAILED;
}

static inline void adn_plan_hold(struct adn_plan *plan)
{
    plan->references++;
}

/* Destroys a plan without references, and releases its second plan. */
void adn_plan_destroy(struct adn_plan *plan);

static inline void adn_plan_release(struct adn_plan *plan)
{
    if (plan && --plan->references == 0)
        adn_plan_destroy(plan);
}

#endif
