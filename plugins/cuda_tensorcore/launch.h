/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels of any number of threads and any size of shared memory. */
#ifndef CUDA_TENSORCORE_LAUNCH_H
#define CUDA_TENSORCORE_LAUNCH_H

#include "job.h"

/* What every kernel may have without asking, and devices that remember what was asked for. */
#define TC_SHARED_FREE  (48 << 10)
#define TC_DEVICES_SEEN 128

/* More shared memory is asked for once a kernel and device, and all that there is: how much a
 * kernel takes may depend on the problem. To do so twice does no harm. */
template <class P>
static int32_t tc_ask_shared(int32_t device, void (*kernel)(P), int32_t bytes, uint8_t *asked)
{
    cudaError_t error;
    int most = 0;

    if (bytes <= TC_SHARED_FREE ||
        (device < TC_DEVICES_SEEN && __atomic_load_n(&asked[device], __ATOMIC_RELAXED)))
        return CUDA_SUCCESS_STATUS;
    error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute((const void *)kernel,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (error == cudaSuccess && device < TC_DEVICES_SEEN)
        __atomic_store_n(&asked[device], 1, __ATOMIC_RELAXED);
    return cuda_check(device, error, "asking for shared memory");
}

/* A block for each tile of each group, class and split. */
static inline int64_t tc_blocks(const tc_job &job)
{
    return (int64_t)job.row_tiles * job.column_tiles * job.splits * job.conv.groups *
           job.conv.classes;
}

template <class P>
static int32_t tc_launch(const struct cuda_call *call, void (*kernel)(P), int32_t threads,
                         int32_t shared_bytes, uint8_t *asked, int64_t blocks, const P &job)
{
    void *arguments[] = {(void *)&job};
    int32_t status = tc_ask_shared(call->device, kernel, shared_bytes, asked);
    cudaError_t error;

    if (status || blocks <= 0)
        return status;
    if (blocks > CUDA_BLOCKS_MAX)
        return cuda_fail(CUDA_NOT_SUPPORTED, "the grid would have %lld blocks; a launch takes %lld",
                         (long long)blocks, (long long)CUDA_BLOCKS_MAX);
#ifdef __CUDACC__
    error = cuda_launch_kernel((const void *)kernel, (unsigned)blocks, 1, (unsigned)threads,
                               (size_t)shared_bytes, arguments, call->stream);
#else
    error = cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads), arguments,
                             (size_t)shared_bytes, call->stream);
#endif
    if (error == cudaSuccess)
        *call->effect = ANYDNN_PLUGIN_EFFECT_ENQUEUED;
    return cuda_check(call->device, error, "launching a kernel");
}

#endif
