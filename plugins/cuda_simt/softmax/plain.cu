/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax in its plain form, for tensors of any strides and types. A tile of threads computes some
 * vectors in two passes: first the sums, then the results. */
#include "plain.h"

/* The running sum of a vector; backward uses only the sum. */
struct softmax_sum {
    double max; /* maximum so far, but at least the lowest finite number */
    double sum; /* sum of exp(x - max) */
};

/* ------------------------------------------------------------------ forward */

template <class A> struct softmax_lowest;
template <> struct softmax_lowest<float> {
    static __device__ float number()
    {
        return -FLT_MAX;
    }
};
template <> struct softmax_lowest<double> {
    static __device__ double number()
    {
        return -DBL_MAX;
    }
};

/* Adds x to a running sum. A NaN never becomes the maximum; it reaches the result through the sum.
 * -Inf never becomes the maximum either, because a vector of only -Inf would give NaN. */
template <class A> __device__ static inline void take(A x, A *max, double *sum)
{
    A e = x == *max ? 1 : exp(-fabs(x - *max));

    if (x > *max) {
        *sum = *sum * (double)e + 1;
        *max = x;
    } else {
        *sum += (double)e;
    }
}

/* Returns exp(a - b) for b >= a; both may be +Inf. */
template <class A> __device__ static inline double scaled(double a, double b)
{
    return a == b ? 1 : (double)exp((A)(a - b));
}

template <class A> __device__ static inline void join_sums(softmax_sum *to, const softmax_sum &from)
{
    double max = from.max > to->max ? from.max : to->max;

    to->sum = to->sum * scaled<A>(to->max, max) + from.sum * scaled<A>(from.max, max);
    to->max = max;
}

template <class T>
__global__ void __launch_bounds__(CUDA_THREADS) softmax_forward(softmax_plain_job job)
{
    typedef typename cuda_arith<T>::type A;
    __shared__ softmax_sum sums[CUDA_THREADS];
    cuda_tile_thread in_tile = cuda_tile_thread_of(job.tile);
    int64_t vector = (int64_t)blockIdx.x * in_tile.size_x + in_tile.x;
    softmax_sum *column = sums + in_tile.x * in_tile.size_y;
    int64_t base[2], at[2];
    A max = softmax_lowest<A>::number(), log_sum;
    double sum = 0;

    if (vector < job.vectors.count) {
        cuda_walk_place<2>(job.vectors, vector, base);
        for (int64_t i = in_tile.y; i < job.vector.count; i += in_tile.size_y) {
            cuda_walk_place<2>(job.vector, i, at);
            take(cuda_load(((const T *)job.data[1])[base[1] + at[1]]), &max, &sum);
        }
    }
    column[in_tile.y].max = (double)max;
    column[in_tile.y].sum = sum;
    __syncthreads();
    for (int half = in_tile.size_y / 2; half > 0; half /= 2) {
        if (in_tile.y < half)
            join_sums<A>(column + in_tile.y, column[in_tile.y + half]);
        __syncthreads();
    }
    if (vector >= job.vectors.count)
        return;
    max = (A)column[0].max;
    sum = cuda_softmax_finish(job.algorithm, column[0].max, column[0].sum);
    log_sum = (A)log(sum);
    for (int64_t i = in_tile.y; i < job.vector.count; i += in_tile.size_y) {
        A value;

        cuda_walk_place<2>(job.vector, i, at);
        value = cuda_load(((const T *)job.data[1])[base[1] + at[1]]) - max;
        value = job.algorithm == CUDA_SOFTMAX_LOG ? value - log_sum : exp(value) / (A)sum;
        cuda_blend_store((T *)job.data[0] + base[0] + at[0], value, job.blend);
    }
}

/* ------------------------------------------------------------------ backward */

/* Computes dx from the sum of y*dy, or of dy for the logarithm. */
template <class T>
__global__ void __launch_bounds__(CUDA_THREADS) softmax_backward(softmax_plain_job job)
{
    typedef typename cuda_arith<T>::type A;
    __shared__ double sums[CUDA_THREADS];
    cuda_tile_thread in_tile = cuda_tile_thread_of(job.tile);
    int64_t vector = (int64_t)blockIdx.x * in_tile.size_x + in_tile.x;
    double *column = sums + in_tile.x * in_tile.size_y, sum = 0;
    int64_t base[3], at[3];

    if (vector < job.vectors.count) {
        cuda_walk_place<3>(job.vectors, vector, base);
        for (int64_t i = in_tile.y; i < job.vector.count; i += in_tile.size_y) {
            double dy;

            cuda_walk_place<3>(job.vector, i, at);
            dy = (double)cuda_load(((const T *)job.data[2])[base[2] + at[2]]);
            if (job.algorithm == CUDA_SOFTMAX_LOG)
                sum += dy;
            else
                sum += dy * (double)cuda_load(((const T *)job.data[1])[base[1] + at[1]]);
        }
    }
    column[in_tile.y] = sum;
    __syncthreads();
    for (int half = in_tile.size_y / 2; half > 0; half /= 2) {
        if (in_tile.y < half)
            column[in_tile.y] += column[in_tile.y + half];
        __syncthreads();
    }
    if (vector >= job.vectors.count)
        return;
    sum = column[0];
    for (int64_t i = in_tile.y; i < job.vector.count; i += in_tile.size_y) {
        A y, dy;

        cuda_walk_place<3>(job.vector, i, at);
        y = cuda_load(((const T *)job.data[1])[base[1] + at[1]]);
        dy = cuda_load(((const T *)job.data[2])[base[2] + at[2]]);
        dy = job.algorithm == CUDA_SOFTMAX_LOG ? dy - exp(y) * (A)sum : y * (dy - (A)sum);
        cuda_blend_store((T *)job.data[0] + base[0] + at[0], dy, job.blend);
    }
}

/* ------------------------------------------------------------------ on the host */

softmax_plain_kernel softmax_plain_forward_kernel(int32_t type)
{
    switch (type) {
#define CASE(T) return softmax_forward<T>
        CUDA_FLOAT_CASES(CASE);
    default:
        CASE(int8_t);
#undef CASE
    }
}

softmax_plain_kernel softmax_plain_backward_kernel(int32_t type)
{
    switch (type) {
#define CASE(T) return softmax_backward<T>
        CUDA_FLOAT_CASES(CASE);
    default:
        return nullptr;
#undef CASE
    }
}

void softmax_plain_prepare(softmax_plain_job *job,
                           const struct anydnn_plugin_tensor *const tensor[], int32_t tensors,
                           uint32_t along, int32_t algorithm)
{
    int by_elements;

    cuda_walk_make(&job->vectors, tensor, tensors, ~along, KIT_WALK_SORTED);
    cuda_walk_make(&job->vector, tensor, tensors, along, KIT_WALK_SORTED);
    by_elements = job->vectors.count == 1 || job->vector.strides[job->vector.ndims - 1][0] <=
                                                 job->vectors.strides[job->vectors.ndims - 1][0];
    job->tile = cuda_tile_choose(job->vectors.count, job->vector.count, by_elements);
    job->algorithm = algorithm;
}

int32_t softmax_plain_run(const softmax_plain_job &job, softmax_plain_kernel kernel,
                          const cuda_call *call)
{
    return cuda_launch(call, kernel, cuda_blocks(job.vectors.count, INT64_C(1) << job.tile.log_x),
                       1, job);
}
