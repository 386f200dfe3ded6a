/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of suites share among themselves: names, and one line as the options want it. */
#ifndef TOOLS_SUITE_PARTS_H
#define TOOLS_SUITE_PARTS_H

#include "tools/suite/suite.h"

#define SUITE_ENDING ".suite"

const char *suite_folder(const struct suite_options *options, char *path, size_t size);
/* The suite's own name for what was given; fails with the names near to it. */
int suite_locate(struct tool *tool, const struct suite_options *options, const char *given,
                 char *name, size_t size);

/* Adds the problems that the layer gives, none where it has none of the directions. */
int suite_add_layer(struct tool *tool, const struct suite_options *options, const char *layer,
                    const char *text, struct suite *suite);

#endif
