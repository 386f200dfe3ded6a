/* SPDX-License-Identifier: Apache-2.0 */
/* The file that lines of calls go to. Each line is one write at the file's end. Lines of several
 * threads and processes thus stay whole, and what was written survives the process. The content of
 * such lines is private to the user. */
#ifndef ADN_TRACE_FILE_H
#define ADN_TRACE_FILE_H

#include <stddef.h>
#include <stdint.h>

struct adn_trace_file;

/* Returns the file of a pattern (%p becomes the process number). All callers share it, and it is
 * never closed. Returns NULL, after a warning, if it cannot be opened. */
struct adn_trace_file *adn_trace_file_get(const char *pattern, uint64_t size, int32_t keep);

/* Writes a line, which has its newline. Nothing is written after the first failure. */
void adn_trace_file_add(struct adn_trace_file *file, const char *line, size_t length);

#endif
