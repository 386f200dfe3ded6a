/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules of the families share: sentences about operands. */
#ifndef ADN_PROBLEM_CHECK_H
#define ADN_PROBLEM_CHECK_H

#include "problem/problem.h"

struct adn_check {
    const struct adn_problem *problem;
    const struct adn_operation *info;
    const char *entry;
};

typedef anydnnStatus_t (*adn_check_fn)(const struct adn_check *check);

/* "ENTRY: ROLE is TYPE:DIMS; RULE". */
anydnnStatus_t adn_check_fail(const struct adn_check *check, anydnnStatus_t status, int32_t slot,
                              const char *rule);

/* The slot of a role, or -1 when the operation lacks it or the operand is absent. */
int32_t adn_check_slot(const struct adn_check *check, const char *role);

/* Operand `slot` has the dims (and with `type` set the type) of operand `like`. */
anydnnStatus_t adn_check_like(const struct adn_check *check, int32_t slot, int32_t like, int type);

/* Operand `slot` has these dims; `rule` says whose they are. */
anydnnStatus_t adn_check_dims(const struct adn_check *check, int32_t slot, const int64_t *dims,
                              const char *rule);

/* Operand `slot`, if it is present, is a byte buffer of at least `need` bytes; `what` says why. */
anydnnStatus_t adn_check_bytes(const struct adn_check *check, int32_t slot, int64_t need,
                               const char *what);

/* The first operand's type is one that the operation takes, and goes with that of the result. */
anydnnStatus_t adn_check_types(const struct adn_check *check);

/* Output `slot` may lie on the inputs that it does. */
anydnnStatus_t adn_check_alias(const struct adn_check *check, int32_t slot);

/* The coefficient of an activation is finite where the mode has one. */
anydnnStatus_t adn_check_coef(const struct adn_check *check, int32_t mode, double coef);

/* One a family, and adn_check_plain for operations without parameters. */
anydnnStatus_t adn_check_plain(const struct adn_check *check);
anydnnStatus_t adn_check_activation(const struct adn_check *check);
anydnnStatus_t adn_check_pooling(const struct adn_check *check);
anydnnStatus_t adn_check_softmax(const struct adn_check *check);
anydnnStatus_t adn_check_dropout(const struct adn_check *check);
anydnnStatus_t adn_check_op_tensor(const struct adn_check *check);
anydnnStatus_t adn_check_reduce(const struct adn_check *check);
anydnnStatus_t adn_check_transform(const struct adn_check *check);
anydnnStatus_t adn_check_convolution(const struct adn_check *check);
anydnnStatus_t adn_check_im2col(const struct adn_check *check);
anydnnStatus_t adn_check_batch_normalization(const struct adn_check *check);
anydnnStatus_t adn_check_lrn(const struct adn_check *check);
anydnnStatus_t adn_check_spatial(const struct adn_check *check);
anydnnStatus_t adn_check_ctc(const struct adn_check *check);

#endif
