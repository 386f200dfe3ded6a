/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wgrad without tiles: the threads of a block share the positions of all images out, each adds up a
 * few taps, and the block adds these sums in a fixed order. With CONV_ANY this is the oracle of its
 * direction: see plain.cu.
 */
#include "../../cuda_common/index.h"
#include "kernels.h"

static_assert(CONV_WGRAD_LANES_MAX == CUDA_THREADS, "a block's filters have a thread each at most");

namespace
{

template <class T> struct conv_typed {
    typedef typename cuda_arith<T>::type A;

    static __device__ A load(int32_t, const void *data, int64_t at)
    {
        return (A)cuda_load(((const T *)data)[at]);
    }

    static __device__ void store(const conv_output &output, int64_t at, int64_t channel, A sum)
    {
        conv_store<T>(output, at, 0, channel, sum);
    }
};

struct conv_any {
    typedef double A;

    static __device__ A load(int32_t type, const void *data, int64_t at)
    {
        return cuda_load_any(type, data, at);
    }

    static __device__ void store(const conv_output &output, int64_t at, int64_t channel, A sum)
    {
        conv_store_any(output, at, 0, channel, sum);
    }
};

/* How far a tap lies from the first one: coordinates, offset in x and in dw. */
template <class I, int D> struct conv_wgrad_tap {
    I at[D];
    int64_t x, tap;

    __device__ void set(const conv &conv, I index)
    {
        x = tap = 0;
#pragma unroll
        for (int d = D - 1; d >= 0; d--) {
            const conv_dim &dim = conv.dim[CONV_DIMS_MAX - D + d];
            I t = index % (I)dim.taps;

            index /= (I)dim.taps;
            at[d] = t * (I)dim.dilation;
            x += at[d] * dim.a;
            tap += t * dim.tap;
        }
    }
};

/* What a block, and a thread of it, works on. Lanes are neighbouring filters. */
template <class I, int D> struct conv_wgrad_block {
    I first_tap, taps; /* of the block */
    I channel, filter, group, n, split;
    bool real; /* there is such a filter */

    __device__ conv_wgrad_block(const conv_job &job, int64_t id)
    {
        const conv &conv = job.conv;
        int64_t all = 1, tap_blocks, filters = conv.groups * conv.n;
        int64_t lanes = job.lanes, blocks = (filters + lanes - 1) / lanes;

#pragma unroll
        for (int d = 0; d < D; d++)
            all *= conv.dim[CONV_DIMS_MAX - D + d].taps;
        tap_blocks = (all + CONV_WGRAD_TAPS - 1) / CONV_WGRAD_TAPS;
        first_tap = (I)(id % tap_blocks * CONV_WGRAD_TAPS);
        taps = (I)all - first_tap < CONV_WGRAD_TAPS ? (I)all - first_tap : CONV_WGRAD_TAPS;
        id /= tap_blocks;
        channel = (I)(id % conv.channels);
        id /= conv.channels;
        filter = (I)(id % blocks * lanes + threadIdx.x % lanes);
        split = (I)(id / blocks);
        real = filter < filters;
        filter = real ? filter : 0;
        group = filter / (I)conv.n;
        n = filter - group * (I)conv.n;
    }
};

/* Adds up the positions of the split that are this thread's. */
template <class How, class I, int D>
__device__ static inline void conv_wgrad_sum(const conv_job &job,
                                             const conv_wgrad_block<I, D> &block,
                                             const conv_wgrad_tap<I, D> taps[CONV_WGRAD_TAPS],
                                             typename How::A sum[CONV_WGRAD_TAPS])
{
    const conv &conv = job.conv;
    int64_t x_first = (block.group * (I)conv.channels + block.channel) * conv.a.step;
    int64_t y_first = block.filter * conv.position.step;
    int64_t all = conv.images, end;
    int lanes = job.lanes;

#pragma unroll
    for (int d = 0; d < D; d++)
        all *= conv.dim[CONV_DIMS_MAX - D + d].positions;
    end = job.splits == 1 ? all : (int64_t)(block.split + 1) * job.k_per_split;
    end = end < all ? end : all;
    for (int64_t i = (int64_t)block.split * job.k_per_split + threadIdx.x / lanes; i < end;
         i += CUDA_THREADS / lanes) {
        I left = (I)i, at[D];
        int64_t x = x_first, y = y_first;
        typename How::A dy;

#pragma unroll
        for (int d = D - 1; d >= 0; d--) {
            const conv_dim &dim = conv.dim[CONV_DIMS_MAX - D + d];
            I position = left % (I)dim.positions;

            left /= (I)dim.positions;
            at[d] = position * (I)dim.stride - (I)dim.pad;
            x += at[d] * dim.a;
            y += position * dim.position;
        }
        x += left * conv.a_image;
        dy = How::load(job.b_type, job.b, y + left * conv.position_image);
#pragma unroll
        for (int j = 0; j < CONV_WGRAD_TAPS; j++) {
            bool inside = j < block.taps;

#pragma unroll
            for (int d = 0; d < D; d++) {
                I coordinate = at[d] + taps[j].at[d];
                inside = inside && coordinate >= 0 &&
                         coordinate < (I)conv.dim[CONV_DIMS_MAX - D + d].a_extent;
            }
            if (inside)
                sum[j] = fma(How::load(job.a_type, job.a, x + taps[j].x), dy, sum[j]);
        }
    }
}

template <class How, class I, int D>
__global__ void __launch_bounds__(CUDA_THREADS) conv_wgrad_kernel(const conv_job job)
{
    typedef typename How::A A;
    __shared__ conv_wgrad_tap<I, D> taps[CONV_WGRAD_TAPS];
    __shared__ A sums[CONV_WGRAD_TAPS][CUDA_THREADS];
    const conv &conv = job.conv;
    conv_wgrad_block<I, D> block(job, blockIdx.x);
    int thread = (int)threadIdx.x, lanes = job.lanes;
    A sum[CONV_WGRAD_TAPS] = {0};
    int64_t at;

    if (thread < CONV_WGRAD_TAPS)
        taps[thread].set(conv, block.first_tap + (thread < block.taps ? thread : 0));
    __syncthreads();
    if (block.real)
        conv_wgrad_sum<How, I, D>(job, block, taps, sum);
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
            How::store(job.output, at + taps[j].tap, block.filter, sums[j][thread]);
    }
}

} // namespace

