/* SPDX-License-Identifier: Apache-2.0 */
/* Where the choices of a search run: marks, operands and workspace, the caller's or of the search's
 * own. */
#ifndef ADN_DISPATCH_AUTOTUNE_STAND_H
#define ADN_DISPATCH_AUTOTUNE_STAND_H

#include "dispatch/autotune/search.h"

struct adn_stand {
    struct adn_choices *choices;
    const struct anydnn_plugin_space *space;
    int32_t device;
    int own;                /* the operands are the search's */
    int32_t sets, set;      /* of own operands, and the one that stands in `operands` */
    void *first[ADN_SLOTS]; /* of each own operand all sets, one behind the other */
    void *marks[2];
    void *stream; /* made for it, or NULL: the runs are on the handle's */
    struct anydnn_plugin_operands operands;
};

/* Marks, and operands of the search's own where `given` is NULL; under `fastest` a stream of its
 * own, which begins behind what is enqueued on the handle's, if the space makes streams. Whatever
 * it answers, adn_stand_leave follows. */
anydnnStatus_t adn_stand_enter(struct adn_stand *stand, struct adn_choices *choices,
                               const struct anydnn_plugin_operands *given);
/* Waits for what was enqueued, and frees. */
void adn_stand_leave(struct adn_stand *stand);

/* A workspace of the search's own that is at least that large; 0 or -1. Of the caller's nothing is
 * asked: no choice needs more. */
int adn_stand_workspace(struct adn_stand *stand, uint64_t bytes);

/* What the space or a backend said, as a sentence of the search's. */
anydnnStatus_t adn_stand_failed(const struct adn_stand *stand, const char *what, int32_t result);

/* ---- operands.c */

/* Operands of the search's own, under `fastest` on a device in several sets: no run shall find what
 * an earlier one left in the cache, for where the calls come from much else ran in between. */
anydnnStatus_t adn_stand_operands(struct adn_stand *stand);
void adn_stand_free_operands(struct adn_stand *stand);

/* The next set's turn. */
void adn_stand_turn(struct adn_stand *stand);

/* Puts what in-place runs replaced back into the search's own operands; 0 or the space's answer. */
int32_t adn_stand_restore(struct adn_stand *stand);

/* ---- runs.c */

/* How long a plan takes, the median of a few samples; 0, or the space's or the backend's answer. Of
 * one that warm takes more than so many microseconds one run is enough; -1: of none. */
int32_t adn_stand_time(struct adn_stand *stand, const struct adn_plan *plan, double hopeless,
                       double *microseconds);

#endif
