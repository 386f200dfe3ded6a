/* SPDX-License-Identifier: Apache-2.0 */
/* Where rows, columns and terms of a convolution as a product of matrices lie, for a job of any
 * direction: rows are positions and terms are taps, or in direction filter the reverse. */
#ifndef CUDA_COMMON_CONV_PLACE_H
#define CUDA_COMMON_CONV_PLACE_H

#include "conv_job.h"
#include "conv_view.h"

CUDA_BOTH int32_t conv_least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

CUDA_BOTH bool conv_rows_are_taps(const conv_job &job)
{
    return job.conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
}

CUDA_BOTH void conv_place_any(conv_place *place, const conv_job &job, const conv_view &view,
                              int32_t index, bool tap)
{
    if (tap)
        conv_place_tap(place, job.conv, view, index, job.channels_inside);
    else
        conv_place_position(place, job.conv, view, index);
}

/* From column to column in the output; where the columns of a group begin. */
CUDA_BOTH int64_t conv_column_step(const conv_job &job)
{
    return conv_rows_are_taps(job) ? job.conv.tap_column : job.conv.position.step;
}

CUDA_BOTH int64_t conv_column_group(const conv_job &job)
{
    return conv_rows_are_taps(job) ? job.conv.tap_group : job.conv.columns * job.conv.position.step;
}

/* `at` and `by` together lie in the gathered tensor. */
__device__ static inline bool conv_is_inside(const conv &conv, const conv_place &at,
                                             const conv_place &by)
{
    bool inside = true;

#pragma unroll
    for (int d = 0; d < CONV_DIMS; d++)
        inside &= (uint32_t)(at.at[d] + by.at[d]) < (uint32_t)conv.dim[CONV_FIRST + d].gathered;
    return inside;
}

#endif
