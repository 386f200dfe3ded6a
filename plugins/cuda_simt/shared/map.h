/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels for operations in which an output element needs only input elements of the same index, or
 * in which each output is computed by itself.
 *
 * cuda_map<Op> runs in vectors of 16 bytes if tensors and pointers allow it. Op has
 *   T                the element type of inputs and outputs
 *   OUT, IN, EXTRA   the number of outputs, inputs and virtual tensors, in the iteration's order
 *   params           the parameters of the formula
 *   A                the type in which it computes: cuda_arith<T>, or double
 *   compute(params, in, extra, out)   from IN numbers and EXTRA offsets to OUT numbers
 *
 * cuda_each<Op> runs one element at a time. Op has OUT, IN, EXTRA and run(job, at), which does
 * everything for the element at these offsets.
 *
 * The name of an Op must be unique to its file: its kernels are named after it, and the linker
 * merges kernels of the same name.
 */
#ifndef CUDA_SIMT_SHARED_MAP_H
#define CUDA_SIMT_SHARED_MAP_H

#include "vector.h"
#include "walk_device.h"

/* The elements of a thread in kernels that handle one at a time. */
#define CUDA_MAP_ITEMS 4

template <class Op> struct cuda_map_job {
    cuda_walk walk;
    void *data[CUDA_WALK_TENSORS];
    cuda_blend blend;
    typename Op::params params;
};

/* ------------------------------------------------------------------ one element at a time */

template <class Op> __global__ void __launch_bounds__(CUDA_THREADS) cuda_each(cuda_map_job<Op> job)
{
    int64_t first = (int64_t)blockIdx.x * (CUDA_THREADS * CUDA_MAP_ITEMS) + threadIdx.x;

    for (int item = 0; item < CUDA_MAP_ITEMS; item++) {
        int64_t i = first + item * CUDA_THREADS;
        int64_t at[Op::OUT + Op::IN + Op::EXTRA];

        if (i >= job.walk.count)
            return;
        cuda_walk_place<Op::OUT + Op::IN + Op::EXTRA>(job.walk, i, at);
        Op::run(job, at);
    }
}

/* ------------------------------------------------------------------ elements of one index */

template <class Op>
__device__ static inline void cuda_map_one(const cuda_map_job<Op> &job, const int64_t at[])
{
    typedef typename Op::T T;
    typedef typename Op::A A;
    A in[Op::IN + 1], out[Op::OUT];

#pragma unroll
    for (int t = 0; t < Op::IN; t++)
        in[t] = cuda_load(((const T *)job.data[Op::OUT + t])[at[Op::OUT + t]]);
    Op::compute(job.params, in, at + Op::OUT + Op::IN, out);
#pragma unroll
    for (int t = 0; t < Op::OUT; t++)
        cuda_blend_store((T *)job.data[t] + at[t], out[t], job.blend);
}

template <class Op>
__global__ void __launch_bounds__(CUDA_THREADS) cuda_map_elements(cuda_map_job<Op> job)
{
    enum { TENSORS = Op::OUT + Op::IN + Op::EXTRA };
    int64_t first = (int64_t)blockIdx.x * (CUDA_THREADS * CUDA_MAP_ITEMS) + threadIdx.x;

    for (int item = 0; item < CUDA_MAP_ITEMS; item++) {
        int64_t i = first + item * CUDA_THREADS;
        int64_t at[TENSORS + 1];

        if (i >= job.walk.count)
            return;
        cuda_walk_place<TENSORS>(job.walk, i, at);
        cuda_map_one<Op>(job, at);
    }
}

/* Reads a vector of an input: in one access, or the same element in each lane. */
template <class T>
__device__ static inline void cuda_vector_read(cuda_vector<T> &to, const void *data, int64_t at,
                                               int64_t lane)
{
    const T *from = (const T *)data + at;

    if (lane) {
        to.whole = *(const uint4 *)from;
        return;
    }
    for (int i = 0; i < cuda_vector<T>::LANES; i++)
        to.lane[i] = *from;
}

/* The formula for the lanes of a vector. An Op may specialize it to handle the lanes together. */
template <class Op> struct cuda_map_lanes {
    typedef typename Op::A A;
    enum { LANES = cuda_vector<typename Op::T>::LANES };

    static __device__ void compute(const typename Op::params &params, const A in[][LANES],
                                   const int64_t at[], const int64_t stride[], A out[][LANES])
    {
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
            A from[Op::IN + 1], result[Op::OUT];
            int64_t extra[Op::EXTRA + 1];

#pragma unroll
            for (int t = 0; t < Op::IN; t++)
                from[t] = in[t][lane];
#pragma unroll
            for (int t = 0; t < Op::EXTRA; t++)
                extra[t] = at[t] + lane * stride[t];
            Op::compute(params, from, extra, result);
#pragma unroll
            for (int t = 0; t < Op::OUT; t++)
                out[t][lane] = result[t];
        }
    }
};

