/* SPDX-License-Identifier: Apache-2.0 */
/* What anydnn run says: outputs, time, comparison, and who did it. */
#ifndef TOOLS_PROBLEM_REPORT_H
#define TOOLS_PROBLEM_REPORT_H

#include "tools/problem/execute.h"

/* What an operand held after the run, an alias in the memory that it shares. */
const unsigned char *report_after(const struct operands *operands, const struct outcome *outcome,
                                  int index);

json_t *report_outputs(const struct operands *operands, const struct outcome *outcome);
json_t *report_time(double *microseconds, int count);
/* `tolerance` below 0 means that of each output's type. */
json_t *report_check(const char *backend, double tolerance, const struct operands *operands,
                     const struct outcome *first, const struct outcome *second);

void report_print(const json_t *answer);
/* Fails when the comparison did. */
int report_verdict(struct tool *tool, const json_t *answer);

#endif
