/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that lines of calls go to. Each line is one write at the file's end, so that lines of
 * several threads and processes stay whole, and what was written is there whatever becomes of the
 * process. What such lines tell belongs to the user alone.
 */
#ifndef ADN_TRACE_FILE_H
#define ADN_TRACE_FILE_H

#include <stddef.h>
#include <stdint.h>

struct adn_trace_file;

/* The file of a pattern (%p becomes the process number), the same one for all who ask; it is never
 * closed. NULL, after a warning, where it cannot be had. */
struct adn_trace_file *adn_trace_file_get(const char *pattern, uint64_t size, int32_t keep);

/* Writes a line, whose newline is there. From the first failure on nothing is written. */
void adn_trace_file_add(struct adn_trace_file *file, const char *line, size_t length);

#endif
