/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fprop and dgrad, a thread a result: for what tiles would be mostly
 * empty with, depthwise ones before all; for double, integers and geometries that are not narrow.
 *
 * With CONV_ANY this is the oracle that faster kernels are held to (set.oracle = on, and double by
 * itself): whatever the type, it adds up in double, and is written to be read. The sum of |a b|,
 * which error bounds ask for, is what it gives for operands without their signs.
 */
#include "../../cuda_common/index.h"
#include "kernels.h"

namespace
{

/* ------------------------------------------------------------------ how operands are read */

template <class T> struct conv_typed {
    typedef typename cuda_arith<T>::type A;

    static __device__ A add(const conv_job &job, A sum, int64_t x, int64_t tap)
    {
        return fma((A)cuda_load(((const T *)job.a)[x]), (A)cuda_load(((const T *)job.b)[tap]), sum);
    }

    static __device__ void store(const conv_output &output, int64_t at, int64_t z, int64_t channel,
                                 A sum)
    {
        conv_store<T>(output, at, z, channel, sum);
    }
};

struct conv_any {
    typedef double A;

    static __device__ A add(const conv_job &job, A sum, int64_t x, int64_t tap)
    {
        return fma(cuda_load_any(job.a_type, job.a, x), cuda_load_any(job.b_type, job.b, tap), sum);
    }

    static __device__ void store(const conv_output &output, int64_t at, int64_t z, int64_t channel,
                                 A sum)
    {
        conv_store_any(output, at, z, channel, sum);
    }
};

/* Modulo 2^32; of vector types the lanes. */
struct conv_integer {
    typedef uint32_t A;

    static __device__ int32_t load(int32_t type, const void *data, int64_t at)
    {
        bool is_unsigned = type == ANYDNN_PLUGIN_UINT8 || type == ANYDNN_PLUGIN_UINT8X4;

        return is_unsigned ? (int32_t)((const uint8_t *)data)[at]
                           : (int32_t)((const int8_t *)data)[at];
    }

    static __device__ A add(const conv_job &job, A sum, int64_t x, int64_t tap)
    {
        return sum + (uint32_t)(load(job.a_type, job.a, x) * load(job.b_type, job.b, tap));
    }

    static __device__ void store(const conv_output &output, int64_t at, int64_t z, int64_t channel,
                                 A sum)
    {
        conv_store_any(output, at, z, channel, (double)(int32_t)sum);
    }
};

/* ------------------------------------------------------------------ the kernel */

/* A result: its channel, where its first channel and tap lie, and which taps reach it. */
template <class I, int D> struct conv_result {
    I channel, group, n;
    int64_t at, z, x, tap;
    conv_window<I> line[D];

    __device__ conv_result(const conv_job &job, I index)
    {
        const conv &conv = job.conv;
        I channels = (I)(conv.groups * conv.n);

        at = z = 0;
        channel = index;
        if (!job.c_is_m_major)
            index /= channels;
#pragma unroll
        for (int d = D - 1; d >= 0; d--) {
            const conv_dim &dim = conv.dim[CONV_DIMS_MAX - D + d];
            I extent = (I)dim.positions, position = index % extent;

            index /= extent;
            at += position * dim.position;
            z += position * dim.z;
            line[d] = conv_window_of<I>(conv, CONV_DIMS_MAX - D + d, position);
        }
        if (job.c_is_m_major) {
            channel = index;
            index /= channels;
        }
        channel %= channels;
        group = channel / (I)conv.n;
        n = channel - group * (I)conv.n;
        at += index * conv.position_image + conv_channel(conv.position, channel);
        z += index * conv.z_image + conv_channel(conv.z, channel);
        x = index * conv.a_image;
        tap = conv.tap_first + group * conv.tap_group + n * conv.tap_n;
    }
};

/* Adds up the channels at one tap. */
template <class How, class I, int D>
__device__ static inline void conv_add_channels(const conv_job &job,
                                                const conv_result<I, D> &result, int64_t x,
                                                int64_t tap, typename How::A &sum)
{
    const conv &conv = job.conv;
    I depth = (I)conv.channels, first = result.group * depth;

    if (conv.a.shift == 0 && conv.tap.shift == 0) {
        x += first * conv.a.step;
#pragma unroll 4
        for (I c = 0; c < depth; c++)
            sum = How::add(job, sum, x + c * conv.a.step, tap + c * conv.tap_channel);
    } else {
#pragma unroll 4
        for (I c = 0; c < depth; c++)
            sum = How::add(job, sum, x + conv_channel(conv.a, first + c),
                           tap + conv_channel(conv.tap, c));
    }
}

/* Adds up the taps along the dims from `d` on. */
template <class How, class I, int D, int d>
__device__ static inline void conv_add_taps(const conv_job &job, const conv_result<I, D> &result,
                                            int64_t x, int64_t tap, typename How::A &sum)
{
    if constexpr (d == D) {
        conv_add_channels<How, I, D>(job, result, x, tap, sum);
    } else {
        const conv_dim &dim = job.conv.dim[CONV_DIMS_MAX - D + d];
        const conv_window<I> &line = result.line[d];

        for (I t = 0; t < line.count; t++) {
            I at = line.at + t * line.move;

            if (at >= 0 && at < (I)dim.a_extent)
                conv_add_taps<How, I, D, d + 1>(job, result, x + at * dim.a,
                                                tap + (line.first + t * line.step) * dim.tap, sum);
        }
    }
}

template <class How, class I, int D>
__global__ void __launch_bounds__(CUDA_THREADS, D == CONV_DIMS ? 4 : 1)
    conv_direct_kernel(const conv_job job)
{
    const conv &conv = job.conv;
    int64_t index = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    int64_t count = conv.images * conv.groups * conv.n;
    typename How::A sum = 0;

#pragma unroll
    for (int d = 0; d < D; d++)
        count *= conv.dim[CONV_DIMS_MAX - D + d].positions;
    if (index >= count)
        return;
    conv_result<I, D> result(job, (I)index);
    conv_add_taps<How, I, D, 0>(job, result, result.x, result.tap, sum);
    How::store(job.output, result.at, result.z, result.channel, sum);
}

} // namespace

/* ------------------------------------------------------------------ on the host */

int32_t conv_direct(const cuda_call *call, int32_t how, const conv_job &job)
{
    const conv &conv = job.conv;
    int64_t count = conv.images * conv.groups * conv.n * conv_positions(&conv);
    int64_t blocks = cuda_blocks(count, CUDA_THREADS);
    int narrow = conv.narrow && count + CUDA_THREADS < INT64_C(1) << 31;

#define LAUNCH(...) cuda_launch(call, conv_direct_kernel<__VA_ARGS__>, blocks, 1, job)
    if (how == CONV_INTEGER)
        return narrow ? LAUNCH(conv_integer, int32_t, CONV_DIMS)
                      : LAUNCH(conv_integer, int64_t, CONV_DIMS_MAX);
    if (how == CONV_ANY || !narrow)
        return narrow ? LAUNCH(conv_any, int32_t, CONV_DIMS)
                      : LAUNCH(conv_any, int64_t, CONV_DIMS_MAX);
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
