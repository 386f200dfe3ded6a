/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates as plain values: what no honest backend offers, and which math a permission includes.
 */
#ifndef ADN_PROBLEM_CANDIDATE_H
#define ADN_PROBLEM_CANDIDATE_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/plugin.h>

/* Precision that a mode permits: what each permission includes. */
int adn_math_permits(int32_t permission, int32_t used);
/* Whether operands may be rounded: default math and tensor_op forbid it. */
int adn_math_permits_rounding(int32_t permission);

/* 1, with what is wrong in `text` ("its notes are ..."), when a candidate of the operation says
 * what plugin.h does not know. A reason is looked at alone. */
int adn_candidate_malformed(int32_t operation, const struct anydnn_plugin_candidate *candidate,
                            char *text, size_t size);

#endif
