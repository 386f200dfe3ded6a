/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of operations on plain tensors. */
#ifndef ADN_PROBLEM_CHECK_TENSOR_H
#define ADN_PROBLEM_CHECK_TENSOR_H

#include "problem/check_operands.h"

/* Each function checks the rules of one family; adn_check_plain serves operations without
 * parameters. */
anydnnStatus_t adn_check_plain(const struct adn_check *check);
anydnnStatus_t adn_check_op_tensor(const struct adn_check *check);
anydnnStatus_t adn_check_reduce(const struct adn_check *check);
anydnnStatus_t adn_check_transform(const struct adn_check *check);

#endif
