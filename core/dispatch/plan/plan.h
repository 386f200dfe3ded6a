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

/* Backends that failed at execution, by registry index; NULL: none. */
struct adn_excluded {
    int32_t count;
    int32_t index[];
};

int adn_excluded_has(const struct adn_excluded *excluded, int32_t index);
/* The same and one more (-1: none), to be freed; NULL when memory is out. */
struct adn_excluded *adn_excluded_copy(const struct adn_excluded *excluded, int32_t more);

struct adn_plan {
    /* What a call reads. */
    int32_t (*execute)(struct anydnn_plugin_plan *plan,
                       const struct anydnn_plugin_operands *operands, int32_t *effect);
    struct anydnn_plugin_plan *body;
    uint64_t workspace;
    uint32_t slot_count;
    uint32_t fork_safe;       /* works in a child after fork() */
    uint32_t used;            /* since the clock's hand passed */
    uint32_t largest_mask;    /* of mask */
    uint32_t mask[ADN_SLOTS]; /* alignment needed minus 1 */
    /* Why and what. */
    struct adn_staged *staged;       /* NULL: the backend works in the handle's own space */
    const char *staged_on;           /* "mockdev:0", where it works otherwise, or NULL */
    struct adn_wrap *wraps;          /* what stands before execute, the outermost first */
    struct anydnn_plugin_plan *made; /* the backend's own; body may be what wraps it */
    struct adn_backend *backend;
    struct adn_problem problem;
    uint64_t hash;
    uint64_t engine;
    int32_t algorithm;
    int32_t math;
    uint32_t notes;
    int32_t past_first; /* not the rule's first choice */
    int32_t timed;      /* the clock chose it, which may choose otherwise in another process */
    int32_t passing;    /* for one call, in no table */
    int32_t fallback;   /* enum adn_fallback of the rule */
    double expected_us;
    struct adn_excluded *excluded;
    char rule[80]; /* "[route tensor_op] convolution_*" */
    char rule_origin[ADN_ORIGIN_MAX];
    char *passed_over; /* lines "backend: reason\n"; never NULL */
    /* Places. */
    struct adn_plan *second; /* for element alignment and little workspace */
    uint64_t second_limit;   /* workspace that it was selected for */
    uint32_t slot;
    uint32_t next;        /* in the bucket, slot + 1 */
    uint64_t serial;      /* unique in the process; tells a reused slot */
    uint64_t fork_number; /* of the process that made it */
    int32_t references;
};

typedef int32_t adn_execute_fn(struct anydnn_plugin_plan *plan,
                               const struct anydnn_plugin_operands *operands, int32_t *effect);

/* A function that takes the place of a plan's execute when the plan is made, so that plans without
 * one pay nothing. It begins a struct of the function's own, which it gets as the plan's body. */
struct adn_wrap {
    struct adn_wrap *next;
    const struct adn_plan *plan;
    adn_execute_fn *execute; /* what it stands before, with its body */
    struct anydnn_plugin_plan *body;
    void (*end)(struct adn_wrap *wrap); /* frees it with the plan */
};

void adn_plan_wrap(struct adn_plan *plan, struct adn_wrap *wrap, adn_execute_fn *execute,
                   void (*end)(struct adn_wrap *wrap));

/* A backend's answer as a status: EXECUTION_FAILED for a number that is none. */
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

/* Nobody holds it any more; its second plan goes, too. */
void adn_plan_destroy(struct adn_plan *plan);

static inline void adn_plan_release(struct adn_plan *plan)
{
    if (plan && --plan->references == 0)
        adn_plan_destroy(plan);
}

#endif
