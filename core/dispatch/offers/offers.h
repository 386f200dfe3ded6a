/* SPDX-License-Identifier: Apache-2.0 */
/* The offers of a route's backends for a problem, in one list. Pins, the tuning file, timing and
 * the route choose from it; explain, Get and Find read it. Each backend is queried at most once,
 * when its offers are first needed. */
#ifndef ADN_DISPATCH_OFFERS_OFFERS_H
#define ADN_DISPATCH_OFFERS_OFFERS_H

#include "dispatch/handle/handle.h"
#include "errata/errata.h"

/* The assumptions and limits of a choice. */
struct adn_request {
    const struct adn_problem *problem;
    uint64_t workspace_limit;
    uint32_t alignment; /* alignment of every operand in bytes; 0: that of its element only */
    const struct adn_excluded *excluded;
};

/* The reasons why an offer may be unacceptable, in the order in which messages name them. */
enum adn_flaw {
    ADN_FLAW_MATH = 1,
    ADN_FLAW_ROUNDING = 2,
    ADN_FLAW_NONDETERMINISTIC = 4,
    ADN_FLAW_TRANSFORM = 8, /* the call does not name the transform */
    ADN_FLAW_WORKSPACE = 16,
    ADN_FLAW_ALIGNMENT = 32,
    ADN_FLAW_ERRATUM = 64, /* a known fault, which no caller waives */
    ADN_FLAW_WRONG = 128,  /* a contest saw wrong results, now or earlier */
    ADN_FLAW_BATCH_VARIANT = 256
};

/* An offer: one way in which a backend runs the problem. Its `sentence` is NULL. */
struct adn_offer {
    struct anydnn_plugin_candidate candidate;
    uint32_t flaws;
    int32_t failed; /* 1 if the backend could not make a plan from it */
    int32_t slow;   /* 1 if an erratum calls it slow; the backend's other offers come first */
    char *words;    /* the candidate's, or NULL */
    const struct adn_erratum *erratum; /* the first that matches and changes the choice, or NULL */
};

/* The states of a backend of the rule. */
enum adn_outcome {
    ADN_NOT_ASKED,
    ADN_DECLINED, /* no offer is acceptable, or the backend may not be queried */
    ADN_GARBAGE,  /* an answer was malformed, so none of its offers count */
    ADN_OFFERED,  /* at least one offer has no flaw */
    ADN_PLAN_FAILED
};

/* A backend of the rule and its answer. */
struct adn_answer {
    char name[ANYDNN_PLUGIN_NAME_MAX + 1];
    struct adn_backend *backend; /* NULL: not installed */
    enum adn_outcome outcome;
    int chooses; /* 1 if it counts as a choice of the rule; fallback = off stops at the first such
                    backend */
    int late;    /* 1 if in another space, queried after all of the handle's own */
    int staged;  /* 1 if in another space; known after the query */
    int out_of_resources; /* 1 if lack of memory decided the answer */
    struct adn_offer *offer;
    int32_t offers;
    int32_t capacity;
    char reason[400];
};

struct adn_offers {
    anydnnHandle_t handle;
    const struct adn_request *request;
    const struct adn_route_rule *rule;
    int32_t fallback;         /* enum adn_fallback */
    int32_t own_space;        /* 1: backends of another space decline */
    int32_t out_of_resources; /* 1: memory or descriptors ran out, so no later answer counts */
    int32_t count;
    struct adn_answer answer[ADN_ROUTE_MAX];
};

/* The choosers, in their order (dispatch/resolve). */
enum adn_chooser { ADN_BY_PIN, ADN_BY_MEASURED, ADN_BY_FASTEST, ADN_BY_ROUTE, ADN_CHOOSERS };

/* A choice: one offer of one backend. */
struct adn_pick {
    enum adn_chooser by;
    int32_t searched; /* 1: chosen among all, so it never counts as a fallback */
    struct adn_answer *answer;
    struct adn_offer *offer;
    struct adn_plan *plan; /* held, if the chooser has made it already; or NULL */
};

/* Finds the rule and its backends, without queries. The caller must call adn_offers_free. */
void adn_offers_begin(struct adn_offers *offers, anydnnHandle_t handle,
                      const struct adn_request *request);
void adn_offers_free(struct adn_offers *offers);
/* Resets the answers that lack of memory decided, so that those backends are queried again. */
void adn_offers_reset_out_of_resources(struct adn_offers *offers);

/* Returns how many backends of the rule count in the handle's own space. With fallback = off, only
 * those up to the first choice count. */
int32_t adn_offers_end(struct adn_offers *offers);
/* Returns 1 for a backend that works in another space than the handle. */
int adn_offers_is_foreign(const struct adn_offers *offers, const struct adn_answer *answer);
/* Queries one backend, at most once. */
void adn_offers_ask(struct adn_offers *offers, struct adn_answer *answer);
/* Describes the first flaw of an offer, or writes "" if it has none. */
void adn_offers_reason(const struct adn_offers *offers, const struct adn_answer *answer,
                       const struct adn_offer *offer, char *reason, size_t size);

/* Marks all offers of an engine as giving wrong results, so that nothing picks them. */
void adn_offers_condemn(struct adn_answer *answer, uint64_t engine);

/* Picks the offer of one backend's engine and queries only that backend. Ignores the flaws in
 * `waived`. Returns 0 with the reason if there is no such offer. */
int adn_offers_pick_engine(struct adn_offers *offers, int32_t backend, uint64_t engine,
                           uint32_t waived, struct adn_pick *pick, char *reason, size_t size);
/* Picks by the order of the rule, and queries backends up to the choice. Returns 0 if there is no
 * choice. */
int adn_offers_pick_first(struct adn_offers *offers, struct adn_pick *pick);

/* Fails because no backend runs the problem: NOT_SUPPORTED with each backend's reason. Fails with
 * ALLOC_FAILED if memory ran out, so that no other backend's plan is kept after memory becomes
 * available. */
anydnnStatus_t adn_offers_refuse(const struct adn_offers *offers, const char *entry);
/* ---- batch.c */

/* Makes a plan of the backend and engine of `chosen`, which is a plan for another batch or for
 * other pointers. Fails if that engine does not run the problem. */
anydnnStatus_t adn_offers_remake(anydnnHandle_t handle, const char *entry,
                                 const struct adn_request *request, const struct adn_plan *chosen,
                                 struct adn_plan **out);
/* Writes the workspace that a backend's engine needs for the request. Returns 0 if the engine does
 * not run it. */
int adn_offers_workspace(anydnnHandle_t handle, const struct adn_request *request, int32_t backend,
                         uint64_t engine, uint64_t *workspace);

/* ---- make.c */

/* Makes the plan of a pick; the caller holds one reference. Returns NULL if the backend makes none,
 * with the reason in the answer. */
struct adn_plan *adn_offers_make(struct adn_offers *offers, const struct adn_pick *pick);
/* Logs at level info that the plan was made. */
void adn_offers_tell_plan(const struct adn_plan *plan, const struct adn_pick *pick);

#endif
