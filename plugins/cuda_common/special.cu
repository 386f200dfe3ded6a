/* SPDX-License-Identifier: Apache-2.0 */
/* Implements count_special of the space: counts the NaNs, infinities and zeros of a tensor by
 * their bits. */
#include "cuda_common.h"

#include <cuda_runtime.h>

#define THREADS    256
#define BLOCKS_MAX 2048 /* more than the resident blocks of any device */
#define DIMS_MAX   (ANYDNN_PLUGIN_DIM_MAX + 1)

/* The bit layout of a type. */
struct special_type {
    int32_t bytes, lanes; /* bytes of a scalar; scalars in a vector */
    uint64_t magnitude;   /* all bits but the sign */
    uint64_t infinity;    /* 0 for an integer */
};

/* The arguments of the kernel. Dims are in memory order, and dims that are contiguous are
 * merged. */
struct special_job {
    const void *data;
    unsigned long long *counts;
    int64_t total;
    int64_t dims[DIMS_MAX], strides[DIMS_MAX]; /* in scalars, innermost dim first */
    int32_t ndims, packed;
    special_type type;
};

template <class T>
__device__ static inline void special_look(const special_job &job, T bits, unsigned counts[3])
{
    T magnitude = bits & (T)job.type.magnitude;

    counts[ANYDNN_PLUGIN_SPECIAL_NAN] += magnitude > (T)job.type.infinity;
    counts[ANYDNN_PLUGIN_SPECIAL_INFINITY] += magnitude == (T)job.type.infinity;
    counts[ANYDNN_PLUGIN_SPECIAL_ZERO] += magnitude == 0;
}

__device__ static inline int64_t special_place(const special_job &job, int64_t i)
{
    int64_t at = 0;

    for (int32_t d = 0; d < job.ndims; d++) {
        at += i % job.dims[d] * job.strides[d];
        i /= job.dims[d];
    }
    return at;
}

/* Sums the counts within each warp, then adds each sum to the total once. */
__device__ static inline void special_add(const special_job &job, const unsigned counts[3])
{
    for (int k = 0; k < ANYDNN_PLUGIN_SPECIAL_END; k++) {
        unsigned sum = counts[k];

        for (int by = 16; by > 0; by /= 2)
            sum += __shfl_down_sync(UINT32_MAX, sum, (unsigned)by);
        if (threadIdx.x % 32 == 0 && sum > 0 &&
            (job.type.infinity != 0 || k == ANYDNN_PLUGIN_SPECIAL_ZERO))
            atomicAdd(&job.counts[k], (unsigned long long)sum);
    }
}

template <class T>
static __global__ void __launch_bounds__(THREADS) special_kernel(const special_job job)
{
    enum { LANES = 16 / sizeof(T) };
    union {
        uint4 whole;
        T lane[LANES];
    } some;
    const T *data = (const T *)job.data;
    unsigned counts[ANYDNN_PLUGIN_SPECIAL_END] = {0, 0, 0};
    int64_t first = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t step = (int64_t)gridDim.x * THREADS, wholes = job.packed ? job.total / LANES : 0;

    for (int64_t i = first; i < wholes; i += step) {
        some.whole = ((const uint4 *)data)[i];
#pragma unroll
        for (int k = 0; k < LANES; k++)
            special_look(job, some.lane[k], counts);
    }
    for (int64_t i = wholes * LANES + first; i < job.total; i += step)
        special_look(job, data[job.ndims == 1 ? i * job.strides[0] : special_place(job, i)],
                     counts);
    special_add(job, counts);
}

template <class T>
static int32_t special_launch(int32_t device, cudaStream_t stream, special_job &job)
{
    int64_t work = job.packed ? job.total * (int64_t)sizeof(T) / 16 : job.total;
    int64_t blocks = (work + THREADS - 1) / THREADS;
    unsigned count = (unsigned)(blocks > BLOCKS_MAX ? BLOCKS_MAX : blocks > 0 ? blocks : 1);
    void *arguments[] = {(void *)&job};
    cudaError_t error;

#ifdef __CUDACC__
    error = cuda_launch_kernel((const void *)special_kernel<T>, count, 1, THREADS, 0, arguments,
                               stream);
#else
    error = cudaLaunchKernel(special_kernel<T>, dim3(count), dim3(THREADS), arguments, 0, stream);
#endif
    return cuda_check(device, error, "launching a kernel");
}

