/* SPDX-License-Identifier: Apache-2.0 */
/* Computes wgrad without tiles. The threads of a block divide the positions of all images among
 * themselves, and each sums a few taps. The block then adds these sums in a fixed order. */
#include "../../cuda_common/index.h"
#include "kernels.h"

static_assert(CONV_WGRAD_LANES_MAX == CUDA_THREADS, "a block's filters have a thread each at most");

namespace
{

/* The distance of a tap from the first one: in coordinates, in x and in dw. */
struct conv_wgrad_tap {
    int32_t at[CONV_DIMS];
    int64_t x, tap;

    __device__ void set(const conv &conv, int32_t index)
    {
        x = tap = 0;
#pragma unroll
        for (int d = CONV_DIMS - 1; d >= 0; d--) {
            const conv_dim &dim = conv.dim[CONV_FIRST + d];
            int32_t t = index % (int32_t)dim.taps;

            index /= (int32_t)dim.taps;
            at[d] = t * (int32_t)dim.dilation;
            x += at[d] * dim.a;
            tap += t * dim.tap;
        }
    }
};

/* The part of a block and of its thread. Lanes are adjacent filters. */
struct conv_wgrad_block {
    int32_t first_tap, taps; /* of the block */
    int32_t channel, filter, group, n, split;
    bool real; /* true if the filter exists */

    __device__ conv_wgrad_block(const conv_job &job, int64_t id)
    {
        const conv &conv = job.conv;
        int64_t all = 1, tap_blocks, filters = conv.groups * conv.n;
        int64_t lanes = job.lanes, blocks = (filters + lanes - 1) / lanes;

#pragma unroll
        for (int d = 0; d < CONV_DIMS; d++)
            all *= conv.dim[CONV_FIRST + d].taps;
        tap_blocks = (all + CONV_WGRAD_TAPS - 1) / CONV_WGRAD_TAPS;
        first_tap = (int32_t)(id % tap_blocks * CONV_WGRAD_TAPS);
        taps =
            (int32_t)all - first_tap < CONV_WGRAD_TAPS ? (int32_t)all - first_tap : CONV_WGRAD_TAPS;
        id /= tap_blocks;
        channel = (int32_t)(id % conv.channels);
        id /= conv.channels;
        filter = (int32_t)(id % blocks * lanes + threadIdx.x % lanes);
        split = (int32_t)(id / blocks);
        real = filter < filters;
        filter = real ? filter : 0;
        group = filter / (int32_t)conv.n;
        n = filter - group * (int32_t)conv.n;
    }
};

/* Adds up this thread's positions of the split. */
template <class T, class A>
__device__ static inline void conv_wgrad_sum(const conv_job &job, const conv_wgrad_block &block,
                                             const conv_wgrad_tap taps[CONV_WGRAD_TAPS],
                                             A sum[CONV_WGRAD_TAPS])
{
    const conv &conv = job.conv;
    int64_t x_first = (block.group * (int32_t)conv.channels + block.channel) * conv.a.step;
    int64_t y_first = block.filter * conv.position.step;
    int64_t all = conv.images, end;
    int lanes = job.lanes;

#pragma unroll
    for (int d = 0; d < CONV_DIMS; d++)
        all *= conv.dim[CONV_FIRST + d].positions;
    end = job.splits == 1 ? all : (int64_t)(block.split + 1) * job.k_per_split;
    end = end < all ? end : all;
    for (int64_t i = (int64_t)block.split * job.k_per_split + threadIdx.x / lanes; i < end;
         i += CUDA_THREADS / lanes) {
        int32_t left = (int32_t)i, at[CONV_DIMS];
        int64_t x = x_first, y = y_first;
        A dy;

#pragma unroll
        for (int d = CONV_DIMS - 1; d >= 0; d--) {
            const conv_dim &dim = conv.dim[CONV_FIRST + d];
            int32_t position = left % (int32_t)dim.positions;

            left /= (int32_t)dim.positions;
            at[d] = position * (int32_t)dim.stride - (int32_t)dim.pad;
            x += at[d] * dim.a;
            y += position * dim.position;
        }
        x += left * conv.a_image;
        dy = cuda_load(((const T *)job.b)[y + left * conv.position_image]);
#pragma unroll
        for (int j = 0; j < CONV_WGRAD_TAPS; j++) {
            bool inside = j < block.taps;

#pragma unroll
            for (int d = 0; d < CONV_DIMS; d++) {
                int32_t coordinate = at[d] + taps[j].at[d];
                inside = inside && coordinate >= 0 &&
                         coordinate < (int32_t)conv.dim[CONV_FIRST + d].a_extent;
            }
            if (inside)
                sum[j] = fma(cuda_load(((const T *)job.a)[x + taps[j].x]), dy, sum[j]);
        }
    }
}

template <class T>
__global__ void __launch_bounds__(CUDA_THREADS) conv_wgrad_kernel(const conv_job job)
{
    typedef typename cuda_arith<T>::type A;
    __shared__ conv_wgrad_tap taps[CONV_WGRAD_TAPS];
    __shared__ A sums[CONV_WGRAD_TAPS][CUDA_THREADS];
    const conv &conv = job.conv;
    conv_wgrad_block block(job, blockIdx.x);
    int thread = (int)threadIdx.x, lanes = job.lanes;
    A sum[CONV_WGRAD_TAPS] = {0};
    int64_t at;

    if (thread < CONV_WGRAD_TAPS)
        taps[thread].set(conv, block.first_tap + (thread < block.taps ? thread : 0));
    __syncthreads();
    if (block.real)
        conv_wgrad_sum<T>(job, block, taps, sum);
#pragma unroll
    for (int j = 0; j < CONV_WGRAD_TAPS; j++)
        sums[j][thread] = sum[j];
    for (int half = CUDA_THREADS / 2; half >= lanes; half /= 2) {
        __syncthreads();
        if (thread < half) {
#pragma unroll
            for (int j = 0; j < CONV_WGRAD_TAPS; j++)
                sums[j][thread] += sums[j][thread + half];
        }
    }
    if (thread >= lanes || !block.real)
        return;
    at = conv.tap_first + block.group * conv.tap_group + block.n * conv.tap_n +
         block.channel * conv.tap_channel;
    for (int j = 0; j < block.taps; j++) {
        if (job.partial)
            ((A *)job.partial)[conv_partial_at(
                job, block.split, block.group,
                block.channel * (job.m / conv.channels) + block.first_tap + j, block.n)] =
                sums[j][thread];
        else
            conv_store<T>(job.output, at + taps[j].tap, 0, block.filter, sums[j][thread]);
    }
}

} // namespace

/* ------------------------------------------------------------------ on the host */

int32_t conv_wgrad(const cuda_call *call, const conv_job &job)
{
    const conv &conv = job.conv;
    int64_t blocks = cuda_blocks(conv_taps(&conv), CONV_WGRAD_TAPS) * conv.channels *
                     cuda_blocks(conv.groups * conv.n, job.lanes) * job.splits;

    switch (job.output.type) {
    case ANYDNN_PLUGIN_FLOAT:
        return cuda_launch(call, conv_wgrad_kernel<float>, blocks, 1, job);
    case ANYDNN_PLUGIN_HALF:
        return cuda_launch(call, conv_wgrad_kernel<cuda_half>, blocks, 1, job);
    default:
        return cuda_launch(call, conv_wgrad_kernel<cuda_bfloat16>, blocks, 1, job);
    }
}
