/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the backends of a route offer for a problem: one list, which pins, the tuning file, the
 * clock and the route choose from, and which explain, Get and Find read. Each backend is asked at
 * most once, when somebody first looks at its offers.
 */
#ifndef ADN_DISPATCH_OFFERS_OFFERS_H
#define ADN_DISPATCH_OFFERS_OFFERS_H

#include "dispatch/handle/handle.h"

/* What a choice may assume and must respect. */
struct adn_wish {
    const struct adn_problem *problem;
    uint64_t workspace_limit;
    uint32_t alignment; /* bytes that every operand has; 0: only its element's */
    const struct adn_excluded *excluded;
};

/* Why an offer may not be taken, in the order in which sentences name it. */
enum adn_flaw {
    ADN_FLAW_MATH = 1,
    ADN_FLAW_ROUNDING = 2,
    ADN_FLAW_NONDETERMINISTIC = 4,
    ADN_FLAW_TRANSFORM = 8, /* the call does not name it */
    ADN_FLAW_WORKSPACE = 16,
    ADN_FLAW_ALIGNMENT = 32
};

/* One way in which a backend runs the problem. Its sentence is NULL. */
struct adn_offer {
    struct anydnn_plugin_candidate candidate;
    uint32_t flaws;
    int32_t failed; /* its backend made no plan of it */
};

/* What became of a backend of the rule. */
enum adn_outcome {
    ADN_NOT_ASKED,
    ADN_DECLINED, /* nothing of what it offers may be taken, or it may not be asked */
    ADN_GARBAGE,  /* nothing of what it offered counts */
    ADN_OFFERED,  /* one of its offers has no flaw */
    ADN_PLAN_FAILED
};

/* One backend of the rule and what it answered. */
struct adn_answer {
    char name[ANYDNN_PLUGIN_NAME_MAX + 1];
    struct adn_backend *backend; /* NULL: not installed */
    enum adn_outcome outcome;
    int chooses; /* counts as a choice of the rule: fallback = off looks no further than the first
                  */
    int late;    /* of another space, asked after all of the handle's own */
    int staged;  /* of another space, known once it was asked */
    int starved; /* the answer was decided by want of memory */
    struct adn_offer *offer;
    int32_t offers;
    int32_t room;
    char reason[400];
};

struct adn_offers {
    anydnnHandle_t handle;
    const struct adn_wish *wish;
    const struct adn_route_rule *rule;
    int32_t fallback;  /* enum adn_fallback */
    int32_t own_space; /* 1: backends of another space decline */
    int32_t starved;   /* 1: memory or descriptors lacked, so that no answer after that counts */
    int32_t count;
    struct adn_answer answer[ADN_ROUTE_MAX];
};

/* Who chose, in the order of the choosers (dispatch/resolve). */
enum adn_chooser { ADN_BY_PIN, ADN_BY_MEASURED, ADN_BY_FASTEST, ADN_BY_ROUTE, ADN_CHOOSERS };

/* A choice: one offer of one backend. */
struct adn_pick {
    enum adn_chooser by;
    int32_t searched; /* 1: chosen among all, so that the rule's first choice was not missed */
    struct adn_answer *answer;
    struct adn_offer *offer;
    struct adn_plan *plan; /* held, where the chooser made it already; or NULL */
};

/* Finds the rule and its backends, and asks none. adn_offers_free follows. */
void adn_offers_begin(struct adn_offers *offers, anydnnHandle_t handle,
                      const struct adn_wish *wish);
void adn_offers_free(struct adn_offers *offers);
/* Makes the list forget what want of memory decided, so that those backends are asked again. */
void adn_offers_forget_starved(struct adn_offers *offers);

/* Returns how many of the rule's backends count, as far as they work in the handle's own space:
 * with fallback = off those up to the first choice. */
int32_t adn_offers_end(struct adn_offers *offers);
/* Returns 1 for a backend that works in another space than the handle's. */
int adn_offers_is_foreign(const struct adn_offers *offers, const struct adn_answer *answer);
/* Asks one backend, once. */
void adn_offers_ask(struct adn_offers *offers, struct adn_answer *answer);
/* Writes what the flaws of an offer mean, or "" where it has none. */
void adn_offers_reason(const struct adn_offers *offers, const struct adn_answer *answer,
                       const struct adn_offer *offer, char *reason, size_t size);

/* Picks the offer of one backend's engine, asking that backend alone; flaws in `waived` do not
 * count. Returns 0 with the reason where there is none. */
int adn_offers_pick_engine(struct adn_offers *offers, int32_t backend, uint64_t engine,
                           uint32_t waived, struct adn_pick *pick, char *reason, size_t size);
/* Picks by the order of the rule, asking backends up to the choice. Returns 0 where there is none.
 */
int adn_offers_pick_first(struct adn_offers *offers, struct adn_pick *pick);

/* Fails because no backend runs the problem: NOT_SUPPORTED with the reason of each, or ALLOC_FAILED
 * where memory lacked, since another backend's plan would stay when there is enough again. */
anydnnStatus_t adn_offers_refuse(const struct adn_offers *offers, const char *entry);
/* ---- make.c */

/* Makes the plan of a pick, held once by the caller; NULL where the backend makes none, which the
 * answer then says. */
struct adn_plan *adn_offers_make(struct adn_offers *offers, const struct adn_pick *pick);
/* Logs at level info that the plan was made. */
void adn_offers_tell_plan(const struct adn_plan *plan, const struct adn_pick *pick);

#endif
