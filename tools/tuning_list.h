/* SPDX-License-Identifier: Apache-2.0 */
/* The list of a tuning file. */
#ifndef ANYDNN_TOOLS_TUNING_LIST_H
#define ANYDNN_TOOLS_TUNING_LIST_H

#include "common.h"

/* Puts its choices and suspects into the answer, and prints them unless that is to be JSON. */
int tool_tuning_list(struct tool *tool, const char *path, json_t *answer);

#endif
