/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces: a line of a file for each call, from which `anydnn replay` runs the calls again. A line
 * is columns with a tab between each two: the problem as text, with factors; backend; engine; math
 * that it runs in; microseconds, or `-` where calls return before they are done; process:thread;
 * the handle's number; `-`; `ok`, or `failed(STATUS)`. A line that does not end so was cut. Lines
 * that begin with `#` are for people.
 */
#ifndef ADN_TRACE_TRACE_H
#define ADN_TRACE_TRACE_H

#include "dispatch/handle/handle.h"

/* Lets a new handle's calls be written where the settings ask for that. */
void adn_trace_begin(anydnnHandle_t handle);

#endif
