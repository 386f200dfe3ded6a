/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that the forms of softmax share: the plain form of plain.cu, and the forms for packed
 * tensors. */
#ifndef CUDA_SIMT_SOFTMAX_SOFTMAX_H
#define CUDA_SIMT_SOFTMAX_SOFTMAX_H

#include "../shared/vector.h"
#include "../shared/walk_device.h"

#include <float.h>

/* The algorithms of struct anydnn_plugin_softmax. */
enum { CUDA_SOFTMAX_FAST, CUDA_SOFTMAX_ACCURATE, CUDA_SOFTMAX_LOG };

/* The number of tensors of an operation: forward y, x; backward dx, y, dy. */
#define CUDA_SOFTMAX_TENSORS 3

/* Completes a sum of exponentials. If the maximum is +Inf, the result is NaN, so the whole vector
 * becomes NaN as in cuDNN. If all elements are -Inf, the result is 1, so exp(x) and x remain
 * unchanged. The fast algorithm takes no maximum and has neither rule. */
template <class A> __device__ static inline A cuda_softmax_finish(int32_t algorithm, A max, A sum)
{
    if (algorithm == CUDA_SOFTMAX_FAST)
        return sum;
    if (isinf(max))
        return max - max;
    return sum == 0 ? 1 : sum;
}

/* ------------------------------------------------------------------ packed tensors */

#define CUDA_WARP      32
#define CUDA_ALL_LANES UINT32_MAX

/* Joins two values of a vector: their maximum or their sum. */
struct cuda_join_max {
    static __device__ float join(float a, float b)
    {
        return fmaxf(a, b);
    }
};
struct cuda_join_sum {
    static __device__ float join(float a, float b)
    {
        return a + b;
    }
};

/* Returns exp(x) for results of type T. For 16-bit results, an exponential of 2 suffices. Its
 * errors are 2^-22 and the rounding of its exponent, |x| times 2^-24. Their sum is below 2^-16
 * wherever exp(x) is large enough to matter. For half, flushing values that are subnormal in float
 * loses nothing. */
template <class T> __device__ static inline float cuda_softmax_exp(float x)
{
    return expf(x);
}

#ifdef __CUDA_ARCH__
#define CUDA_LOG2_E 1.44269504f

template <> __device__ inline float cuda_softmax_exp<cuda_half>(float x)
{
    float e;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(x * CUDA_LOG2_E));
    return e;
}

template <> __device__ inline float cuda_softmax_exp<cuda_bfloat16>(float x)
{
    float e;
    asm("ex2.approx.f32 %0, %1;" : "=f"(e) : "f"(x * CUDA_LOG2_E));
    return e;
}
#endif

/* Reads N elements as numbers, or sets them to `behind` if they do not exist. */
template <class T, int N>
__device__ static inline void cuda_softmax_get(float (&to)[N], const T *from, bool are_there,
                                               float behind)
{
    cuda_vector<T, N> raw;

    if (are_there) {
        cuda_vector_get(raw, from);
        cuda_vector_numbers(raw, to);
    } else {
#pragma unroll
        for (int lane = 0; lane < N; lane++)
            to[lane] = behind;
    }
}

struct cuda_softmax_job {
    cuda_walk vectors; /* start of a row; start of neighbouring columns */
    void *data[CUDA_SOFTMAX_TENSORS];
    cuda_blend blend;
    int64_t blocks;
    int64_t length;
    int64_t stride[CUDA_SOFTMAX_TENSORS]; /* distance between two elements of a column */
    int32_t log_group; /* log2 of a row's threads, or of the threads side by side */
    int32_t algorithm;
};

typedef void (*cuda_softmax_kernel)(cuda_softmax_job);

/* The elements of each tensor that a thread holds: of columns and long rows, and of short rows. */
#define CUDA_SOFTMAX_HELD 32
#define CUDA_SOFTMAX_FEW  16

/* Each function returns a kernel of rows.cu, rows_long.cu or columns.cu for float, half or
 * bfloat16. `wide` selects access by 16 bytes instead of by elements. `few` selects few elements
 * per thread. */
cuda_softmax_kernel cuda_softmax_rows_kernel(int32_t type, int backward, int wide, int few);
cuda_softmax_kernel cuda_softmax_long_kernel(int32_t type, int backward, int wide);
cuda_softmax_kernel cuda_softmax_columns_kernel(int32_t type, int backward, int wide);

struct cuda_softmax_packed {
    cuda_softmax_job job, wide_job;
    cuda_softmax_kernel kernel, wide_kernel; /* NULL if unavailable by elements, or by 16 bytes */
    int32_t tensors;
};

/* Prepares the packed form for these iterations over the vectors and within one vector. */
void cuda_softmax_packed_prepare(cuda_softmax_packed *packed, const cuda_walk *vectors,
                                 const cuda_walk *vector, int32_t type, int backward);

/* Returns 1 if a packed form accepts these pointers. The second function launches it. */
int cuda_softmax_packed_takes(const cuda_softmax_packed *packed, void *const data[]);
int32_t cuda_softmax_packed_run(const cuda_softmax_packed *packed, const cuda_call *call,
                                void *const data[], const cuda_blend &blend, int32_t algorithm);

#endif
