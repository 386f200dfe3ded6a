/* SPDX-License-Identifier: Apache-2.0 */
/* Divides on the device, and launches kernels from the host. */
#ifndef CUDA_COMMON_INDEX_H
#define CUDA_COMMON_INDEX_H

#include "divide.h"
#include "plan.h"

#include <cuda_runtime.h>

__device__ static inline uint32_t cuda_divide(uint32_t n, const cuda_divisor &by)
{
    return (__umulhi(n, by.multiplier) + n) >> by.shift;
}

/* Returns the number of blocks for `items` items, `each` per block. */
static inline int64_t cuda_blocks(int64_t items, int64_t each)
{
    return cuda_ceil_div(items, each);
}

/* Launches `kernel` with its single parameter. */
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
                        "the grid would have %lld x %lld blocks; the maximum is %lld x 65535",
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

/* Launches `kernel` in blocks of CUDA_THREADS threads. */
template <class P>
static int32_t cuda_launch(const cuda_call *call, void (*kernel)(P), int64_t x, int64_t y,
                           const P &parameter)
{
    return cuda_launch_threads(call, kernel, x, y, CUDA_THREADS, parameter);
}

#endif