/* Returns the bit layout of a type. `bytes` is 0 for a type that no tensor has. */
static special_type special_type_of(int32_t type)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return {.bytes = 4, .lanes = 1, .magnitude = 0x7fffffff, .infinity = 0x7f800000};
    case ANYDNN_PLUGIN_DOUBLE:
        return {.bytes = 8,
                .lanes = 1,
                .magnitude = 0x7fffffffffffffff,
                .infinity = 0x7ff0000000000000};
    case ANYDNN_PLUGIN_HALF:
        return {.bytes = 2, .lanes = 1, .magnitude = 0x7fff, .infinity = 0x7c00};
    case ANYDNN_PLUGIN_BFLOAT16:
        return {.bytes = 2, .lanes = 1, .magnitude = 0x7fff, .infinity = 0x7f80};
    case ANYDNN_PLUGIN_INT8:
    case ANYDNN_PLUGIN_UINT8:
        return {.bytes = 1, .lanes = 1, .magnitude = UINT64_MAX, .infinity = 0};
    case ANYDNN_PLUGIN_INT8X4:
    case ANYDNN_PLUGIN_UINT8X4:
        return {.bytes = 1, .lanes = 4, .magnitude = UINT64_MAX, .infinity = 0};
    case ANYDNN_PLUGIN_INT8X32:
        return {.bytes = 1, .lanes = 32, .magnitude = UINT64_MAX, .infinity = 0};
    case ANYDNN_PLUGIN_INT32:
        return {.bytes = 4, .lanes = 1, .magnitude = UINT64_MAX, .infinity = 0};
    case ANYDNN_PLUGIN_INT64:
        return {.bytes = 8, .lanes = 1, .magnitude = UINT64_MAX, .infinity = 0};
    default:
        return {.bytes = 0, .lanes = 1, .magnitude = 0, .infinity = 0};
    }
}

/* Inserts a dim and keeps the dims ordered by stride. */
static void special_insert(special_job &job, int64_t dim, int64_t stride)
{
    int32_t at = job.ndims;

    if (dim == 1)
        return;
    for (; at > 0 && job.strides[at - 1] > stride; at--) {
        job.dims[at] = job.dims[at - 1];
        job.strides[at] = job.strides[at - 1];
    }
    job.dims[at] = dim;
    job.strides[at] = stride;
    job.ndims++;
}

static void special_merge(special_job &job)
{
    int32_t kept = 0;

    for (int32_t d = 1; d < job.ndims; d++) {
        if (job.strides[d] == job.strides[kept] * job.dims[kept]) {
            job.dims[kept] *= job.dims[d];
        } else {
            kept++;
            job.dims[kept] = job.dims[d];
            job.strides[kept] = job.strides[d];
        }
    }
    job.ndims = job.ndims > 0 ? kept + 1 : 1;
}

/* Fills in the shape. If the type is a vector type, one dim counts whole vectors, and the
 * innermost dim counts the lanes of a vector. */
static void special_shape(special_job &job, const struct anydnn_plugin_tensor *tensor)
{
    int32_t lanes = job.type.lanes;

    job.total = 1;
    job.dims[0] = job.strides[0] = 1;
    special_insert(job, lanes, 1);
    for (int32_t d = 0; d < tensor->ndims; d++) {
        job.total *= tensor->dims[d];
        special_insert(job, d == 1 ? tensor->dims[d] / lanes : tensor->dims[d],
                       tensor->strides[d] * lanes);
    }
    special_merge(job);
    job.packed =
        job.ndims == 1 && (job.strides[0] == 1 || job.total == 1) && (uintptr_t)job.data % 16 == 0;
}

extern "C" int32_t cuda_count_special(int32_t device, void *stream,
                                      const struct anydnn_plugin_tensor *tensor, const void *data,
                                      uint64_t *counts)
{
    static int32_t (*const launch[])(int32_t, cudaStream_t, special_job &) = {
        nullptr,
        special_launch<uint8_t>,
        special_launch<uint16_t>,
        nullptr,
        special_launch<uint32_t>,
        nullptr,
        nullptr,
        nullptr,
        special_launch<uint64_t>,
    };
    special_job job = {};
    struct cuda_visit visit;
    int32_t status = cuda_process();

    job.type = special_type_of(tensor->type);
    job.data = data;
    job.counts = (unsigned long long *)counts;
    if (!status && job.type.bytes == 0)
        status = kit_fail(ANYDNN_PLUGIN_STATUS_NOT_SUPPORTED,
                          "cannot count elements of type %d", tensor->type);
    if (!status)
        status = cuda_enter(&visit, device);
    if (status)
        return status;
    special_shape(job, tensor);
    status = launch[job.type.bytes](device, cuda_stream(stream), job);
    cuda_leave(&visit);
    return status;
}
