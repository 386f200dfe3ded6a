/* SPDX-License-Identifier: Apache-2.0 */
/* Traces: a line of a file for each call, from which `anydnn replay` runs the calls again. A line
 * has columns separated by tabs: the problem as text, with factors; backend; engine; math in which
 * it runs; microseconds, or `-` if they were not measured; process:thread; the handle's number, or
 * `-`; the number of the dump, or `-`; `ok`, `failed(STATUS)` or `mismatch`. A line that ends
 * otherwise is incomplete. Lines that begin with `#` are comments. */
#ifndef ADN_TRACE_TRACE_H
#define ADN_TRACE_TRACE_H

#include "dispatch/handle/handle.h"
#include "problem/problem.h"

/* Starts the trace of a new handle's calls if the settings request it. */
void adn_trace_begin(anydnnHandle_t handle);
/* Changes this handle's trace: lines of [trace], joined by `;`. The plans are dropped, and the pins
 * stay. */
anydnnStatus_t adn_trace_set(anydnnHandle_t handle, const char *entry, const char *text);

/* A line from another component. */
struct adn_trace_line {
    const struct adn_plan *plan;
    const struct adn_values *values;
    const char *problem; /* as text; NULL: of the plan, with the values */
    double time;         /* microseconds; below 0: not measured */
    uint64_t handle;     /* 0: unknown */
    uint64_t dump;       /* 0: none */
    const char *answer;
};

/* Writes the line to the file of a pattern, with the size and number of files of the settings. */
void adn_trace_write(const char *pattern, const struct adn_settings *settings,
                     const struct adn_trace_line *line);

#endif
