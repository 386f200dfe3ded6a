/* SPDX-License-Identifier: Apache-2.0 */
/* The fastest algorithm of a convolution's problem, measured by the library. */
#ifndef TOOLS_FIND_H
#define TOOLS_FIND_H

#include "common.h"

/* Whether the search found one; its name is then as texts of problems spell it. The choice stays
 * pinned in the handle. `text` is the problem as the library prints it. */
int find_algorithm(anydnnHandle_t handle, anydnnProblem_t problem, const char *text, char *name,
                   size_t size);

#endif
