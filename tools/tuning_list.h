/* SPDX-License-Identifier: Apache-2.0 */
/* What a tuning file holds: its list, and what it may lose. */
#ifndef ANYDNN_TOOLS_TUNING_LIST_H
#define ANYDNN_TOOLS_TUNING_LIST_H

#include "common.h"

#define TUNING_HEADER "anydnn tuning 1"

/* Records of a file that went, and that stayed. */
struct tuning_pruned {
    int gone;
    int kept;
};

/* Puts its choices and suspects into the answer, and prints them unless that is to be JSON. */
int tool_tuning_list(struct tool *tool, const char *path, json_t *answer);

/* Takes out the records that ask an installed backend in another version or build, under the lock
 * of the file's folder; a link stays one. */
int tool_tuning_prune(struct tool *tool, const char *path, struct tuning_pruned *pruned);

#endif
