/* SPDX-License-Identifier: Apache-2.0 */
/* What searches of earlier processes measured, where the setting `tuning` names a file. */
#ifndef ADN_DISPATCH_AUTOTUNE_STORE_H
#define ADN_DISPATCH_AUTOTUNE_STORE_H

#include "dispatch/autotune/search.h"

/* The choice that was the fastest for the problem, among the backends that its rule asks now, on a
 * device like the handle's: 1 and a pin that stands for it, or 0. Whether it is still offered, and
 * may be taken, selection finds out. */
int adn_tuned_find(anydnnHandle_t handle, const struct adn_problem *problem, struct adn_pin *pin);

/* Puts the choices that were the fastest of their pairs before all others, fastest first. */
void adn_tuned_rank(struct adn_choices *choices);

/* Keeps what was measured: the first `pairs` choices, each the fastest of its pair, and the fastest
 * of all for calls that name no algorithm. */
void adn_tuned_keep(const struct adn_choices *choices, int pairs);

/* Keeps the choice that won a contest of rivals; under `fastest` for all calls of the problem that
 * name no transform. One that ended early
 * makes room for any later one. */
void adn_tuned_keep_one(const struct adn_choices *choices, const struct adn_choice *choice);

#endif
