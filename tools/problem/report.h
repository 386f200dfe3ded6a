/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of anydnn run: outputs, time, comparison, and the backend that ran. */
#ifndef TOOLS_PROBLEM_REPORT_H
#define TOOLS_PROBLEM_REPORT_H

#include "tools/problem/execute.h"

/* Returns the contents of an operand after the run. For an alias, this is the shared memory. */
const unsigned char *report_after(const struct operands *operands, const struct outcome *outcome,
                                  int index);

json_t *report_outputs(const struct operands *operands, const struct outcome *outcome);
json_t *report_time(double *microseconds, int count);
/* Returns the comparison. `tolerance` below 0 selects the default of each output's type. */
json_t *report_check(const char *backend, double tolerance, const struct operands *operands,
                     const struct outcome *first, const struct outcome *second);

void report_print(const json_t *answer);
/* Fails if the comparison failed. */
int report_verdict(struct tool *tool, const json_t *answer);

#endif
