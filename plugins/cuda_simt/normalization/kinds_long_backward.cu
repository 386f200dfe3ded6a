/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the gradients of normalizations of long contiguous sets. The first kernel sums g and g n
 * of each chunk, from which the sums of sets and the gradients of scale and bias follow. The last
 * one reads the elements again, in reverse order. */
#include "kinds_long.h"

/* The normalized value n of elements, and w, the gradient before the activation times the factor.
 * If factors belong to planes, w lacks the factor. */
template <class T, int LANES>
__device__ static inline void make(float (&n)[LANES], float (&w)[LANES],
                                   const cuda_kinds_long_job &job, const cuda_kinds_chunk &chunk,
                                   const cuda_kinds_long_cell &cell, int64_t element, bool weighs)
{
    float scale[LANES];

    cuda_kinds_get<T, LANES>(n, job.of.data[KINDS_X],
                             cuda_kinds_at(job.of, chunk.at, KINDS_X) + element);
    cuda_kinds_get<T, LANES>(w, job.of.data[KINDS_SECOND],
                             cuda_kinds_at(job.of, chunk.at, KINDS_SECOND) + element);
    cuda_kinds_scales<T, LANES>(scale, job.of, cuda_kinds_at(job.of, chunk.at, KINDS_SCALE),
                                element, element);
#pragma unroll
    for (int i = 0; i < LANES; i++)
        n[i] = (n[i] - cell.mean) * cell.inv_dev;
    if (job.of.f.mode != CUDA_IDENTITY) {
        float v[LANES];

        cuda_kinds_factors<T, LANES>(v, job.of, KINDS_BIAS,
                                     cuda_kinds_at(job.of, chunk.at, KINDS_BIAS), element, element,
                                     0);
#pragma unroll
        for (int i = 0; i < LANES; i++)
            v[i] += scale[i] * n[i];
        cuda_kinds_gradient<LANES>(job.of.f, w, v);
    }
#pragma unroll
    for (int i = 0; i < LANES; i++)
        w[i] *= weighs ? scale[i] : 1;
}

template <class T, int LANES>
__global__ void __launch_bounds__(KINDS_LONG_THREADS, 3) kinds_long_sums(cuda_kinds_long_job job)
{
    __shared__ cuda_kinds_pair slots[KINDS_WARP];
    cuda_kinds_pair sum = {0, 0};
    cuda_kinds_long_cell cell;
    cuda_kinds_chunk chunk;
    int64_t first;

    cuda_kinds_chunk_of(&chunk, job, blockIdx.x);
    cell = cuda_kinds_long_cell_of(job, chunk);
#pragma unroll 2
    for (first = chunk.begin + threadIdx.x * LANES; first < chunk.end;
         first += blockDim.x * LANES) {
        float n[LANES], w[LANES];

        make<T, LANES>(n, w, job, chunk, cell, first, job.of.plane == 0);
#pragma unroll
        for (int i = 0; i < LANES; i++) {
            sum.a += w[i] * n[i];
            sum.b += w[i];
        }
    }
    sum = cuda_kinds_join(sum, (int)blockDim.x, slots);
    if (threadIdx.x == 0)
        job.partial[blockIdx.x] = sum;
}

