/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the elements of a tensor without touching the gaps between them. */
#include "copy.h"

#include "../kit/names.h"

#include <cuda_runtime.h>

#define THREADS    256
#define BLOCKS_MAX 2048 /* exceeds the resident blocks of any device */
#define DIMS_MAX   (ANYDNN_PLUGIN_DIM_MAX + 1)

/* The arguments of a copy. Dims and strides count scalars; a vector of channels has several. */
struct copy_job {
    void *to;
    const void *from;
    int64_t total;
    int64_t dims[DIMS_MAX], strides[DIMS_MAX];
    int32_t ndims;
};

template <class T> static __global__ void __launch_bounds__(THREADS) copy_kernel(const copy_job job)
{
    int64_t step = (int64_t)gridDim.x * THREADS;

    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < job.total; i += step) {
        int64_t rest = i, at = 0;

        for (int32_t d = job.ndims - 1; d >= 0; d--) {
            at += rest % job.dims[d] * job.strides[d];
            rest /= job.dims[d];
        }
        ((T *)job.to)[at] = ((const T *)job.from)[at];
    }
}

template <class T> static int32_t copy_launch(int32_t device, cudaStream_t stream, copy_job &job)
{
    int64_t blocks = (job.total + THREADS - 1) / THREADS;
    unsigned count = (unsigned)(blocks > BLOCKS_MAX ? BLOCKS_MAX : blocks);
    void *arguments[] = {(void *)&job};
    cudaError_t error;

#ifdef __CUDACC__
    error =
        cuda_launch_kernel((const void *)copy_kernel<T>, count, 1, THREADS, 0, arguments, stream);
#else
    error = cudaLaunchKernel(copy_kernel<T>, dim3(count), dim3(THREADS), arguments, 0, stream);
#endif
    return cuda_check(device, error, "copying an operand that is not aligned");
}

static void copy_shape(copy_job &job, const struct anydnn_plugin_tensor *tensor)
{
    int64_t lanes = kit_lanes(tensor->type);

    job.total = 1;
    for (int32_t d = 0; d < tensor->ndims; d++) {
        job.dims[d] = d == 1 ? tensor->dims[d] / lanes : tensor->dims[d];
        job.strides[d] = tensor->strides[d] * lanes;
        job.total *= tensor->dims[d];
    }
    job.dims[tensor->ndims] = lanes;
    job.strides[tensor->ndims] = 1;
    job.ndims = tensor->ndims + (lanes > 1);
}

extern "C" int32_t cdn_copy_elements(int32_t device, cudaStream_t stream,
                                     const struct anydnn_plugin_tensor *tensor, void *to,
                                     const void *from)
{
    copy_job job = {};

    job.to = to;
    job.from = from;
    copy_shape(job, tensor);
    switch (kit_type_size(tensor->type)) {
    case 1:
        return copy_launch<uint8_t>(device, stream, job);
    case 2:
        return copy_launch<uint16_t>(device, stream, job);
    case 4:
        return copy_launch<uint32_t>(device, stream, job);
    case 8:
        return copy_launch<uint64_t>(device, stream, job);
    default:
        return kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED, "elements of type %d cannot be copied",
                        tensor->type);
    }
}
