/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what the operations of batch normalization share. A cell is a set of elements with a
 * common mean and variance. It is a channel or, in the per-activation mode, one position in all
 * images. Cells are numbered in row-major order. */
#ifndef CUDA_NAIVE_NORMALIZATION_BATCH_NORM_H
#define CUDA_NAIVE_NORMALIZATION_BATCH_NORM_H

#include "../naive.h"

/* The values of a cell. Only the gradient uses dscale and dbias. */
struct norm_cell {
    double mean;
    double inv_std; /* 1 / sqrt(variance + epsilon) */
    double dscale, dbias;
};

struct norm_job {
    naive_tensor x, y, z, scale, bias; /* z and bias may be absent */
    uint8_t *reserve;                  /* one bit per element in logical order; NULL if unused */
    norm_cell *cells;
    int32_t per_activation;
    int32_t is_activated;
    int64_t count; /* elements per cell */
    int64_t run;   /* elements of a cell per image */
    cuda_activation f;
    cuda_blend blend;
    double epsilon;
};

static_assert(KIT_SAME_SLOT(batch_normalization_inference, batch_normalization_training, x) &&
                  KIT_SAME_SLOT(batch_normalization_inference, batch_normalization_backward, x),
              "the operations of batch normalization share functions");

/* Returns the job of a call. x is its only tensor. */
static inline norm_job norm_job_of(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const struct anydnn_plugin_batch_normalization *params =
        (const struct anydnn_plugin_batch_normalization *)plan->problem.params;
    norm_job job = {};

    job.x = naive_tensor_of(plan, call, slot_batch_normalization_inference_x);
    job.per_activation = params->mode == ANYDNN_PLUGIN_BATCHNORM_PER_ACTIVATION;
    job.is_activated = params->ops != ANYDNN_PLUGIN_BATCHNORM_OPS_BN;
    job.run = job.per_activation ? 1 : job.x.count / job.x.dims[0] / job.x.dims[1];
    job.count = job.run * job.x.dims[0];
    job.f = {params->activation, params->nan_propagate, params->coef};
    job.blend = naive_blend(call, 0);
    job.epsilon = params->epsilon;
    return job;
}

CUDA_BOTH int64_t norm_cells(const norm_job &job)
{
    return job.x.count / job.count;
}

/* Returns the cell of element number `element` in logical order. */
__device__ static inline int64_t norm_cell_of(const norm_job &job, int64_t element)
{
    return element / job.run % norm_cells(job);
}

/* Returns the number of element i of a cell, in logical order. */
__device__ static inline int64_t norm_element(const norm_job &job, int64_t cell, int64_t i)
{
    return (i / job.run * norm_cells(job) + cell) * job.run + i % job.run;
}

/* Returns the offset of a cell's parameter. The parameter's tensor is broadcast along the other
 * dims. */
__device__ static inline int64_t norm_parameter(const norm_job &job, const naive_tensor &parameter,
                                                int64_t cell)
{
    int64_t at[NAIVE_DIMS];

    naive_unravel(job.x.dims, job.x.ndims, cell * job.run, at);
    return naive_offset(parameter, at);
}

/* Returns (x - mean) / std * scale + bias + z for the element at an index. The activation is not
 * applied. */
template <class T>
__device__ static inline double norm_value(const norm_job &job, int64_t cell, const int64_t at[])
{
    const norm_cell &of = job.cells[cell];
    double v = ((double)naive_load<T>(job.x, naive_offset(job.x, at)) - of.mean) * of.inv_std;

    v *= naive_load_any(job.scale, norm_parameter(job, job.scale, cell));
    if (job.bias.data)
        v += naive_load_any(job.bias, norm_parameter(job, job.bias, cell));
    return job.z.data ? v + (double)naive_load<T>(job.z, naive_offset(job.z, at)) : v;
}

/* Returns true if the activation at v passes its gradient. The reserve stores this bit. */
__device__ static inline bool norm_passes(const cuda_activation &f, double v)
{
    if (f.mode != CUDA_RELU && f.mode != CUDA_CLIPPED_RELU)
        return true;
    return v > 0 && !(f.mode == CUDA_CLIPPED_RELU && v >= f.coef);
}

/* Computes the mean and the variance of a block's cell in two passes. */
template <class T>
__device__ static inline void norm_statistics(const norm_job &job, int64_t cell, double *mean,
                                              double *variance)
{
    typedef typename cuda_arith<T>::type A;
    int64_t at[NAIVE_DIMS];
    A sum = 0, center;

    for (int64_t i = threadIdx.x; i < job.count; i += blockDim.x) {
        naive_unravel(job.x.dims, job.x.ndims, norm_element(job, cell, i), at);
        sum += naive_load<T>(job.x, naive_offset(job.x, at));
    }
    center = naive_block_sum(sum) / (A)job.count;
    sum = 0;
    for (int64_t i = threadIdx.x; i < job.count; i += blockDim.x) {
        A v;

        naive_unravel(job.x.dims, job.x.ndims, norm_element(job, cell, i), at);
        v = naive_load<T>(job.x, naive_offset(job.x, at)) - center;
        sum += v * v;
    }
    *mean = (double)center;
    *variance = (double)(naive_block_sum(sum) / (A)job.count);
}

#endif
