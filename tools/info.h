/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the files of anydnn info share. */
#ifndef TOOLS_INFO_H
#define TOOLS_INFO_H

#include "common.h"

void tool_info_print(const json_t *answer);

#endif
