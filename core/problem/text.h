/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of a problem. Printing and parsing are inverse operations. */
#ifndef ADN_PROBLEM_TEXT_H
#define ADN_PROBLEM_TEXT_H

#include <stddef.h>

#include "problem/problem.h"

/* Enough for the text of any problem: 12 operands of 8 dims and strides. */
#define ADN_PROBLEM_TEXT_MAX 8192

/* Writes the text form, always terminated. Returns its length without the final 0, even if `text`
 * is too short. If `values` is NULL, no factors are printed. */
size_t adn_problem_print(const struct adn_problem *problem, const struct adn_values *values,
                         char *text, size_t size);

/* Reads the text form and infers omitted operands, but checks nothing else. On failure, sets the
 * thread's last error, which names the word and a similar known word. */
anydnnStatus_t adn_problem_parse(const char *text, struct adn_problem *problem,
                                 struct adn_values *values);

#endif
