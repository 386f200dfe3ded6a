/* SPDX-License-Identifier: Apache-2.0 */
/* The inference of operands from the others. */
#ifndef ADN_PROBLEM_INFER_H
#define ADN_PROBLEM_INFER_H

#include "problem/problem.h"

/* Sets the tensors of required operands that `problem->present` lacks, if the other operands and
 * the parameters determine them. `entry` begins the sentence of a failure. */
anydnnStatus_t adn_problem_infer(struct adn_problem *problem, const char *entry);

#endif
