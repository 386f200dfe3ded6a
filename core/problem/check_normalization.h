/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of batch normalization, LRN and divisive normalization. */
#ifndef ADN_PROBLEM_CHECK_NORMALIZATION_H
#define ADN_PROBLEM_CHECK_NORMALIZATION_H

#include "problem/check_operands.h"

/* Each function checks the rules of one family. */
anydnnStatus_t adn_check_batch_normalization(const struct adn_check *check);
anydnnStatus_t adn_check_lrn(const struct adn_check *check);

#endif
