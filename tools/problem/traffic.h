/* SPDX-License-Identifier: Apache-2.0 */
/* What a problem costs at least: operations on numbers, and bytes to and from memory. */
#ifndef TOOLS_PROBLEM_TRAFFIC_H
#define TOOLS_PROBLEM_TRAFFIC_H

#include "tools/problem/operands.h"

struct traffic {
    double flops;
    double bytes;
};

/* `text` is the problem as the library prints it. Returns -1 for an operation without a row. */
int traffic_of(const struct operands *operands, const char *text, struct traffic *traffic);

/* The least microseconds that the two ceilings (a second; 0: unknown) leave, the larger one. */
double traffic_floor(const struct traffic *traffic, double peak_flops, double peak_bytes);

#endif
