/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The candidate that is being timed stands in the tuning file as long as it runs. One that takes
 * its process or its device along is found there by the next process, which does not run it again.
 */
#ifndef ADN_DISPATCH_AUTOTUNE_SUSPECT_H
#define ADN_DISPATCH_AUTOTUNE_SUSPECT_H

#include "dispatch/autotune/search.h"

/* Around the runs of a contest; without a tuning file that may be written nothing happens. */
void adn_suspect_begin(struct adn_choices *choices);
void adn_suspect_end(struct adn_choices *choices);

/* Names the choice that is about to run in the place of the one before. EXECUTION_FAILED, with a
 * sentence, where a process did not survive it. */
anydnnStatus_t adn_suspect_runs(struct adn_choices *choices, const struct adn_choice *choice);

/* The device is lost: whatever becomes of this process, what runs is not to run again. */
void adn_suspect_lost(struct adn_choices *choices);

#endif
