/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for candidates as plain values: what a backend must not offer, and which math a mode
 * permits. */
#ifndef ADN_PROBLEM_CANDIDATE_H
#define ADN_PROBLEM_CANDIDATE_H

#include <stddef.h>
#include <stdint.h>

#include <anydnn/plugin.h>

/* Returns 1 if the permission includes the math that is used. */
int adn_math_permits(int32_t permission, int32_t used);
/* Returns 1 if operands may be rounded. Default math and tensor_op forbid it. */
int adn_math_permits_rounding(int32_t permission);

/* Returns 1 if a candidate of the operation has a value that plugin.h does not define, with a
 * description in `text` ("its notes are ..."). If it has a reason, nothing else is checked. */
int adn_candidate_malformed(int32_t operation, const struct anydnn_plugin_candidate *candidate,
                            char *text, size_t size);

#endif
