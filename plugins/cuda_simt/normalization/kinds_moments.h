/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the moments of parts of a set, as in Chan, Golub and LeVeque, "Updating formulae and a
 * pairwise algorithm for computing sample variances", 1979. */
#ifndef CUDA_SIMT_NORMALIZATION_KINDS_MOMENTS_H
#define CUDA_SIMT_NORMALIZATION_KINDS_MOMENTS_H

#include "kinds.h"

/* The mean of some elements, and the sum of the squares of their distances from it. */
struct cuda_kinds_moments {
    float count, mean, squares;
};

__device__ static inline cuda_kinds_moments cuda_kinds_join_moments(const cuda_kinds_moments &a,
                                                                    const cuda_kinds_moments &b)
{
    float count = a.count + b.count, distance = b.mean - a.mean;
    float share = count > 0 ? b.count / count : 0;

    return {count, a.mean + distance * share,
            a.squares + b.squares + distance * distance * a.count * share};
}

/* Joins the moments of a warp's threads. The first thread has the result. */
__device__ static inline cuda_kinds_moments cuda_kinds_join_warp(cuda_kinds_moments of)
{
    for (int by = KINDS_WARP / 2; by > 0; by /= 2) {
        cuda_kinds_moments other;

        other.count = __shfl_down_sync(UINT32_MAX, of.count, (unsigned)by);
        other.mean = __shfl_down_sync(UINT32_MAX, of.mean, (unsigned)by);
        other.squares = __shfl_down_sync(UINT32_MAX, of.squares, (unsigned)by);
        of = cuda_kinds_join_moments(of, other);
    }
    return of;
}

#endif
