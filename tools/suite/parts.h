/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of suites share: names, and the conversion of one line. */
#ifndef TOOLS_SUITE_PARTS_H
#define TOOLS_SUITE_PARTS_H

#include "tools/suite/suite.h"

#define SUITE_ENDING ".suite"

const char *suite_folder(const struct suite_options *options, char *path, size_t size);
/* Finds the suite's exact name. Fails with a list of similar names. */
int suite_locate(struct tool *tool, const struct suite_options *options, const char *given,
                 char *name, size_t size);

/* Adds the problems of the layer in the requested directions, which may be none. */
int suite_add_layer(struct tool *tool, const struct suite_options *options, const char *layer,
                    const char *text, struct suite *suite);

#endif
