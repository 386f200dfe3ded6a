/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs that lie at the address of inputs. */
#ifndef ADN_PROBLEM_CHECK_ALIAS_H
#define ADN_PROBLEM_CHECK_ALIAS_H

#include "problem/check_operands.h"

/* Checks that output `slot` may lie on the inputs whose memory it shares. */
anydnnStatus_t adn_check_alias(const struct adn_check *check, int32_t slot);

#endif
