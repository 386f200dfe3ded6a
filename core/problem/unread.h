/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that an operation does not read, and operands that share memory. */
#ifndef ADN_PROBLEM_UNREAD_H
#define ADN_PROBLEM_UNREAD_H

#include "problem/problem.h"

/* Returns, as bits, the inputs that the operation does not read at all with these parameters. */
uint32_t adn_problem_unread(const struct adn_problem *problem);
/* Returns the operand whose tensor and memory stand in for such an input if the caller omits it, or
 * -1 if there is none. */
int32_t adn_problem_substitute(const struct adn_problem *problem, int32_t slot);
/* Returns the operand in whose memory `slot` lies: the first input there by alias, else itself. */
int32_t adn_problem_home(const struct adn_problem *problem, int32_t slot);

#endif
