/* SPDX-License-Identifier: Apache-2.0 */
/* The right results of a subject. */
#ifndef ADN_JUDGE_EXPECT_H
#define ADN_JUDGE_EXPECT_H

#include <stdint.h>

#include "judge/oracle.h"
#include "judge/subject.h"
#include "problem/problem.h"

/* Computes want, sum and squares of every compared output. Returns 0, 1 with a sentence if the
 * oracle declines, or -1 if it fails. */
int adn_oracle_expect(struct adn_oracle *oracle, struct adn_subject *subject, char *sentence);

/* The changes of inputs before an oracle runs on them. */
enum adn_change {
    ADN_AS_THEY_ARE,
    ADN_ABSOLUTE,
    ADN_SQUARED,
    ADN_CHANGED /* each up or down by half to the whole of ADN_CHANGE of itself, by `seed` */
};
#define ADN_CHANGE 0x1p-20
/* Computes results without the blend, in new memory, for every compared output. */
int adn_oracle_results(struct adn_oracle *oracle, const struct adn_subject *subject,
                       enum adn_change change, uint64_t seed, double *out[ADN_SLOTS],
                       char *sentence);

#endif