/* Adds the sums of the chunks of a plane, with a warp for each plane. */
static __global__ void __launch_bounds__(CUDA_THREADS) kinds_long_planes(cuda_kinds_long_job job)
{
    int64_t unit = ((int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x) / KINDS_WARP;
    int lane = (int)threadIdx.x % KINDS_WARP;
    cuda_kinds_pair sum = {0, 0};

    if (unit >= job.of.sets * job.planes)
        return;
    for (int64_t i = lane; i < job.chunks; i += KINDS_WARP) {
        cuda_kinds_pair one = job.partial[unit * job.chunks + i];

        sum = {sum.a + one.a, sum.b + one.b};
    }
    sum = cuda_kinds_join(sum, KINDS_WARP, nullptr);
    if (lane == 0)
        job.sums[unit] = sum;
}

/* Adds the sums of a channel's planes. Sets are numbered by image, then by group. */
static __global__ void __launch_bounds__(CUDA_THREADS) kinds_long_gradients(cuda_kinds_long_job job)
{
    int64_t channel = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    int which = (int)blockIdx.y;
    float sum = 0;

    if (channel >= job.groups * job.planes || !job.of.gradient[which])
        return;
    for (int64_t image = 0; image < job.images; image++) {
        cuda_kinds_pair one = job.sums[image * job.groups * job.planes + channel];

        sum += which == 0 ? one.a : one.b;
    }
    cuda_store_any(job.gradient_type[which], job.of.gradient[which],
                   channel * job.gradient_step[which], (double)sum);
}

int32_t cuda_kinds_long_sums_run(const cuda_call *call, const cuda_kinds_long_job &job)
{
    int64_t units = job.of.sets * job.planes;
    int32_t status =
        cuda_launch(call, kinds_long_planes, cuda_blocks(units * KINDS_WARP, CUDA_THREADS), 1, job);

    if (!status && (job.of.gradient[0] || job.of.gradient[1]))
        status = cuda_launch(call, kinds_long_gradients,
                             cuda_blocks(job.groups * job.planes, CUDA_THREADS), 2, job);
    return status;
}

/* ------------------------------------------------------------------ dx */

/* Returns the means of w n and of w of the block's set to all threads. */
template <class T>
__device__ static inline cuda_kinds_pair
means_of(const cuda_kinds_long_job &job, const cuda_kinds_chunk &chunk, cuda_kinds_pair slots[])
{
    float count = 1 / (float)job.of.size, scale[1] = {1};
    cuda_kinds_pair sum = {0, 0};

    for (int64_t plane = threadIdx.x; plane < job.planes; plane += blockDim.x) {
        cuda_kinds_pair one = job.sums[chunk.set * job.planes + plane];

        if (job.of.plane)
            cuda_kinds_scales<T, 1>(scale, job.of, cuda_kinds_at(job.of, chunk.at, KINDS_SCALE),
                                    plane * job.plane, 0);
        sum = {sum.a + scale[0] * one.a, sum.b + scale[0] * one.b};
    }
    sum = cuda_kinds_join(sum, (int)blockDim.x, slots);
    return {sum.a * count, job.of.is_rms ? 0 : sum.b * count};
}

template <class T, int LANES>
__global__ void __launch_bounds__(KINDS_LONG_THREADS, 3)
    kinds_long_backward(cuda_kinds_long_job job)
{
    __shared__ cuda_kinds_pair slots[KINDS_WARP];
    cuda_kinds_long_cell cell;
    cuda_kinds_chunk chunk;
    cuda_kinds_pair mean;
    int64_t first;

    cuda_kinds_chunk_of(&chunk, job, gridDim.x - 1 - blockIdx.x);
    mean = means_of<T>(job, chunk, slots);
    cell = cuda_kinds_long_cell_of(job, chunk);
#pragma unroll 2
    for (first = chunk.begin + threadIdx.x * LANES; first < chunk.end;
         first += blockDim.x * LANES) {
        float n[LANES], w[LANES], dsum[LANES];

        make<T, LANES>(n, w, job, chunk, cell, first, true);
#pragma unroll
        for (int i = 0; i < LANES; i++)
            w[i] = cell.inv_dev * (w[i] - mean.b - n[i] * mean.a);
        if (job.of.data[KINDS_THIRD]) {
            cuda_kinds_get<T, LANES>(dsum, job.of.data[KINDS_THIRD],
                                     cuda_kinds_at(job.of, chunk.at, KINDS_THIRD) + first);
#pragma unroll
            for (int i = 0; i < LANES; i++)
                w[i] += dsum[i];
        }
        cuda_vector_put(
            (T *)job.of.data[KINDS_OUT] + cuda_kinds_at(job.of, chunk.at, KINDS_OUT) + first, w);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class T> static cuda_kinds_long_kernel choose(int sums, int wide)
{
    enum { LANES = 16 / sizeof(T) };

    if (sums)
        return wide ? kinds_long_sums<T, LANES> : kinds_long_sums<T, 1>;
    return wide ? kinds_long_backward<T, LANES> : kinds_long_backward<T, 1>;
}

static cuda_kinds_long_kernel kernel_of(int32_t type, int sums, int wide)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return choose<float>(sums, wide);
    case ANYDNN_PLUGIN_HALF:
        return choose<cuda_half>(sums, wide);
    case ANYDNN_PLUGIN_BFLOAT16:
        return choose<cuda_bfloat16>(sums, wide);
    default:
        return nullptr;
    }
}

cuda_kinds_long_kernel cuda_kinds_long_sums_kernel(int32_t type, int wide)
{
    return kernel_of(type, 1, wide);
}

cuda_kinds_long_kernel cuda_kinds_long_backward_kernel(int32_t type, int wide)
{
    return kernel_of(type, 0, wide);
}
