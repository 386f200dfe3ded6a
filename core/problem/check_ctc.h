/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of ctc_loss. */
#ifndef ADN_PROBLEM_CHECK_CTC_H
#define ADN_PROBLEM_CHECK_CTC_H

#include "problem/check_operands.h"

/* Checks the rules of ctc_loss. */
anydnnStatus_t adn_check_ctc(const struct adn_check *check);

#endif
