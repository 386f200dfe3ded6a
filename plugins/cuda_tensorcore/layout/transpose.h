/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the copies that transpose (layout/transpose.cu). */
#ifndef CUDA_TENSORCORE_LAYOUT_TRANSPOSE_H
#define CUDA_TENSORCORE_LAYOUT_TRANSPOSE_H

#include "../common/launch.h"
#include "layout.h"

/* Makes the step of a copy whose positions are contiguous. Returns false without a step for any
 * other copy, or if transposing is not worthwhile. */
bool tc_transpose_step(struct tc_step *step, const tc_copy &copy);

#endif
