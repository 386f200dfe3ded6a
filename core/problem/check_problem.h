/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a whole problem. */
#ifndef ADN_PROBLEM_CHECK_PROBLEM_H
#define ADN_PROBLEM_CHECK_PROBLEM_H

#include "problem/problem.h"

/* Checks shapes, types and parameters against the rules of the operation. `entry` begins the
 * sentence of a failure. */
anydnnStatus_t adn_problem_check(const struct adn_problem *problem, const char *entry);

#endif
