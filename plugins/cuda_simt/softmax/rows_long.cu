/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of rows that are too long for the registers of a block: it reads them twice. */
#include "rows.h"

/* The elements of each tensor that a thread loads at once. */
#define AT_ONCE 16

/* The running maximum and sum of a thread. */
struct long_sum {
    float max;  /* maximum so far, but at least the lowest finite number */
    double sum; /* sum of exp(x - max) */
};

/* Returns the first element that a thread takes in part s of a step. */
template <int LANES> __device__ static inline int64_t first_of(int64_t step, int s)
{
    return step + ((int64_t)s * CUDA_THREADS + threadIdx.x) * LANES;
}

/* ------------------------------------------------------------------ forward */

/* Adds elements to a running sum, with maximum and shift as in rows.cu. */
template <int STEPS, int LANES>
__device__ static inline void take(long_sum *to, const float (&v)[STEPS][LANES])
{
    float max = to->max, shift, sum = 0;

#pragma unroll
    for (int i = 0; i < STEPS * LANES; i++)
        max = fmaxf(max, v[i / LANES][i % LANES]);
    shift = fminf(max, FLT_MAX);
#pragma unroll
    for (int i = 0; i < STEPS * LANES; i++)
        sum += expf(v[i / LANES][i % LANES] - shift);
    if (max > to->max)
        to->sum *= (double)expf(to->max - shift);
    to->max = max;
    to->sum += (double)sum;
}

template <class T, int LANES>
__global__ void __launch_bounds__(CUDA_THREADS) softmax_long(cuda_softmax_job job)
{
    enum { STEPS = AT_ONCE / LANES };
    __shared__ float maxima[CUDA_THREADS / CUDA_WARP], sums[CUDA_THREADS / CUDA_WARP];
    cuda_row_thread in_row = cuda_row_thread_of(job);
    long_sum own = {-FLT_MAX, 0};
    float v[STEPS][LANES], max, shift, sum;
    int64_t at[2];

    cuda_walk_place<2>(job.vectors, in_row.row, at);
    for (int64_t step = 0; step < job.length; step += CUDA_THREADS * AT_ONCE) {
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            int64_t first = first_of<LANES>(step, s);

            cuda_softmax_get(v[s], (const T *)job.data[1] + at[1] + first, first < job.length,
                             -INFINITY);
        }
        take(&own, v);
    }
    max = cuda_join_row<cuda_join_max>(own.max, in_row, maxima);
    shift = fminf(max, FLT_MAX);
    if (max > own.max)
        own.sum *= (double)expf(own.max - shift);
    sum = cuda_softmax_finish(job.algorithm, max,
                              cuda_join_row<cuda_join_sum>((float)own.sum, in_row, sums));
    sum = job.algorithm == CUDA_SOFTMAX_LOG ? logf(sum) : 1 / sum;
    for (int64_t first = first_of<LANES>(0, 0); first < job.length; first += CUDA_THREADS * LANES) {
        cuda_softmax_get(v[0], (const T *)job.data[1] + at[1] + first, true, 0);
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            v[0][lane] = job.algorithm == CUDA_SOFTMAX_LOG ? v[0][lane] - shift - sum
                                                           : expf(v[0][lane] - shift) * sum;
        cuda_vector_store((T *)job.data[0] + at[0] + first, v[0], job.blend);
    }
}

/* ------------------------------------------------------------------ backward */

/* Computes dx from the sum of y*dy, or of dy for the logarithm. */
template <class T, int LANES>
__global__ void __launch_bounds__(CUDA_THREADS) softmax_long_backward(cuda_softmax_job job)
{
    __shared__ float sums[CUDA_THREADS / CUDA_WARP];
    cuda_row_thread in_row = cuda_row_thread_of(job);
    bool log = job.algorithm == CUDA_SOFTMAX_LOG;
    const T *y_row, *dy_row;
    float y[LANES], dy[LANES], sum;
    double own = 0;
    int64_t at[3];

    cuda_walk_place<3>(job.vectors, in_row.row, at);
    y_row = (const T *)job.data[1] + at[1];
    dy_row = (const T *)job.data[2] + at[2];
#pragma unroll 4
    for (int64_t first = first_of<LANES>(0, 0); first < job.length; first += CUDA_THREADS * LANES) {
        float part = 0;

        cuda_softmax_get(y, y_row + first, true, 0);
        cuda_softmax_get(dy, dy_row + first, true, 0);
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            part += log ? dy[lane] : y[lane] * dy[lane];
        own += (double)part;
    }
    sum = cuda_join_row<cuda_join_sum>((float)own, in_row, sums);
    for (int64_t first = first_of<LANES>(0, 0); first < job.length; first += CUDA_THREADS * LANES) {
        cuda_softmax_get(y, y_row + first, true, 0);
        cuda_softmax_get(dy, dy_row + first, true, 0);
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            dy[lane] = log ? dy[lane] - expf(y[lane]) * sum : y[lane] * (dy[lane] - sum);
        cuda_vector_store((T *)job.data[0] + at[0] + first, dy, job.blend);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class T> static cuda_softmax_kernel choose(int backward, int wide)
{
    enum { LANES = 16 / sizeof(T) };

    if (wide)
        return backward ? softmax_long_backward<T, LANES> : softmax_long<T, LANES>;
    return backward ? softmax_long_backward<T, 1> : softmax_long<T, 1>;
}

cuda_softmax_kernel cuda_softmax_long_kernel(int32_t type, int backward, int wide)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return choose<float>(backward, wide);
    case ANYDNN_PLUGIN_HALF:
        return choose<cuda_half>(backward, wide);
    case ANYDNN_PLUGIN_BFLOAT16:
        return choose<cuda_bfloat16>(backward, wide);
    default:
        return nullptr;
    }
}
