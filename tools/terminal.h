/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares text for people: removes control characters, and quotes commands for a shell. */
#ifndef TOOLS_TERMINAL_H
#define TOOLS_TERMINAL_H

/* Makes standard output print `?` for control characters other than newlines and tabs. Problems,
 * paths and backend messages come from untrusted files, and a terminal executes control
 * sequences. */
void tool_terminal_begin(void);

/* Replaces control characters, including newlines, so that a message stays on one line. */
void tool_terminal_clean(char *text);

/* Returns a word for a shell, quoted if necessary. The caller frees it. */
char *tool_shell_word(const char *text);

/* Returns a command made of the NULL-terminated `words`, each quoted. Skips empty words. The caller
 * frees it. */
char *tool_shell_command(const char *const *words);

#endif
