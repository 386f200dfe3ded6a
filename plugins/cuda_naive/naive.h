/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what the kernels of this backend share: tensors with their pointers, index tuples,
 * elements, block sums and launches. An element kernel has one thread per element of its output. */
#ifndef CUDA_NAIVE_NAIVE_H
#define CUDA_NAIVE_NAIVE_H

#include "../cuda_common/activate.h"
#include "../cuda_common/index.h"
#include "../cuda_common/table.h"

#define NAIVE_DIMS    ANYDNN_PLUGIN_DIM_MAX
#define NAIVE_SPATIAL ANYDNN_PLUGIN_SPATIAL_MAX

/* A tensor as a kernel argument. `data` is NULL if the operand is absent. Strides count lanes. A
 * dim of size 1 has stride 0, so that it is broadcast. */
struct naive_tensor {
    void *data;
    int32_t type;  /* type of a lane */
    int32_t lanes; /* channels per vector; 1 for other types */
    int32_t ndims;
    int64_t count; /* elements */
    int64_t dims[NAIVE_DIMS];
    int64_t strides[NAIVE_DIMS];
};

static inline naive_tensor naive_tensor_of(const struct anydnn_plugin_plan *plan,
                                           const cuda_call *call, int slot)
{
    const struct anydnn_plugin_tensor *from = plan->problem.tensor[slot];
    naive_tensor made = {};

    if (!from)
        return made;
    made.data = call->operands->data[slot];
    made.type = kit_lane_type(from->type);
    made.lanes = (int32_t)kit_lanes(from->type);
    made.ndims = from->ndims;
    made.count = 1;
    for (int d = 0; d < from->ndims; d++) {
        made.dims[d] = from->dims[d];
        made.strides[d] = from->dims[d] > 1 ? from->strides[d] * made.lanes : 0;
        made.count *= from->dims[d];
    }
    return made;
}

static inline cuda_blend naive_blend(const cuda_call *call, int alpha)
{
    return {call->operands->scale[alpha], call->operands->scale[alpha + 1]};
}

/* ------------------------------------------------------------------ indices */

/* Returns the index of this thread in the grid. */
__device__ static inline int64_t naive_thread()
{
    return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* Splits the row-major element number i into an index tuple. */
__device__ static inline void naive_unravel(const int64_t dims[], int ndims, int64_t i,
                                            int64_t index[])
{
    for (int d = ndims - 1; d >= 0; d--) {
        index[d] = i % dims[d];
        i /= dims[d];
    }
}

/* Advances an index tuple in row-major order. Returns false after the last one. */
__device__ static inline bool naive_next(const int64_t dims[], int ndims, int64_t index[])
{
    for (int d = ndims - 1; d >= 0; d--) {
        if (++index[d] < dims[d])
            return true;
        index[d] = 0;
    }
    return false;
}

/* Returns the offset of channel c. */
__device__ static inline int64_t naive_channel(const naive_tensor &t, int64_t c)
{
    return t.lanes == 1 ? c * t.strides[1] : c / t.lanes * t.strides[1] + c % t.lanes;
}

/* Returns the offset of an element. */
__device__ static inline int64_t naive_offset(const naive_tensor &t, const int64_t index[])
{
    int64_t offset = 0;

    for (int d = 0; d < t.ndims; d++)
        offset += d == 1 ? naive_channel(t, index[d]) : index[d] * t.strides[d];
    return offset;
}

/* ------------------------------------------------------------------ elements */

/* Returns the element at an offset, in the type in which elements of type T are computed. */
template <class T>
__device__ static inline typename cuda_arith<T>::type naive_load(const naive_tensor &t,
                                                                 int64_t offset)
{
    return cuda_load(((const T *)t.data)[offset]);
}

/* Returns the element at an offset as a double, for a type known at run time. */
__device__ static inline double naive_load_any(const naive_tensor &t, int64_t offset)
{
    return cuda_load_any(t.type, t.data, offset);
}

/* Stores alpha * value + beta * prior, rounded once. */
__device__ static inline void naive_store(const naive_tensor &t, int64_t offset, double value,
                                          const cuda_blend &blend)
{
    cuda_blend_store_any(t.type, t.data, offset, value, blend);
}

/* ------------------------------------------------------------------ blocks */

/* The largest number of threads of a block that computes one result. */
#define NAIVE_BLOCK 128

/* Joins the values of a block's threads in a fixed order, and returns the result to every thread.
 * join(a, b) returns the join of two values. */
template <class A, class JOIN> __device__ static inline A naive_block_join(A value, JOIN join)
{
    __shared__ A part[NAIVE_BLOCK];

    part[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] = join(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    value = part[0];
    __syncthreads();
    return value;
}

/* Returns the sum of the values of a block's threads to every thread. */
template <class A> __device__ static inline A naive_block_sum(A value)
{
    return naive_block_join(value, [](A a, A b) { return a + b; });
}

/* ------------------------------------------------------------------ launches */

/* Launches one thread for each of `count` elements. */
template <class P>
static int32_t naive_launch(const cuda_call *call, void (*kernel)(P), int64_t count, const P &job)
{
    return cuda_launch(call, kernel, cuda_blocks(count, CUDA_THREADS), 1, job);
}

/* Launches one block for each of `count` sums of `terms` terms. The number of threads is a power
 * of two, and no larger than the sum needs. */
template <class P>
static int32_t naive_launch_blocks(const cuda_call *call, void (*kernel)(P), int64_t count,
                                   int64_t terms, const P &job)
{
    int32_t threads = NAIVE_BLOCK;

    while (threads / 2 >= terms)
        threads /= 2;
    return cuda_launch_threads(call, kernel, count, 1, threads, job);
}

/* The instance of a kernel for a floating type. */
#define NAIVE_FLOATS(kernel, type)                                                                 \
    ((type) == ANYDNN_PLUGIN_FLOAT    ? kernel<float>                                              \
     : (type) == ANYDNN_PLUGIN_DOUBLE ? kernel<double>                                             \
     : (type) == ANYDNN_PLUGIN_HALF   ? kernel<cuda_half>                                          \
                                      : kernel<cuda_bfloat16>)

/* The instance of a kernel for a floating type or int8. */
#define NAIVE_FLOATS_AND_INT8(kernel, type)                                                        \
    ((type) == ANYDNN_PLUGIN_INT8 ? kernel<int8_t> : NAIVE_FLOATS(kernel, type))

#endif
