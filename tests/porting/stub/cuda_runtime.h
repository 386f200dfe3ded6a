/* SPDX-License-Identifier: Apache-2.0 */
/* The part of CUDA's runtime that the porting programs use, for a machine without it: the device is
 * the host. */
#ifndef CUDA_RUNTIME_STUB_H
#define CUDA_RUNTIME_STUB_H

#include <stdlib.h>
#include <string.h>

typedef int cudaError_t;
typedef struct CUstream_st *cudaStream_t;
enum { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

/* Allocates at multiples of 256 bytes, like CUDA; malloc's pointer is stored before the memory. */
static inline cudaError_t stub_malloc(void **pointer, size_t bytes)
{
    char *base = (char *)malloc(bytes + 512);

    if (!base)
        return cudaErrorMemoryAllocation;
    *pointer = base + 512 - (size_t)base % 256;
    memcpy((char *)*pointer - sizeof(base), &base, sizeof(base));
    return cudaSuccess;
}

#ifdef __cplusplus
template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return stub_malloc((void **)pointer, bytes);
}
#else
#define cudaMalloc(pointer, bytes) stub_malloc((void **)(pointer), bytes)
#endif

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                                     enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaMemset(void *to, int value, size_t bytes)
{
    memset(to, value, bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaFree(void *pointer)
{
    char *base = NULL;

    if (pointer)
        memcpy(&base, (char *)pointer - sizeof(base), sizeof(base));
    free(base);
    return cudaSuccess;
}

/* The only stream of the host. */
static inline cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = NULL;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

#endif
