/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of matrix products. */
#ifndef ADN_PROBLEM_CHECK_MATMUL_H
#define ADN_PROBLEM_CHECK_MATMUL_H

#include "problem/check_operands.h"

anydnnStatus_t adn_check_matmul(const struct adn_check *check);

#endif