/* ------------------------------------------------------------------ on the host */

int32_t conv_wgrad(const cuda_call *call, int32_t how, const conv_job &job)
{
    const conv &conv = job.conv;
    int64_t blocks = cuda_blocks(conv_taps(&conv), CONV_WGRAD_TAPS) * conv.channels *
                     cuda_blocks(conv.groups * conv.n, job.lanes) * job.splits;

#define LAUNCH(...) cuda_launch(call, conv_wgrad_kernel<__VA_ARGS__>, blocks, 1, job)
    if (!conv.narrow)
        return LAUNCH(conv_any, int64_t, CONV_DIMS_MAX);
    if (how == CONV_ANY)
        return LAUNCH(conv_any, int32_t, CONV_DIMS);
    switch (job.output.type) {
    case ANYDNN_PLUGIN_FLOAT:
        return LAUNCH(conv_typed<float>, int32_t, CONV_DIMS);
    case ANYDNN_PLUGIN_HALF:
        return LAUNCH(conv_typed<cuda_half>, int32_t, CONV_DIMS);
    case ANYDNN_PLUGIN_BFLOAT16:
        return LAUNCH(conv_typed<cuda_bfloat16>, int32_t, CONV_DIMS);
    default:
        return LAUNCH(conv_typed<double>, int32_t, CONV_DIMS);
    }
#undef LAUNCH
}
