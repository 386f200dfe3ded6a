/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Get and Find: the ways in which the backends of a route run a problem that has algorithms, ranked
 * by what the backends say or by the clock, at most one answer for each pair (algorithm, math
 * type), and each answer pinned in the handle.
 */
#ifndef ADN_DISPATCH_AUTOTUNE_SEARCH_H
#define ADN_DISPATCH_AUTOTUNE_SEARCH_H

#include "dispatch/offers/offers.h"
#include "dispatch/plan/call.h"
#include "sys/error.h"

/* Pairs: no direction has more than 8 algorithms, and there are 4 math types. */
#define ADN_SEARCH_MAX 32

/* Who searches, for what and how. */
struct adn_search {
    anydnnHandle_t handle;
    struct adn_call *call;    /* algorithm any */
    uint64_t workspace_limit; /* beside the handle's own */
    int32_t one_math;         /* 1: answers are for the call's math type alone; 0: for each that it
                                 permits */
    int32_t given;            /* 1: the call brings pointers and workspace, on which Find runs; 0:
                                 it runs on memory of its own */
};

/* One answer. */
struct adn_found {
    int32_t algorithm;
    int32_t math;
    anydnnStatus_t status;
    int32_t reason;      /* 0, or ANYDNN_PLUGIN_REASON_xxx */
    double microseconds; /* -1: not measured */
    uint64_t workspace;
    int32_t deterministic;
    int32_t backend; /* index in the registry */
};

/* Ranks, by what the backends say, runs nothing; and times. At most `requested` answers, those that
 * run first, go to found[], which has room for ADN_SEARCH_MAX. Fails, with nothing written, when
 * there is none that runs. */
anydnnStatus_t adn_search_get(const struct adn_search *search, int requested,
                              struct adn_found *found, int *count);
anydnnStatus_t adn_search_find(const struct adn_search *search, int requested,
                               struct adn_found *found, int *count);

/* ---- choices.c */

/* A candidate that may be taken, and what came of it. */
struct adn_choice {
    int32_t algorithm; /* that names it; 0 for a candidate without a number */
    int32_t math;      /* the type under which it runs */
    int32_t used;      /* what it computes with */
    int32_t pass;      /* place of `math` among the types searched, weakest first */
    int32_t group;     /* of neighbours in the route that all expect a time, or one backend */
    int32_t rank;
    uint32_t notes;
    int32_t reason;
    anydnnStatus_t status;
    double expected_us;
    double microseconds;
    uint64_t engine;
    uint64_t workspace;
    struct adn_backend *backend;
    struct adn_pick pick;  /* under `fastest`, of the call's own list */
    struct adn_plan *plan; /* held, or NULL */
};

struct adn_suspect;

struct adn_choices {
    const char *entry;
    anydnnHandle_t handle;
    struct adn_problem problem; /* algorithm any, the descriptor's math type */
    uint64_t workspace_limit;
    uint32_t alignment; /* bytes that every operand has */
    int32_t one_math;
    struct adn_offers *offers; /* under `fastest`, what is offered for the call */
    int32_t fastest; /* 1: one choice is sought for a problem that may name an algorithm, in its own
                        math type; all choices are rivals */
    int32_t partial; /* the time was up before all had run */
    struct adn_suspect *suspect; /* NULL: nothing is told to the tuning file of what runs */
    double limit_us;             /* after which no further choice is run; 0: none */
    int32_t out_of_memory;
    int32_t count;
    int32_t room;
    struct adn_choice *choice;
    struct adn_refusal failed; /* the first candidate that did not run */
};

/* Puts what backends offer in order, best first, in each math type searched. Fails as
 * adn_offers_refuse does when they offer nothing; what needs too much workspace counts as an offer
 * that fails. */
anydnnStatus_t adn_choices_collect(struct adn_choices *choices);
void adn_choices_free(struct adn_choices *choices);

static inline int adn_choice_same_pair(const struct adn_choice *a, const struct adn_choice *b)
{
    return a->algorithm == b->algorithm && a->math == b->math;
}

/* ---- timing.c */

/* Runs each choice but the reference backend's on the operands, or on buffers of its own where
 * `operands` is NULL, and notes status and time; the fastest of each pair keeps its plan. Fails as
 * a whole only when no clock, buffer or device is left to run with. */
anydnnStatus_t adn_timing_run(struct adn_choices *choices,
                              const struct anydnn_plugin_operands *operands);

#endif
