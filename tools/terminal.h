/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed for people: without control characters, and commands that a shell runs as meant.
 */
#ifndef TOOLS_TERMINAL_H
#define TOOLS_TERMINAL_H

/* Makes standard output print `?` for control characters but newlines and tabs: problems, paths and
 * backends' sentences come from files that anybody may have written, and a terminal obeys them. */
void tool_terminal_begin(void);

/* Replaces control characters, newlines included, so that a sentence stays one line. */
void tool_terminal_clean(char *text);

/* Returns a word for a shell, in quotes where it needs them, to be freed. */
char *tool_shell_word(const char *text);

/* Returns a command: the words that `words` holds, NULL-terminated, to be freed. Each is quoted,
 * and an empty one is left out. */
char *tool_shell_command(const char *const *words);

#endif
