/* SPDX-License-Identifier: Apache-2.0 */
/* Computes fprop and dgrad with a thread for each result. This suits problems that would leave
 * tiles mostly empty, above all depthwise convolutions. */
#include "../../cuda_common/index.h"
#include "kernels.h"

namespace
{

/* A result: its channel, the offsets of its first channel and tap, and the taps that reach it. */
struct conv_result {
    int32_t channel, group, n;
    int64_t at, z, x, tap;
    conv_window<int32_t> line[CONV_DIMS];

    __device__ conv_result(const conv_job &job, int32_t index)
    {
        const conv &conv = job.conv;
        int32_t channels = (int32_t)(conv.groups * conv.n);

        at = z = 0;
        channel = index;
        if (!job.c_is_m_major)
            index /= channels;
#pragma unroll
        for (int d = CONV_DIMS - 1; d >= 0; d--) {
            const conv_dim &dim = conv.dim[CONV_FIRST + d];
            int32_t extent = (int32_t)dim.positions, position = index % extent;

            index /= extent;
            at += position * dim.position;
            z += position * dim.z;
            line[d] = conv_window_of<int32_t>(conv, CONV_FIRST + d, position);
        }
        if (job.c_is_m_major) {
            channel = index;
            index /= channels;
        }
        channel %= channels;
        group = channel / (int32_t)conv.n;
        n = channel - group * (int32_t)conv.n;
        at += index * conv.position_image + channel * conv.position.step;
        z += index * conv.z_image + channel * conv.z.step;
        x = index * conv.a_image;
        tap = conv.tap_first + group * conv.tap_group + n * conv.tap_n;
    }
};

/* Adds up the channels at one tap. */
template <class T, class A>
__device__ static inline void conv_add_channels(const conv_job &job, const conv_result &result,
                                                int64_t x, int64_t tap, A &sum)
{
    const conv &conv = job.conv;
    int32_t depth = (int32_t)conv.channels;

    x += result.group * depth * conv.a.step;
#pragma unroll 4
    for (int32_t c = 0; c < depth; c++)
        sum = fma((A)cuda_load(((const T *)job.a)[x + c * conv.a.step]),
                  (A)cuda_load(((const T *)job.b)[tap + c * conv.tap_channel]), sum);
}

/* Adds up the taps along the dims from `d` on. */
template <class T, int d, class A>
__device__ static inline void conv_add_taps(const conv_job &job, const conv_result &result,
                                            int64_t x, int64_t tap, A &sum)
{
    if constexpr (d == CONV_DIMS) {
        conv_add_channels<T>(job, result, x, tap, sum);
    } else {
        const conv_dim &dim = job.conv.dim[CONV_FIRST + d];
        const conv_window<int32_t> &line = result.line[d];

        for (int32_t t = 0; t < line.count; t++) {
            int32_t at = line.at + t * line.move;

            if (at >= 0 && at < (int32_t)dim.a_extent)
                conv_add_taps<T, d + 1>(job, result, x + at * dim.a,
                                        tap + (line.first + t * line.step) * dim.tap, sum);
        }
    }
}

template <class T>
__global__ void __launch_bounds__(CUDA_THREADS, 4) conv_direct_kernel(const conv_job job)
{
    const conv &conv = job.conv;
    int64_t index = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    int64_t count = conv.images * conv.groups * conv.n;
    typename cuda_arith<T>::type sum = 0;

#pragma unroll
    for (int d = 0; d < CONV_DIMS; d++)
        count *= conv.dim[CONV_FIRST + d].positions;
    if (index >= count)
        return;
    conv_result result(job, (int32_t)index);
    conv_add_taps<T, 0>(job, result, result.x, result.tap, sum);
    conv_store<T>(job.output, result.at, result.z, result.channel, sum);
}

} // namespace

/* ------------------------------------------------------------------ on the host */

int32_t conv_direct(const cuda_call *call, const conv_job &job)
{
    const conv &conv = job.conv;
    int64_t count = conv.images * conv.groups * conv.n * conv_positions(&conv);
    int64_t blocks = cuda_blocks(count, CUDA_THREADS);

    switch (job.output.type) {
    case ANYDNN_PLUGIN_FLOAT:
        return cuda_launch(call, conv_direct_kernel<float>, blocks, 1, job);
    case ANYDNN_PLUGIN_HALF:
        return cuda_launch(call, conv_direct_kernel<cuda_half>, blocks, 1, job);
    default:
        return cuda_launch(call, conv_direct_kernel<cuda_bfloat16>, blocks, 1, job);
    }
}
