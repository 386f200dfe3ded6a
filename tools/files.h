/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and reads files of any kind that a user names. Opening never blocks, and reading always
 * ends. */
#ifndef TOOLS_FILES_H
#define TOOLS_FILES_H

#include <stdio.h>
#include <sys/types.h>

/* The maximum bytes in a line of text. */
#define TOOL_LINE_MAX (1024 * 1024)
#define TOOL_WHY_MAX  200

/* Opens a regular file for reading, the null device, or a pipe that a process writes to, such as a
 * shell's <(COMMAND). Returns NULL with the reason otherwise. */
FILE *tool_open_read(const char *path, char why[TOOL_WHY_MAX]);

/* Opens a file for writing from its start (mode "w") or at its end ("a"). Returns NULL with the
 * reason for a folder, and for a pipe without a reader. */
FILE *tool_open_write(const char *path, const char *mode, char why[TOOL_WHY_MAX]);

/* Reads a line without its newline into *line, which grows as with getline. Returns its length, -1
 * at the end of the file, or -2 for a line of more than `most` bytes. */
ssize_t tool_read_line(FILE *file, char **line, size_t *capacity, size_t most);

#endif
