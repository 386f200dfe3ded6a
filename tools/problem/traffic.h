/* SPDX-License-Identifier: Apache-2.0 */
/* The least cost of a problem: arithmetic operations, and bytes from and to memory. */
#ifndef TOOLS_PROBLEM_TRAFFIC_H
#define TOOLS_PROBLEM_TRAFFIC_H

#include "tools/problem/operands.h"

struct traffic {
    double flops;
    double bytes;
};

/* Computes the cost. `text` is the problem as the library prints it. Returns -1 for an operation
 * without a row. */
int traffic_of(const struct operands *operands, const char *text, struct traffic *traffic);

/* Returns the least microseconds under the two ceilings (per second; 0: unknown), which is the
 * larger time. */
double traffic_floor(const struct traffic *traffic, double peak_flops, double peak_bytes);

#endif
