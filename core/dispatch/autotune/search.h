/* SPDX-License-Identifier: Apache-2.0 */
/* Get and Find rank the candidates of a route for a problem that has algorithms, by the backends'
 * own data or by timing. They return at most one answer for each pair (algorithm, math type), and
 * pin each answer in the handle. */
#ifndef ADN_DISPATCH_AUTOTUNE_SEARCH_H
#define ADN_DISPATCH_AUTOTUNE_SEARCH_H

#include "dispatch/offers/offers.h"
#include "dispatch/plan/call.h"
#include "sys/error.h"

/* The largest number of pairs: no direction has more than 8 algorithms, and there are 4 math types.
 */
#define ADN_SEARCH_MAX 32

/* A search: the handle, the call and the limits. */
struct adn_search {
    anydnnHandle_t handle;
    struct adn_call *call;    /* algorithm any */
    uint64_t workspace_limit; /* in addition to the handle's own */
    int32_t one_math; /* 1: answers are for the call's math type only; 0: for each math type that it
                         permits */
    int32_t given;    /* 1: the call provides pointers and workspace, on which Find runs; 0: Find
                         allocates its own */
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

/* Rank the choices: Get by the backends' own data, without a run, and Find by timing. At most
 * `requested` answers, the best ones, go to found[], which holds ADN_SEARCH_MAX. Both fail and
 * write nothing if no choice runs. */
anydnnStatus_t adn_search_get(const struct adn_search *search, int requested,
                              struct adn_found *found, int *count);
anydnnStatus_t adn_search_find(const struct adn_search *search, int requested,
                               struct adn_found *found, int *count);

/* ---- rank.c */

/* A candidate that may be chosen, and its result. */
struct adn_choice {
    int32_t algorithm; /* the algorithm that names it; 0 for a candidate without a number */
    int32_t math;      /* the math type under which it runs */
    int32_t used;      /* the math that it computes with */
    int32_t pass;      /* index of `math` among the searched types, weakest first */
    int32_t group;     /* adjacent backends that all expect a time, or one backend */
    int32_t rank;
    uint32_t notes;
    int32_t reason;
    anydnnStatus_t status;
    double expected_us;
    double microseconds;
    uint64_t engine;
    uint64_t workspace;
    struct adn_backend *backend;
    struct adn_pick pick;  /* under `fastest`, from the call's own list */
    struct adn_plan *plan; /* held, or NULL */
};

struct adn_suspect;

struct adn_choices {
    const char *entry;
    anydnnHandle_t handle;
    struct adn_problem problem; /* algorithm any, the descriptor's math type */
    struct adn_problem call;    /* the same with the call's batch, if that of `problem` is fixed */
    uint64_t workspace_limit;
    uint64_t call_limit; /* limit for the call's batch */
    uint32_t alignment;  /* alignment of every operand in bytes */
    int32_t one_math;
    struct adn_offers *offers; /* under `fastest`, the offers for the call */
    int32_t fastest; /* 1: one choice is needed for a problem that may name an algorithm, in its own
                        math type; all choices compete */
    int32_t partial; /* 1 if the time limit ended the contest before all had run */
    struct adn_suspect *suspect; /* NULL: the tuning file does not record what runs */
    double limit_us;             /* no further choice starts after this time; 0: no limit */
    int32_t out_of_memory;
    int32_t count;
    int32_t capacity;
    struct adn_choice *choice;
    struct adn_refusal failed; /* the first candidate that did not run */
};

/* Collects the offers of the backends in each searched math type, best first. Fails like
 * adn_offers_refuse if there are none. An offer that needs too much workspace counts as one that
 * fails. */
anydnnStatus_t adn_choices_collect(struct adn_choices *choices);
void adn_choices_free(struct adn_choices *choices);

static inline int adn_choice_same_pair(const struct adn_choice *a, const struct adn_choice *b)
{
    return a->algorithm == b->algorithm && a->math == b->math;
}

/* ---- time.c */

/* Runs each choice, except those of the reference backend, and records its status and time. The
 * runs use the given operands, or buffers of the search's own if `operands` is NULL. The fastest
 * choice of each pair keeps its plan. Fails as a whole only if a clock, a buffer or the device is
 * unavailable. */
anydnnStatus_t adn_timing_run(struct adn_choices *choices,
                              const struct anydnn_plugin_operands *operands);

#endif
