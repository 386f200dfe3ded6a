/* SPDX-License-Identifier: Apache-2.0 */
/* What a tuning file holds: its list, and what it may lose. */
#ifndef ANYDNN_TOOLS_TUNING_LIST_H
#define ANYDNN_TOOLS_TUNING_LIST_H

#include "common.h"

#define TUNING_HEADER "anydnn tuning 1"

/* Fields of a line. */
enum tuning_field {
    TUNING_PROBLEM,
    TUNING_DEVICE,
    TUNING_BACKENDS,
    TUNING_LIMIT,
    TUNING_BACKEND,
    TUNING_ENGINE,
    TUNING_TIME,
    TUNING_FIELDS
};

/* Records of a file that went, and that stayed. */
struct tuning_pruned {
    int gone;
    int kept;
};

/* The fields of a line, which is cut at its tabs; 1 for a suspect's, 0 for a choice, -1 for none.
 */
int tool_tuning_cut(char *line, char *field[TUNING_FIELDS]);

/* Puts its choices and suspects into the answer, and prints them unless that is to be JSON. */
int tool_tuning_list(struct tool *tool, const char *path, json_t *answer);

/* Takes out the records that ask an installed backend in another version or build, as the library
 * writes the file: behind the user's own links, under the lock of its folder. */
int tool_tuning_prune(struct tool *tool, const char *path, struct tuning_pruned *pruned);

#endif
