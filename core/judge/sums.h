/* SPDX-License-Identifier: Apache-2.0 */
/* The sums that bound the error of each element. */
#ifndef ADN_JUDGE_SUMS_H
#define ADN_JUDGE_SUMS_H

#include "judge/oracle.h"
#include "judge/subject.h"

/* Computes sum and squares of the results without the blend. */
int adn_oracle_sums(struct adn_oracle *oracle, struct adn_subject *subject, char *sentence);

/* Turns the sums of a convolution into those of the activation after it. Returns 0, 1 if the oracle
 * declines, or -1 if it fails. */
int adn_oracle_activated(struct adn_oracle *oracle, struct adn_subject *subject, char *sentence);

#endif
