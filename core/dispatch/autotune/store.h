/* SPDX-License-Identifier: Apache-2.0 */
/* What searches of earlier processes measured, where the setting `tuning` names a file. */
#ifndef ADN_DISPATCH_AUTOTUNE_STORE_H
#define ADN_DISPATCH_AUTOTUNE_STORE_H

#include "dispatch/autotune/search.h"

struct adn_tuning;

/* Finds the choice that was the fastest for the problem of the list, among the backends that its
 * rule asks now, on a device like the handle's: returns 1 with the backend's index and the engine,
 * or 0. Whether it is still offered, and may be taken, the list tells. */
int adn_tuned_find(struct adn_offers *offers, int32_t *backend, uint64_t *engine);

/* Returns the file that what is measured goes to: NULL where there is none, or it is only read. */
struct adn_tuning *adn_tuned_file(anydnnHandle_t handle);

/* Returns the key under which the contest of the choices, which are rivals, is kept, in memory that
 * the caller frees; NULL when there is none. */
char *adn_tuned_key_of_rivals(const struct adn_choices *choices);

/* ---- key.c */

/* Returns the key of a problem, in memory that the caller frees; NULL when there is none. The list
 * is one for its operation and math type. */
char *adn_tuned_key(struct adn_offers *offers, const struct adn_problem *problem);
/* The same with a list of its own. */
char *adn_tuned_key_of(anydnnHandle_t handle, const struct adn_problem *problem);

/* ---- store.c */

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
