/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the coordinates of m, n and k of the implicit GEMM, for a job of any direction. In
 * fprop and dgrad, m is a position and k a tap of a channel; in wgrad it is the reverse. */
#ifndef CUDA_COMMON_CONV_COORDS_H
#define CUDA_COMMON_CONV_COORDS_H

#include "conv_job.h"
#include "conv_view.h"

CUDA_BOTH int32_t conv_least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

CUDA_BOTH bool conv_job_is_wgrad(const conv_job &job)
{
    return job.conv.direction == ANYDNN_PLUGIN_CONVOLUTION_BACKWARD_FILTER;
}

CUDA_BOTH void conv_coords_any(conv_coords *coords, const conv_job &job, const conv_view &view,
                               int32_t index, bool tap)
{
    if (tap)
        conv_coords_of_tap(coords, job.conv, view, index, job.channels_inside);
    else
        conv_coords_of_position(coords, job.conv, view, index);
}

/* These functions return the stride of n in C, and the stride from one group to the next. */
CUDA_BOTH int64_t conv_n_step(const conv_job &job)
{
    return conv_job_is_wgrad(job) ? job.conv.tap_n : job.conv.position.step;
}

CUDA_BOTH int64_t conv_n_group(const conv_job &job)
{
    return conv_job_is_wgrad(job) ? job.conv.tap_group : job.conv.n * job.conv.position.step;
}

/* Returns true if the coordinate `at` + `by` lies inside A's tensor. */
__device__ static inline bool conv_is_inside(const conv &conv, const conv_coords &at,
                                             const conv_coords &by)
{
    bool inside = true;

#pragma unroll
    for (int d = 0; d < CONV_DIMS; d++)
        inside &= (uint32_t)(at.at[d] + by.at[d]) < (uint32_t)conv.dim[CONV_FIRST + d].a_extent;
    return inside;
}

#endif
