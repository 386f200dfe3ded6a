/* SPDX-License-Identifier: Apache-2.0 */
/* The tuning file names the candidate that is being timed while it runs. If the candidate crashes
 * the process or loses the device, the next process finds it there and does not run it again. */
#ifndef ADN_DISPATCH_AUTOTUNE_SUSPECT_H
#define ADN_DISPATCH_AUTOTUNE_SUSPECT_H

#include "dispatch/autotune/search.h"

/* Begin and end the records of a contest. They do nothing without a writable tuning file. */
void adn_suspect_begin(struct adn_choices *choices);
void adn_suspect_end(struct adn_choices *choices);

/* Records that the choice is about to run, and that the previous one ended. Fails with
 * EXECUTION_FAILED and a message if a process did not survive the choice, or saw wrong results. */
anydnnStatus_t adn_suspect_runs(struct adn_choices *choices, const struct adn_choice *choice);

/* Records that the running candidate lost the device, so that it never runs again. */
void adn_suspect_lost(struct adn_choices *choices);

/* Records that the running candidate gave wrong results, so that it never runs again. */
void adn_suspect_wrong(struct adn_choices *choices);

#endif
