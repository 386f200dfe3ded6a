/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a progress bar on standard error while a suite runs, if that is a terminal. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

void tool_progress(int done, int total, const char *what);
void tool_progress_end(void);

#endif
