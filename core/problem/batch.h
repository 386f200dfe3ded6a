/* SPDX-License-Identifier: Apache-2.0 */
/* Batch invariance: the operations that the mode covers, and the problem for which an engine is
 * chosen instead of one with a particular batch. */
#ifndef ADN_PROBLEM_BATCH_H
#define ADN_PROBLEM_BATCH_H

#include "problem/problem.h"

/* Returns 1 if batch invariance covers the operation. */
int adn_batch_covers(int32_t operation);
/* Returns the slots whose operands have samples, one bit each; 0 if the operation is not covered.
 */
uint32_t adn_batch_slots(int32_t operation);

/* Copies the problem with a batch of that size. Packed layouts get their packed strides; samples of
 * other layouts lie one behind the other. */
void adn_batch_resize(const struct adn_problem *problem, int64_t samples, struct adn_problem *out);

/* Makes the problem with a fixed batch, which depends only on the rest of the problem. Strides
 * of dims of size 1 do not matter either. Returns 0, without a problem, if the mode does not apply
 * to it. */
int adn_batch_fix(const struct adn_problem *problem, struct adn_problem *fixed);

/* Returns the size of the batch of a fixed problem. */
int64_t adn_batch_samples(const struct adn_problem *fixed);
/* Returns the alignment in bytes, at most `most`, that every sample has if the first one of a fixed
 * problem has it. */
uint32_t adn_batch_alignment(const struct adn_problem *fixed, uint32_t most);

#endif
