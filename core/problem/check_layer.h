/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of activation, pooling, softmax and dropout. */
#ifndef ADN_PROBLEM_CHECK_LAYER_H
#define ADN_PROBLEM_CHECK_LAYER_H

#include "problem/check_operands.h"

/* Checks that the coefficient of an activation is finite if the mode has one. */
anydnnStatus_t adn_check_coef(const struct adn_check *check, int32_t mode, double coef);

/* Each function checks the rules of one family. */
anydnnStatus_t adn_check_activation(const struct adn_check *check);
anydnnStatus_t adn_check_pooling(const struct adn_check *check);
anydnnStatus_t adn_check_softmax(const struct adn_check *check);
anydnnStatus_t adn_check_dropout(const struct adn_check *check);

#endif
