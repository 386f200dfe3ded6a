/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of earlier processes' searches, if the setting `tuning` names a file. */
#ifndef ADN_DISPATCH_AUTOTUNE_STORE_H
#define ADN_DISPATCH_AUTOTUNE_STORE_H

#include "dispatch/autotune/search.h"

struct adn_tuning;

/* Finds the fastest recorded choice for the list's problem, among the backends of its current rule
 * and on a device like the handle's. Returns 1 with the backend's index and the engine, or 0. The
 * caller must check in the list whether the choice is still offered and acceptable. */
int adn_tuned_find(struct adn_offers *offers, int32_t *backend, uint64_t *engine);

/* Returns the file that measurements are written to, or NULL if there is none or it is only read.
 */
struct adn_tuning *adn_tuned_file(anydnnHandle_t handle);

/* Returns the key for a contest of rivals, which the caller frees, or NULL. */
char *adn_tuned_key_of_rivals(const struct adn_choices *choices);

/* ---- key.c */

/* Returns the key of a problem, which the caller frees, or NULL. The list must be for the same
 * operation and math type. */
char *adn_tuned_key(struct adn_offers *offers, const struct adn_problem *problem);
/* Does the same with a list of its own. */
char *adn_tuned_key_of(anydnnHandle_t handle, const struct adn_problem *problem);

/* ---- store.c */

/* Moves the recorded fastest choices of each pair to the front, fastest first. */
void adn_tuned_rank(struct adn_choices *choices);

/* Stores the first `pairs` choices, each the fastest of its pair. Also stores the fastest of all
 * for calls that name no algorithm. */
void adn_tuned_keep(const struct adn_choices *choices, int pairs);

/* Stores the winner of a contest of rivals, for all calls of the problem that name no transform.
 * Any later contest may replace the record of one that ended early. */
void adn_tuned_keep_one(const struct adn_choices *choices, const struct adn_choice *choice);

#endif
