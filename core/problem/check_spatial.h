/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the spatial transformer. */
#ifndef ADN_PROBLEM_CHECK_SPATIAL_H
#define ADN_PROBLEM_CHECK_SPATIAL_H

#include "problem/check_operands.h"

/* Checks the rules of grid generator and sampler. */
anydnnStatus_t adn_check_spatial(const struct adn_check *check);

#endif
