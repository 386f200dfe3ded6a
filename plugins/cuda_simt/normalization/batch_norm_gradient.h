/* SPDX-License-Identifier: Apache-2.0 */
/* The first step of batch normalization backward: the gradient before the activation, and its sums
 * over each cell (batch_norm_gradient.cu). batch_norm_backward.cu explains the names. */
#ifndef CUDA_SIMT_NORMALIZATION_BATCH_NORM_GRADIENT_H
#define CUDA_SIMT_NORMALIZATION_BATCH_NORM_GRADIENT_H

#include "batch_norm_nhwc.h"

struct norm_backward_params {
    cuda_norm_cell *cells;
    const uint8_t *reserve; /* NULL without activation */
    const void *y;          /* NULL if not needed */
    cuda_activation f;
    double count; /* elements of a cell */
    double alpha_param, beta_param;
    int32_t has_stats; /* 1 if the cells already hold the statistics */
    uint32_t shorts;   /* the tensors of batch_norm_gradient.cu that are short, as bits */
};

/* Returns g of the element at `index` in logical order, for activations whose g is dy or 0. */
__device__ static inline double passed(const norm_backward_params &p, int64_t index, double dy)
{
    return p.reserve && !(p.reserve[index / 8] >> (index % 8) & 1) ? 0 : dy;
}

/* Returns g of an element for any activation. */
__device__ static inline double before_activation(const norm_backward_params &p,
                                                  const cuda_norm_cell &cell, int64_t index,
                                                  double x, double dy, double y)
{
    if (!p.reserve)
        return dy;
    if (!(p.reserve[index / 8] >> (index % 8) & 1))
        return 0;
    return cuda_activation_gradient(p.f, y, dy,
                                    cell.scale * ((x - cell.mean) * cell.inv_std) + cell.bias);
}

/* ------------------------------------------------------------------ on the host */

void norm_gradient_prepare(cuda_reduce_plan *sums, const struct anydnn_plugin_plan *plan);
/* Fills the cells and stores dscale and dbias. If `rows` is not NULL, it reduces by rows of
 * channels, with the partial sums in `rows`. */
int32_t norm_gradient_run(const cuda_reduce_plan *sums, const struct anydnn_plugin_plan *plan,
                          const cuda_call *call, const norm_backward_params &params,
                          const cuda_norm_nhwc_job *rows);

#endif