template <class Op>
__device__ static inline void cuda_map_vector(const cuda_map_job<Op> &job, const int64_t at[])
{
    typedef typename Op::T T;
    enum { LANES = cuda_vector<T>::LANES, INPUTS = Op::OUT, EXTRA = Op::OUT + Op::IN };
    typename Op::A from[Op::IN + 1][LANES], result[Op::OUT][LANES];

#pragma unroll
    for (int t = 0; t < Op::IN; t++) {
        cuda_vector<T> in;

        cuda_vector_read(in, job.data[INPUTS + t], at[INPUTS + t], job.walk.lane[INPUTS + t]);
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            from[t][lane] = cuda_load(in.lane[lane]);
    }
    cuda_map_lanes<Op>::compute(job.params, from, at + EXTRA, job.walk.lane + EXTRA, result);
#pragma unroll
    for (int t = 0; t < Op::OUT; t++)
        cuda_vector_store((T *)job.data[t] + at[t], result[t], job.blend);
}

/* Computes a vector per thread, then the remaining elements. */
template <class Op>
__global__ void __launch_bounds__(CUDA_THREADS) cuda_map_vectors(cuda_map_job<Op> job)
{
    enum { TENSORS = Op::OUT + Op::IN + Op::EXTRA };
    int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    int64_t behind = i - job.walk.count;
    int64_t at[TENSORS + 1];

    if (behind < 0) {
        cuda_walk_place<TENSORS>(job.walk, i, at);
        cuda_map_vector<Op>(job, at);
    } else if (behind < job.walk.tail) {
        for (int t = 0; t < TENSORS; t++)
            at[t] = (job.walk.count * job.walk.lanes + behind) * job.walk.lane[t];
        cuda_map_one<Op>(job, at);
    }
}

/* ------------------------------------------------------------------ on the host */

/* The part of a plan that belongs to a map. */
struct cuda_map_plan {
    cuda_walk walk, vectors;
    int32_t can_vectors;
};

template <class Op>
static void cuda_map_prepare(cuda_map_plan *plan, const struct anydnn_plugin_tensor *const tensor[],
                             int order)
{
    cuda_walk_make(&plan->walk, tensor, Op::OUT + Op::IN + Op::EXTRA, KIT_WALK_ALL, order);
    plan->can_vectors = cuda_walk_vectors(&plan->vectors, &plan->walk, Op::OUT + Op::IN,
                                          cuda_vector<typename Op::T>::LANES);
    for (int t = 0; t < Op::OUT; t++)
        plan->can_vectors = plan->can_vectors && cuda_walk_unit(&plan->walk, t);
}

/* Returns 1 if the iteration in vectors fits `data`: data that is accessed 16 bytes at a time
 * begins at a multiple of 16. */
static inline int cuda_map_aligned(const cuda_map_plan *plan, void *const data[], int tensors)
{
    uintptr_t addresses = 0;

    for (int t = 0; t < tensors; t++)
        addresses |= plan->vectors.lane[t] ? (uintptr_t)data[t] : 0;
    return plan->can_vectors && addresses % sizeof(uint4) == 0;
}

/* Launches a map. `job` has pointers, factors and parameters. */
template <class Op>
static int32_t cuda_map_run(const cuda_map_plan *plan, const cuda_call *call, cuda_map_job<Op> *job)
{
    if (cuda_map_aligned(plan, job->data, Op::OUT + Op::IN)) {
        job->walk = plan->vectors;
        return cuda_launch(call, cuda_map_vectors<Op>,
                           cuda_blocks(job->walk.count + job->walk.tail, CUDA_THREADS), 1, *job);
    }
    job->walk = plan->walk;
    return cuda_launch(call, cuda_map_elements<Op>,
                       cuda_blocks(job->walk.count, CUDA_THREADS * CUDA_MAP_ITEMS), 1, *job);
}

template <class Op>
static int32_t cuda_each_run(const cuda_walk *walk, const cuda_call *call, cuda_map_job<Op> *job)
{
    job->walk = *walk;
    return cuda_launch(call, cuda_each<Op>, cuda_blocks(walk->count, CUDA_THREADS * CUDA_MAP_ITEMS),
                       1, *job);
}

/* Cases of a switch over floating types; each calls CASE(T). */
#define CUDA_FLOAT_CASES(CASE)                                                                     \
    case ANYDNN_PLUGIN_FLOAT:                                                                      \
        CASE(float);                                                                               \
        break;                                                                                     \
    case ANYDNN_PLUGIN_DOUBLE:                                                                     \
        CASE(double);                                                                              \
        break;                                                                                     \
    case ANYDNN_PLUGIN_HALF:                                                                       \
        CASE(cuda_half);                                                                           \
        break;                                                                                     \
    case ANYDNN_PLUGIN_BFLOAT16:                                                                   \
        CASE(cuda_bfloat16);                                                                       \
        break

#endif
