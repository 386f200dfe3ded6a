/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what both directions of layer, group and RMS normalization share. A set holds the
 * elements with one mean and one deviation. Sets are numbered like the saved statistics, in
 * row-major order. A is the type of computation, float or double; each operand has a type of its
 * own. */
#ifndef CUDA_NAIVE_NORMALIZATION_KINDS_H
#define CUDA_NAIVE_NORMALIZATION_KINDS_H

#include "../../cuda_common/gelu.h"
#include "../naive.h"

/* A dim of an iteration: `size` steps of `by` along dim `of` of x. The channels of groups are two
 * of them: the groups, and the channels of one. */
struct kinds_dim {
    int64_t size, by;
    int32_t of, is_within;
};

/* The values of a set. The mean is the sum of the first two, which one number would round. */
template <class A> struct kinds_cell {
    A mean, shift, inv_dev;
    A mean_w, mean_wn; /* of the gradients times their factors, and times n; backward only */
};

struct kinds_job {
    naive_tensor x, scale, bias; /* the last two may be absent */
    kinds_dim dim[NAIVE_DIMS + 1];
    int32_t dims;
    int64_t sets, size; /* elements of a set */
    int32_t is_rms, is_centered;
    cuda_activation f;
    double epsilon;
};

static inline void kinds_add(kinds_job *job, int64_t size, int64_t by, int32_t of, int is_within)
{
    job->dim[job->dims++] = {size, by, of, is_within};
    (is_within ? job->size : job->sets) *= size;
}

/* Returns the job of a call, with x as its only tensor. */
static inline kinds_job kinds_job_of(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const struct anydnn_plugin_normalization *params =
        (const struct anydnn_plugin_normalization *)plan->problem.params;
    kinds_job job = {};

    job.x = naive_tensor_of(plan, call, 0);
    job.sets = job.size = 1;
    for (int d = 0; d < job.x.ndims; d++) {
        int64_t members = job.x.dims[d] / params->groups;

        if (params->kind != ANYDNN_PLUGIN_NORMALIZATION_GROUP) {
            kinds_add(&job, job.x.dims[d], 1, d, params->axes >> d & 1);
        } else if (d == params->channel_axis) {
            kinds_add(&job, params->groups, members, d, 0);
            kinds_add(&job, members, 1, d, 1);
        } else {
            kinds_add(&job, job.x.dims[d], 1, d, d > 0);
        }
    }
    job.is_rms = params->kind == ANYDNN_PLUGIN_NORMALIZATION_RMS;
    job.is_centered = (params->flags & ANYDNN_PLUGIN_NORMALIZATION_ZERO_CENTERED) != 0;
    job.f = {params->activation, params->nan_propagate, params->coef};
    job.epsilon = params->epsilon;
    return job;
}

/* The instance of a kernel for the type of x. */
#define KINDS_BY(kernel, type) ((type) == ANYDNN_PLUGIN_DOUBLE ? kernel<double> : kernel<float>)

/* ------------------------------------------------------------------ indices */

/* Computes the index of element `element` of set `set`. */
__device__ static inline void kinds_index(const kinds_job &job, int64_t set, int64_t element,
                                          int64_t at[])
{
    for (int d = 0; d < job.x.ndims; d++)
        at[d] = 0;
    for (int d = job.dims - 1; d >= 0; d--) {
        const kinds_dim &dim = job.dim[d];
        int64_t &left = dim.is_within ? element : set;

        at[dim.of] += left % dim.size * dim.by;
        left /= dim.size;
    }
}

/* Returns the number of the set of an element. */
__device__ static inline int64_t kinds_set(const kinds_job &job, const int64_t at[])
{
    int64_t set = 0;

    for (int d = 0; d < job.dims; d++)
        if (!job.dim[d].is_within)
            set = set * job.dim[d].size + at[job.dim[d].of] / job.dim[d].by;
    return set;
}

/* Returns the offset of a set's statistic. */
__device__ static inline int64_t kinds_saved(const kinds_job &job, const naive_tensor &saved,
                                             int64_t set)
{
    int64_t at[NAIVE_DIMS];

    (void)job;
    naive_unravel(saved.dims, saved.ndims, set, at);
    return naive_offset(saved, at);
}

/* ------------------------------------------------------------------ elements */

/* Returns an operand's element, or `otherwise` where the operand is absent. */
template <class A>
__device__ static inline A kinds_load(const naive_tensor &t, const int64_t at[], A otherwise)
{
    return t.data ? (A)naive_load_any(t, naive_offset(t, at)) : otherwise;
}

template <class A> __device__ static inline A kinds_factor(const kinds_job &job, const int64_t at[])
{
    if (!job.scale.data)
        return 1;
    return (A)job.is_centered + kinds_load<A>(job.scale, at, 0);
}

template <class A> __device__ static inline A kinds_normal(const kinds_cell<A> &cell, A v)
{
    return (v - cell.mean - cell.shift) * cell.inv_dev;
}

/* Computes mean and 1 / sqrt(variance + epsilon) of a block's set in two passes. `load` returns
 * element i. The second pass finds the rounding of the mean, and corrects the squares by it. */
template <class A, class F>
__device__ static inline kinds_cell<A> kinds_statistics(const kinds_job &job, const F &load)
{
    kinds_cell<A> cell = {};
    A sum = 0, squares = 0, count = (A)job.size, variance;

    for (int64_t i = threadIdx.x; !job.is_rms && i < job.size; i += blockDim.x)
        sum += load(i);
    if (!job.is_rms)
        cell.mean = naive_block_sum(sum) / count;
    sum = 0;
    for (int64_t i = threadIdx.x; i < job.size; i += blockDim.x) {
        A difference = load(i) - cell.mean;

        sum += difference;
        squares += difference * difference;
    }
    if (!job.is_rms)
        cell.shift = naive_block_sum(sum) / count;
    variance = naive_block_sum(squares) / count - cell.shift * cell.shift;
    cell.inv_dev = 1 / sqrt((variance < 0 ? 0 : variance) + (A)job.epsilon);
    return cell;
}

#endif
