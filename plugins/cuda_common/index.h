/* SPDX-License-Identifier: Apache-2.0 */
/* Following a walk on the device; launching kernels on the host. */
#ifndef CUDA_COMMON_INDEX_H
#define CUDA_COMMON_INDEX_H

#include "plan.h"
#include "walk.h"

#include <cuda_runtime.h>

/* Threads of a block, in every kernel. */
#define CUDA_THREADS 256

__device__ static inline uint32_t cuda_divide(uint32_t n, const cuda_divisor &by)
{
    return (__umulhi(n, by.multiplier) + n) >> by.shift;
}

/* Offsets of the first N tensors at step i of a walk. */
template <int N>
__device__ static inline void cuda_walk_place(const cuda_walk &walk, int64_t i, int64_t at[N])
{
    int32_t d = walk.ndims - 1;

    for (int t = 0; t < N; t++)
        at[t] = 0;
    if (!walk.wide) {
        uint32_t left = (uint32_t)i;

        for (; d > 0; d--) {
            uint32_t next = cuda_divide(left, walk.divide[d]);
            int64_t index = left - next * (uint32_t)walk.dims[d];

#pragma unroll
            for (int t = 0; t < N; t++)
                at[t] += index * walk.strides[d][t];
            left = next;
        }
        i = left;
    } else {
        for (; d > 0; d--) {
            int64_t next = i / walk.dims[d], index = i - next * walk.dims[d];

#pragma unroll
            for (int t = 0; t < N; t++)
                at[t] += index * walk.strides[d][t];
            i = next;
        }
    }
#pragma unroll
    for (int t = 0; t < N; t++)
        at[t] += i * walk.strides[0][t];
}

/* Blocks that cover so many items. */
static inline int64_t cuda_blocks(int64_t items, int64_t each)
{
    return cuda_ceil_div(items, each);
}

/* A grid's largest extent along x. */
#define CUDA_BLOCKS_MAX INT64_C(0x7fffffff)

/* Launches `kernel` with its one parameter. */
template <class P>
static int32_t cuda_launch_threads(const cuda_call *call, void (*kernel)(P), int64_t x, int64_t y,
                                   int32_t threads, const P &parameter)
{
    void *arguments[] = {(void *)&parameter};
    cudaError_t error;

    if (x <= 0 || y <= 0)
        return ANYDNN_PLUGIN_STATUS_SUCCESS;
    if (x > CUDA_BLOCKS_MAX || y > 65535)
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                        "the grid would have %lld x %lld blocks; a launch takes "
                        "%lld x 65535",
                        (long long)x, (long long)y, (long long)CUDA_BLOCKS_MAX);
#ifdef __CUDACC__
    error = cuda_launch_kernel((const void *)kernel, (unsigned)x, (unsigned)y, (unsigned)threads, 0,
                               arguments, call->stream);
#else
    error = cudaLaunchKernel(kernel, dim3((unsigned)x, (unsigned)y), dim3((unsigned)threads),
                             arguments, 0, call->stream);
#endif
    if (error == cudaSuccess)
        *call->effect = ANYDNN_PLUGIN_EFFECT_ENQUEUED;
    return cuda_check(call->device, error, "launching a kernel");
}

/* In blocks of CUDA_THREADS. */
template <class P>
static int32_t cuda_launch(const cuda_call *call, void (*kernel)(P), int64_t x, int64_t y,
                           const P &parameter)
{
    return cuda_launch_threads(call, kernel, x, y, CUDA_THREADS, parameter);
}

#endif
