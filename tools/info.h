/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the files of anydnn info share. */
#ifndef TOOLS_INFO_H
#define TOOLS_INFO_H

#include "common.h"

/* Describes a backend; with `operations`, also what each of its operations accepts. */
json_t *tool_info_backend(int index, int operations);
void tool_info_print(const json_t *answer);

#endif
