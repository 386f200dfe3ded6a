/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the sums of a cell into its statistics and into the terms of the gradient, in double. */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_FINISH_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_FINISH_H

#include "batch_norm.h"

struct cuda_norm_moments {
    double mean, var, inv_std;
};

/* Returns the moments from the sums of x - shift and of its square over `count` elements. */
__device__ static inline cuda_norm_moments
cuda_norm_moments_of(double first, double second, double shift, double count, double epsilon)
{
    double off = first / count, var = (second - first * off) / count;

    var = var < 0 ? 0 : var;
    return {shift + off, var, 1 / sqrt(var + epsilon)};
}

/* Stores the running mean and variance and the saved mean and inverse deviation, where they are
 * present. A running value is not read if the factor is 1. The running variance is the sample
 * variance, which is NaN for a single element. Bit i of `shorts` is 1 if data[i] is short. */
template <class T>
__device__ static inline void cuda_norm_keep(void *const data[4], const int64_t at[4],
                                             const cuda_norm_moments &moments, double count,
                                             double factor, uint32_t shorts)
{
    cuda_blend running = {factor, 1 - factor}, saved = {1, 0};
    double sample = count > 1 ? moments.var * (count / (count - 1)) : (double)NAN;

    cuda_norm_store<T>(data[0], at[0], moments.mean, running, shorts & 1);
    cuda_norm_store<T>(data[1], at[1], sample, running, shorts & 2);
    cuda_norm_store<T>(data[2], at[2], moments.mean, saved, shorts & 4);
    cuda_norm_store<T>(data[3], at[3], moments.inv_std, saved, shorts & 8);
}

/* Sets the terms of dx from the sums of g and of g (x - mean). */
__device__ static inline void cuda_norm_gradient_cell(cuda_norm_cell &cell, double g, double gn,
                                                      double count)
{
    cell.dscale = gn / count * cell.inv_std * cell.inv_std;
    cell.dbias = g / count;
    cell.slope = cell.scale * cell.inv_std;
}

#endif
