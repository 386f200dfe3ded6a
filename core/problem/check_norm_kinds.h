/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of layer, group, instance and RMS normalization. */
#ifndef ADN_PROBLEM_CHECK_NORM_KINDS_H
#define ADN_PROBLEM_CHECK_NORM_KINDS_H

#include "problem/check_operands.h"

anydnnStatus_t adn_check_norm_kinds(const struct adn_check *check);

#endif
