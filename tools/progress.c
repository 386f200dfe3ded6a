/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a progress bar on standard error if that is a terminal. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "terminal.h"

#define WIDTH 30

/* Moves to the start of the line and clears it. */
#define ERASE "\r\033[K"

void tool_progress(int done, int total, const char *what)
{
    static const char bar[] = "##############################";
    int filled = total > 0 ? WIDTH * done / total : 0;
    char name[61];

    if (!isatty(STDERR_FILENO))
        return;
    fflush(stdout);
    snprintf(name, sizeof(name), "%s", what);
    tool_terminal_clean(name);
    fprintf(stderr, ERASE "[%.*s%*s] %d/%d %s", filled, bar, WIDTH - filled, "", done, total, name);
    fflush(stderr);
}

void tool_progress_end(void)
{
    if (!isatty(STDERR_FILENO))
        return;
    fputs(ERASE, stderr);
    fflush(stderr);
}
