/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the algorithms of a convolution with the library. */
#ifndef TOOLS_PROBLEM_FIND_H
#define TOOLS_PROBLEM_FIND_H

#include "tools/common.h"

#define FIND_CHOICES 16

/* The names as a problem's text spells them. */
struct find_choice {
    const char *algorithm;
    const char *math;
};

/* Stores the results of anydnnFind..., fastest first, up to a maximum. Returns their number, or 0
 * if Find does not apply. The choices stay pinned in the handle. `text` is the problem as the
 * library prints it. */
int find_algorithms(anydnnHandle_t handle, anydnnProblem_t problem, const char *text,
                    struct find_choice choice[], int most);
/* Returns 1 for the name of a transform (Winograd, FFT). */
int find_is_transform(const char *algorithm);
/* Returns the names of all algorithms of the problem's operation, NULL-terminated, or NULL if there
 * are none. */
const char *const *find_names(const char *text);

#endif
