/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithms of a convolution's problem, measured by the library. */
#ifndef TOOLS_PROBLEM_FIND_H
#define TOOLS_PROBLEM_FIND_H

#include "tools/common.h"

#define FIND_CHOICES 16

/* Names as texts of problems spell them. */
struct find_choice {
    const char *algorithm;
    const char *math;
};

/* What anydnnFind... finds, fastest first, at most so many; 0 where it cannot be asked. The
 * choices stay pinned in the handle. `text` is the problem as the library prints it. */
int find_algorithms(anydnnHandle_t handle, anydnnProblem_t problem, const char *text,
                    struct find_choice choice[], int most);
/* Whether it is the name of a transform (Winograd, FFT). */
int find_is_transform(const char *algorithm);
/* The names of all algorithms of the problem's operation, ended by NULL; NULL where there are none.
 */
const char *const *find_names(const char *text);

#endif
