/* SPDX-License-Identifier: Apache-2.0 */
/* Operands that lie in host memory, whatever space the handle has. */
#ifndef ADN_PROBLEM_HOST_H
#define ADN_PROBLEM_HOST_H

#include <stdint.h>

#include "problem/problem.h"

/* Returns 1 for an operand that lies in host memory. */
int adn_problem_on_host(const struct adn_problem *problem, int32_t slot);
/* Checks what host operands hold against the rules of plugin.h, on which backends rely. `data` is
 * by slot. Reads nothing for operations without such operands. */
anydnnStatus_t adn_problem_check_host(const struct adn_problem *problem, void *const *data,
                                      const char *entry);
/* Checks the same for ctc_loss alone. `dims` are those of x; `labels` has space for `capacity`. */
anydnnStatus_t adn_problem_check_labels(const int64_t *dims, int64_t capacity,
                                        const int32_t *labels, const int32_t *label_lengths,
                                        const int32_t *input_lengths, const char *entry);
/* Fills a host operand with values that keep the rules, for runs that only take the time. */
void adn_problem_fill_host(const struct adn_problem *problem, int32_t slot, void *to);

#endif
