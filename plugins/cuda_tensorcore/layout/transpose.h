/* SPDX-License-Identifier: Apache-2.0 */
/* What copies by transposing: layout/transpose.cu. */
#ifndef CUDA_TENSORCORE_LAYOUT_TRANSPOSE_H
#define CUDA_TENSORCORE_LAYOUT_TRANSPOSE_H

#include "../common/launch.h"
#include "layout.h"

/* Makes the step of a copy whose positions lie in a row; false, and no step, for any other, or
 * where transposing is not worth it. */
bool tc_transpose_step(struct tc_step *step, const tc_copy &copy);

#endif
