/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the results of a contender before a search may choose it. */
#ifndef ADN_DISPATCH_AUTOTUNE_TRIAL_H
#define ADN_DISPATCH_AUTOTUNE_TRIAL_H

#include "dispatch/autotune/bench_env.h"

/* Prepares a search for trials, unless the settings forbid them or nothing of the problem can be
 * judged. A lack of memory has the same effect. */
void adn_trial_begin(struct adn_bench_env *env);
void adn_trial_end(struct adn_bench_env *env);

/* Runs the plan of a choice that was just timed once more, or twice if the results of the timed run
 * are not known, on outputs and a workspace between guard zones. The guards must stay intact,
 * sampled elements must lie within the bound of core/judge, and both runs must give the same bits
 * unless the choice is noted as nondeterministic. Returns 1 if the choice may be
 * taken, also if memory for the trial is lacking, or 0 with a sentence. */
int adn_trial_passes(struct adn_bench_env *env, const struct adn_choice *choice, char *sentence,
                     size_t size);

#endif
