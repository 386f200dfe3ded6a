/* SPDX-License-Identifier: Apache-2.0 */
/* The types of operands that an operation accepts. */
#ifndef ADN_PROBLEM_CHECK_TYPES_H
#define ADN_PROBLEM_CHECK_TYPES_H

#include "problem/check_operands.h"

/* Checks the type of the first operand, and that the type of the result may be combined with it. */
anydnnStatus_t adn_check_types(const struct adn_check *check);

#endif
