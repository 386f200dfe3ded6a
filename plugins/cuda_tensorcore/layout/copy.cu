/* SPDX-License-Identifier: Apache-2.0 */
/* Copies an operand to a layout with contiguous channels (layout/layout.h). If its positions are
 * contiguous, it is transposed (layout/transpose.cu). Otherwise each thread gathers 16 bytes of
 * channels, whatever the strides. */
#include "transpose.h"

struct tc_copy_params {
    tc_copy copy;
    const void *from;
    void *to;
    int64_t chunks; /* number in the whole copy */
    cuda_divisor by_chunks, by[TC_COPY_DIMS], by_channels, by_taps;
};

static inline void tc_bind(tc_copy_params *job, const tc_arguments &args)
{
    job->from = args.a;
    job->to = args.output;
}

static inline int32_t tc_settle(tc_copy_params *)
{
    return 0;
}

/* Returns the coordinate of tap t of position j. */
__device__ static inline int32_t tc_coordinate(const tc_window &window, int32_t j, int32_t t)
{
    return j * window.step + window.begin + t * window.tap;
}

/* Copies a tensor. A thread writes one chunk of type C, which is EACH lanes of one position. */
template <class T, class C>
__global__ void __launch_bounds__(CUDA_THREADS)
    tc_copy_any(const __grid_constant__ tc_copy_params job)
{
    enum { EACH = sizeof(C) / sizeof(T) };
    const tc_copy &copy = job.copy;
    uint32_t left = blockIdx.x * CUDA_THREADS + threadIdx.x, next;
    int32_t at[TC_COPY_DIMS], lane, channel, s, r;
    const T *from = (const T *)job.from + copy.first;
    union {
        C whole;
        T element[EACH];
    } chunk;

    tc_wait_on_dependent_grids();
    if (left >= job.chunks)
        return;
    next = cuda_divide(left, job.by_chunks);
    lane = (int32_t)(left - next * (uint32_t)(copy.lanes / EACH)) * EACH;
    left = next;
#pragma unroll
    for (int d = TC_COPY_DIMS - 1; d >= 0; d--) {
        next = cuda_divide(left, job.by[d]);
        at[d] = (int32_t)(left - next * (uint32_t)copy.dims[d]);
        left = next;
        if (d != TC_HEIGHT && d != TC_WIDTH)
            from += at[d] * copy.strides[d];
    }
    s = (int32_t)cuda_divide((uint32_t)lane, job.by_channels);
    channel = lane - s * copy.channels;
    r = (int32_t)cuda_divide((uint32_t)s, job.by_taps);
    s -= r * copy.window[1].taps;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int32_t h = tc_coordinate(copy.window[0], at[TC_HEIGHT], r);
        int32_t w = tc_coordinate(copy.window[1], at[TC_WIDTH], s);
        bool real = r < copy.window[0].taps && (uint32_t)h < (uint32_t)copy.window[0].extent &&
                    (uint32_t)w < (uint32_t)copy.window[1].extent && at[TC_INNER] < copy.inner;

        chunk.element[i] = real ? from[h * copy.strides[TC_HEIGHT] + w * copy.strides[TC_WIDTH] +
                                       channel * copy.channel]
                                : 0;
        if (++channel == copy.channels) {
            channel = 0;
            if (++s == copy.window[1].taps) {
                s = 0;
                r++;
            }
        }
    }
    ((C *)job.to)[blockIdx.x * CUDA_THREADS + threadIdx.x] = chunk.whole;
}

template <class T, class C> static void step_any(tc_step *step, const tc_copy &copy)
{
    tc_copy_params job = {};

    job.copy = copy;
    job.chunks = copy.lanes / (int64_t)(sizeof(C) / sizeof(T));
    job.by_chunks = cuda_divisor_of(job.chunks);
    job.by_channels = cuda_divisor_of(copy.channels);
    job.by_taps = cuda_divisor_of(copy.window[1].taps);
    for (int d = 0; d < TC_COPY_DIMS; d++) {
        job.by[d] = cuda_divisor_of(copy.dims[d]);
        job.chunks *= copy.dims[d];
    }
    tc_step_make(step, tc_copy_any<T, C>, nullptr, CUDA_THREADS, 0,
                 cuda_blocks(job.chunks, CUDA_THREADS), job);
}

void tc_copy_step(struct tc_step *step, const tc_copy &copy)
{
    if (tc_transpose_step(step, copy))
        return;
    if (copy.lanes * copy.size % 16 != 0)
        step_any<uint16_t, uint2>(step, copy);
    else if (copy.size == 2)
        step_any<uint16_t, uint4>(step, copy);
    else if (copy.size == 4)
        step_any<uint32_t, uint4>(step, copy);
    else
        step_any<uint8_t, uint4>(step, copy);
}
