/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of results in which terms cancel. */
#ifndef ADN_JUDGE_CANCEL_H
#define ADN_JUDGE_CANCEL_H

#include "judge/subject.h"

/* Raises the sums to the sizes of terms that cancel, where changes of the inputs do not show them.
 * Returns 0, or -1 with a sentence. */
int adn_subject_cancelling(struct adn_subject *subject, char *sentence);
/* Does the same for normalization_forward and _backward. */
int adn_subject_cancelling_norm(struct adn_subject *subject, char *sentence);
/* Raises the sum of an element to `terms`, if that is finite and more. */
void adn_subject_raise(struct adn_subject_slot *slot, int64_t at, double terms);

#endif
