/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of CUDA's runtime that relu.c uses, for a machine without CUDA: the device is the host.
 */
#ifndef EXAMPLE_CUDA_RUNTIME_H
#define EXAMPLE_CUDA_RUNTIME_H

#include <stdlib.h>

typedef int cudaError_t;
typedef struct CUstream_st *cudaStream_t;
enum { cudaSuccess = 0, cudaErrorMemoryAllocation = 2, cudaMemAttachGlobal = 1 };

static inline cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    (void)flags;
    *pointer = malloc(bytes);
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

static inline cudaError_t cudaFree(void *pointer)
{
    free(pointer);
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

#endif
