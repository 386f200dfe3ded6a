/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of convolution and im2col. */
#ifndef ADN_PROBLEM_CHECK_CONVOLUTION_H
#define ADN_PROBLEM_CHECK_CONVOLUTION_H

#include "problem/check_operands.h"

/* Each function checks the rules of one family. */
anydnnStatus_t adn_check_convolution(const struct adn_check *check);
anydnnStatus_t adn_check_im2col(const struct adn_check *check);

#endif
