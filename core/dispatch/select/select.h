/* SPDX-License-Identifier: Apache-2.0 */
/* Selection: from a problem, by the route, to a plan; with the reason why each backend was passed
 * over. */
#ifndef ADN_DISPATCH_SELECT_SELECT_H
#define ADN_DISPATCH_SELECT_SELECT_H

#include "dispatch/handle/handle.h"

/* What selection may assume and must respect. */
struct adn_wish {
    const struct adn_problem *problem;
    uint64_t workspace_limit;
    uint32_t alignment; /* bytes that every operand has; 0: only its element's */
    const struct adn_excluded *excluded;
    const struct adn_pin *pin;
};

/* What became of a backend of the rule. */
enum adn_outcome {
    ADN_NOT_ASKED,
    ADN_DECLINED, /* nothing of what it offers may be taken, or it may not be asked */
    ADN_GARBAGE,  /* nothing of what it offered counts */
    ADN_OFFERED,  /* `best` may be taken */
    ADN_PLAN_FAILED
};

/* One backend of the rule and what it answered. */
struct adn_answer {
    char name[ANYDNN_PLUGIN_NAME_MAX + 1];
    struct adn_backend *backend; /* NULL: not installed */
    enum adn_outcome outcome;
    int chooses; /* counts as a choice of the rule (fallback = off looks no further than the first)
                  */
    int late;    /* of another space, asked after all of the handle's own */
    int staged;  /* of another space, known once it was asked */
    int has_algorithm;
    struct anydnn_plugin_candidate best;           /* first acceptable one */
    struct anydnn_plugin_candidate with_algorithm; /* the first with the number wished for */
    char reason[400];
};

/* For whom the candidates are: none of another space is any search's. */
enum adn_searching {
    ADN_SEARCH_NONE,
    ADN_SEARCH_ALL,  /* Get or Find, whose answer names what it lists, transforms too */
    ADN_SEARCH_NAMED /* `fastest`: transforms only where the call names them */
};

struct adn_walk {
    anydnnHandle_t handle;
    const struct adn_wish *wish;
    const struct adn_route_rule *rule;
    int32_t fallback; /* enum adn_fallback */
    int32_t search;   /* enum adn_searching */
    int32_t starved;  /* 1: memory or descriptors lacked, so that no answer after that counts */
    int32_t count;
    struct adn_answer answer[ADN_ROUTE_MAX];
    /* Called for each candidate that an answer offers, with the reason why it is not acceptable (""
     * when it is); for explain. */
    void (*observe)(struct adn_walk *walk, const struct adn_answer *answer,
                    const struct anydnn_plugin_candidate *candidate, const char *reason);
    void *cookie;
};

/* The rule that wins for a problem in this handle. */
const struct adn_route_rule *adn_rule_of(const struct anydnnContext *handle,
                                         const struct adn_problem *problem);
/* Finds the rule and its backends; asks nobody. */
void adn_walk_begin(struct adn_walk *walk, anydnnHandle_t handle, const struct adn_wish *wish);
/* How many of the rule's backends count, as far as they work in the handle's own space: with
 * fallback = off those up to the first choice. */
int32_t adn_walk_end(struct adn_walk *walk);
/* Asks one backend, once. */
void adn_walk_ask(struct adn_walk *walk, struct adn_answer *answer);
/* The choice among what is not failed: index in answer[] and the candidate; -1 when there is none.
 */
int32_t adn_walk_choose(struct adn_walk *walk, const struct anydnn_plugin_candidate **candidate);

/* NOT_SUPPORTED: no backend of the route runs it, with the reason of each; ALLOC_FAILED where
 * memory lacked, since another backend's plan would stay when there is enough again. */
anydnnStatus_t adn_walk_refuse(const struct adn_walk *walk, const char *entry);

/* A plan, held once by the caller; NOT_SUPPORTED with every backend's reason when there is none,
 * ALLOC_FAILED for want of memory. */
anydnnStatus_t adn_select_plan(anydnnHandle_t handle, const char *entry,
                               const struct adn_wish *wish, struct adn_plan **plan);

#endif
