/* SPDX-License-Identifier: Apache-2.0 */
/* The spellings of one normalization. */
#ifndef ADN_PROBLEM_KINDS_H
#define ADN_PROBLEM_KINDS_H

#include <stdint.h>

#include "problem/problem.h"

/* Replaces INSTANCE by GROUP with a group for each channel of `x`, so that equal operations are
 * equal problems and backends know one kind less. Does not check that the channel axis exists. */
void adn_normalization_settle_kind(struct anydnn_plugin_normalization *params,
                                   const struct anydnn_plugin_tensor *x);
/* Does the same for a problem of any operation. */
void adn_problem_settle_kind(struct adn_problem *problem);

/* Fills the dims of a normalization's statistics: 1 along the dims that they sum over. */
void adn_normalization_statistics(const struct anydnn_plugin_normalization *params,
                                  const struct anydnn_plugin_tensor *x, int64_t *dims);

#endif
