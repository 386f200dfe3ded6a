/* SPDX-License-Identifier: Apache-2.0 */
/* Reports ahead of a crash or a hang what it will mean, since the process cannot do so then. */
#include "tools/verify/checks/target.h"

#include <stdio.h>
#include <unistd.h>

#include "tools/problem/edges.h"

static int reports = -1;

void verify_notice(const char *when, const char *check, const char *sentence)
{
    char line[2 * ADN_JUDGE_SENTENCE];
    int length =
        snprintf(line, sizeof(line),
                 "{\"event\":\"notice\",\"when\":\"%s\",\"check\":\"%s\",\"sentence\":\"%s\"}\n",
                 when, check, sentence);

    if (length < (int)sizeof(line) && write(reports, line, (size_t)length) != length)
        _exit(TOOL_FAILED);
}

static void take_access(const char *sentence)
{
    verify_notice("crash", "bounds", sentence);
}

void verify_notice_begin(int fd)
{
    reports = fd;
    edges_watch(take_access);
}
