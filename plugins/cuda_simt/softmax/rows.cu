/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of vectors that are rows in memory. A group of threads (a part of a warp, or several
 * warps) holds a row, so that it is read once. */
#include "rows.h"

/* ------------------------------------------------------------------ forward */

/* Computes y. A NaN never becomes the maximum; it reaches the result through the sum. -Inf never
 * becomes the maximum either, because a row of only -Inf would give NaN. The shift is finite even
 * if the maximum is +Inf. */
template <class T, int LANES, int HELD>
__global__ void __launch_bounds__(CUDA_THREADS) softmax_rows(cuda_softmax_job job)
{
    enum { STEPS = HELD / LANES };
    __shared__ float maxima[CUDA_THREADS / CUDA_WARP], sums[CUDA_THREADS / CUDA_WARP];
    cuda_row_thread in_row = cuda_row_thread_of(job);
    bool inside = in_row.row < job.vectors.count;
    int64_t at[2] = {0, 0}, length = inside ? job.length : 0;
    float v[STEPS][LANES], max = -FLT_MAX, shift, sum = 0;

    if (inside)
        cuda_walk_place<2>(job.vectors, in_row.row, at);
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        int64_t first = ((int64_t)s * in_row.size + in_row.member) * LANES;

        cuda_softmax_get(v[s], (const T *)job.data[1] + at[1] + first, first < length, -INFINITY);
    }
#pragma unroll
    for (int s = 0; s < STEPS; s++)
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            max = fmaxf(max, v[s][lane]);
    max = cuda_join_row<cuda_join_max>(max, in_row, maxima);
    shift = fminf(max, FLT_MAX);
#pragma unroll
    for (int s = 0; s < STEPS; s++)
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
            float e = cuda_softmax_exp<T>(v[s][lane] - shift);

            sum += e;
            v[s][lane] = job.algorithm == CUDA_SOFTMAX_LOG ? v[s][lane] - shift : e;
        }
    sum = cuda_softmax_finish(job.algorithm, max, cuda_join_row<cuda_join_sum>(sum, in_row, sums));
    sum = job.algorithm == CUDA_SOFTMAX_LOG ? logf(sum) : 1 / sum;
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        int64_t first = ((int64_t)s * in_row.size + in_row.member) * LANES;

#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            v[s][lane] = job.algorithm == CUDA_SOFTMAX_LOG ? v[s][lane] - sum : v[s][lane] * sum;
        if (first < length)
            cuda_vector_store((T *)job.data[0] + at[0] + first, v[s], job.blend);
    }
}

/* ------------------------------------------------------------------ backward */

/* Computes dx from the sum of y*dy, or of dy for the logarithm. */
template <class T, int LANES, int HELD>
__global__ void __launch_bounds__(CUDA_THREADS) softmax_rows_backward(cuda_softmax_job job)
{
    enum { STEPS = HELD / LANES };
    __shared__ float sums[CUDA_THREADS / CUDA_WARP];
    cuda_row_thread in_row = cuda_row_thread_of(job);
    bool inside = in_row.row < job.vectors.count;
    int64_t at[3] = {0, 0, 0}, length = inside ? job.length : 0;
    float y[STEPS][LANES], dy[STEPS][LANES], sum = 0;

    if (inside)
        cuda_walk_place<3>(job.vectors, in_row.row, at);
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        int64_t first = ((int64_t)s * in_row.size + in_row.member) * LANES;

        cuda_softmax_get(y[s], (const T *)job.data[1] + at[1] + first, first < length, 0);
        cuda_softmax_get(dy[s], (const T *)job.data[2] + at[2] + first, first < length, 0);
    }
#pragma unroll
    for (int s = 0; s < STEPS; s++)
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            sum += job.algorithm == CUDA_SOFTMAX_LOG ? dy[s][lane] : y[s][lane] * dy[s][lane];
    sum = cuda_join_row<cuda_join_sum>(sum, in_row, sums);
    if (job.algorithm == CUDA_SOFTMAX_LOG) {
#pragma unroll
        for (int i = 0; i < HELD; i++)
            dy[i / LANES][i % LANES] -= cuda_softmax_exp<T>(y[i / LANES][i % LANES]) * sum;
    } else {
#pragma unroll
        for (int i = 0; i < HELD; i++)
            dy[i / LANES][i % LANES] = y[i / LANES][i % LANES] * (dy[i / LANES][i % LANES] - sum);
    }
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        int64_t first = ((int64_t)s * in_row.size + in_row.member) * LANES;

        if (first < length)
            cuda_vector_store((T *)job.data[0] + at[0] + first, dy[s], job.blend);
    }
}

/* ------------------------------------------------------------------ on the host */

template <class T, int LANES, int HELD> static cuda_softmax_kernel kernel_of(int backward)
{
    return backward ? softmax_rows_backward<T, LANES, HELD> : softmax_rows<T, LANES, HELD>;
}

template <class T> static cuda_softmax_kernel choose(int backward, int wide, int few)
{
    enum { LANES = 16 / sizeof(T), FEW = CUDA_SOFTMAX_FEW, MANY = CUDA_SOFTMAX_HELD };

    if (wide)
        return few ? kernel_of<T, LANES, FEW>(backward) : kernel_of<T, LANES, MANY>(backward);
    return few ? kernel_of<T, 1, FEW>(backward) : kernel_of<T, 1, MANY>(backward);
}

cuda_softmax_kernel cuda_softmax_rows_kernel(int32_t type, int backward, int wide, int few)
{
    switch (type) {
    case ANYDNN_PLUGIN_FLOAT:
        return choose<float>(backward, wide, few);
    case ANYDNN_PLUGIN_HALF:
        return choose<cuda_half>(backward, wide, few);
    case ANYDNN_PLUGIN_BFLOAT16:
        return choose<cuda_bfloat16>(backward, wide, few);
    default:
        return nullptr;
    }
}
