/* SPDX-License-Identifier: Apache-2.0 */
/* Implements reduce_tensor with a block per element of c. c = alpha * (a reduced along every dim
 * in which c has 1) + beta * c. Minima and maxima return their indices on request. */
#include "../naive.h"

struct reduce_job {
    naive_tensor a, c, indices;
    int64_t extents[NAIVE_DIMS]; /* extents of the reduced dims; 1 for the other dims */
    int64_t count;               /* elements of a per element of c */
    int32_t op;                  /* ANYDNN_PLUGIN_REDUCE_TENSOR_xxx */
    int32_t nan_propagate;
    cuda_blend blend;
};

/* A partial result: a sum, a product, or the element chosen so far. The index is -1 if no
 * element is chosen. */
template <class A> struct reduce_part {
    A value;
    int64_t index;
};

/* ------------------------------------------------------------------ operators */

CUDA_BOTH bool multiplies(int32_t op)
{
    return op == ANYDNN_PLUGIN_REDUCE_TENSOR_MUL || op == ANYDNN_PLUGIN_REDUCE_TENSOR_MUL_NO_ZEROS;
}

CUDA_BOTH bool chooses(int32_t op)
{
    return op == ANYDNN_PLUGIN_REDUCE_TENSOR_MIN || op == ANYDNN_PLUGIN_REDUCE_TENSOR_MAX ||
           op == ANYDNN_PLUGIN_REDUCE_TENSOR_AMAX;
}

/* Returns the value with which an element enters the reduction. */
template <class A> __device__ static inline A term(int32_t op, A v)
{
    switch (op) {
    case ANYDNN_PLUGIN_REDUCE_TENSOR_AMAX:
    case ANYDNN_PLUGIN_REDUCE_TENSOR_NORM1:
        return fabs(v);
    case ANYDNN_PLUGIN_REDUCE_TENSOR_NORM2:
        return v * v;
    case ANYDNN_PLUGIN_REDUCE_TENSOR_MUL_NO_ZEROS:
        return v == 0 ? 1 : v;
    default:
        return v;
    }
}

/* Returns true if v replaces the value `best`. If NaN propagates, a NaN replaces any number and
 * stays. Otherwise a NaN replaces nothing, and any number replaces it. */
template <class A> __device__ static inline bool beats(const reduce_job &job, A v, A best)
{
    if (isnan(v))
        return job.nan_propagate && !isnan(best);
    if (isnan(best))
        return !job.nan_propagate;
    return job.op == ANYDNN_PLUGIN_REDUCE_TENSOR_MIN ? v < best : v > best;
}

/* Combines two partial results. The first of equal elements is chosen. */
template <class A>
__device__ static inline reduce_part<A> join(const reduce_job &job, const reduce_part<A> &a,
                                             const reduce_part<A> &b)
{
    if (multiplies(job.op))
        return {a.value * b.value, a.index};
    if (!chooses(job.op))
        return {a.value + b.value, a.index};
    if (b.index >= 0 && (a.index < 0 || beats(job, b.value, a.value) ||
                         (!beats(job, a.value, b.value) && b.index < a.index)))
        return b;
    return a;
}

/* ------------------------------------------------------------------ kernels */

__device__ static inline void store_index(const naive_tensor &t, int64_t offset, int64_t index)
{
    switch (t.type) {
    case ANYDNN_PLUGIN_UINT8:
        ((uint8_t *)t.data)[offset] = (uint8_t)index;
        break;
    case ANYDNN_PLUGIN_UINT16:
        ((uint16_t *)t.data)[offset] = (uint16_t)index;
        break;
    case ANYDNN_PLUGIN_UINT32:
        ((uint32_t *)t.data)[offset] = (uint32_t)index;
        break;
    default:
        ((uint64_t *)t.data)[offset] = (uint64_t)index;
    }
}

template <class A>
__device__ static inline void finish(const reduce_job &job, const int64_t at[],
                                     const reduce_part<A> &part)
{
    double value = (double)part.value;

    if (job.op == ANYDNN_PLUGIN_REDUCE_TENSOR_AVG)
        value /= (double)job.count;
    if (job.op == ANYDNN_PLUGIN_REDUCE_TENSOR_NORM2)
        value = sqrt(value);
    naive_store(job.c, naive_offset(job.c, at), value, job.blend);
    if (job.indices.data)
        store_index(job.indices, naive_offset(job.indices, at), part.index);
}

/* Reduces elements in the arithmetic type of T. Indices count elements in logical order. */
template <class T> __global__ void reduce_elements(reduce_job job)
{
    typedef typename cuda_arith<T>::type A;
    int64_t first[NAIVE_DIMS], at[NAIVE_DIMS];
    reduce_part<A> part = {(A)(multiplies(job.op) ? 1 : 0), -1};

    naive_unravel(job.c.dims, job.c.ndims, blockIdx.x, first);
    for (int64_t i = threadIdx.x; i < job.count; i += blockDim.x) {
        naive_unravel(job.extents, job.a.ndims, i, at);
        for (int d = 0; d < job.a.ndims; d++)
            at[d] += first[d];
        part = join(job, part, {term(job.op, naive_load<T>(job.a, naive_offset(job.a, at))), i});
    }
    part = naive_block_join(
        part, [&job](const reduce_part<A> &a, const reduce_part<A> &b) { return join(job, a, b); });
    if (threadIdx.x == 0)
        finish(job, first, part);
}

/* ------------------------------------------------------------------ on the host */

static int32_t run(const struct anydnn_plugin_plan *plan, const cuda_call *call)
{
    const struct anydnn_plugin_reduce *params =
        (const struct anydnn_plugin_reduce *)plan->problem.params;
    reduce_job job = {};

    job.a = naive_tensor_of(plan, call, slot_reduce_tensor_a);
    job.c = naive_tensor_of(plan, call, slot_reduce_tensor_c);
    job.indices = naive_tensor_of(plan, call, slot_reduce_tensor_indices);
    for (int d = 0; d < job.a.ndims; d++)
        job.extents[d] = job.a.dims[d] == job.c.dims[d] ? 1 : job.a.dims[d];
    job.count = job.a.count / job.c.count;
    job.op = params->op;
    job.nan_propagate = params->nan_propagate;
    job.blend = naive_blend(call, 0);
    return naive_launch_blocks(call, NAIVE_FLOATS_AND_INT8(reduce_elements, job.a.type),
                               job.c.count, job.count, job);
}

CUDA_OPERATION(reduce_tensor, REDUCE_TENSOR, .types = CUDA_FLOATS | CUDA_TYPE(INT8),
               .layouts = KIT_LAYOUTS, .run = run);
