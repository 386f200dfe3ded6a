/* SPDX-License-Identifier: Apache-2.0 */
/* A bar on standard error, where that is a terminal, while a suite is worked through. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

void tool_progress(int done, int total, const char *what);
void tool_progress_end(void);

#endif
