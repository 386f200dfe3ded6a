/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and prunes a tuning file. */
#ifndef ANYDNN_TOOLS_TUNING_LIST_H
#define ANYDNN_TOOLS_TUNING_LIST_H

#include "common.h"

#define TUNING_HEADER "anydnn tuning 1"

/* The fields of a line. */
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

/* The numbers of records that were removed, and that stayed. */
struct tuning_pruned {
    int gone;
    int kept;
};

/* Splits a line at its tabs into fields. Returns 1 for a suspect, 0 for a choice, -1 for other
 * lines. */
int tool_tuning_cut(char *line, char *field[TUNING_FIELDS]);

/* Adds the file's choices and suspects to the answer, and prints them unless the output is JSON. */
int tool_tuning_list(struct tool *tool, const char *path, json_t *answer);

/* Removes the records that name an installed backend in another version or build. Writes the file
 * as the library does: through the user's links, under the lock of its folder. */
int tool_tuning_prune(struct tool *tool, const char *path, struct tuning_pruned *pruned);

#endif
