/* SPDX-License-Identifier: Apache-2.0 */
/* What the forms of softmax share: the general one of plain.cu, and those for packed tensors. */
#ifndef CUDA_SIMT_SOFTMAX_SOFTMAX_H
#define CUDA_SIMT_SOFTMAX_SOFTMAX_H

#include "../shared/vector.h"
#include "../shared/walk_device.h"

#include <float.h>

/* Numbers of struct anydnn_plugin_softmax. */
enum { CUDA_SOFTMAX_FAST, CUDA_SOFTMAX_ACCURATE, CUDA_SOFTMAX_LOG };

/* Tensors of the walks and jobs: forward y, x; backward dx, y, dy. */
#define CUDA_SOFTMAX_TENSORS 3

/* The last thoughts on a sum of exponentials. Those of +Inf less itself are NaN, as in cuDNN they
 * make the whole vector; of -Inf alone exp(x) and x stand as they are. With the fast algorithm,
 * which takes no maximum, neither is so. */
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

/* What is found of all numbers of a vector. */
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

/* exp(x) for results of type T. Those of 16 bits need no more than an exponential of 2, off by
 * 2^-22 and by the rounding of its exponent, |x| times 2^-24, where x makes any difference below
 * 2^-16; half's lose nothing with numbers that float has subnormal. */
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

/* N elements as numbers; `behind` where there are none. */
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
    cuda_walk vectors; /* where a row begins; where columns side by side begin */
    void *data[CUDA_SOFTMAX_TENSORS];
    cuda_blend blend;
    int64_t blocks;
    int64_t length;
    int64_t stride[CUDA_SOFTMAX_TENSORS]; /* of columns, from one element to the next */
    int32_t log_group; /* threads that share a row; threads side by side, each with its columns */
    int32_t algorithm;
};

typedef void (*cuda_softmax_kernel)(cuda_softmax_job);

/* Elements that a thread holds of each tensor: of columns and of rows, of short rows. */
#define CUDA_SOFTMAX_HELD 32
#define CUDA_SOFTMAX_FEW  16

/* The kernels of rows.cu, rows_long.cu and columns.cu: for float, half and
 * bfloat16; by 16 bytes or by elements; and for rows, with few elements a thread or with many. */
cuda_softmax_kernel cuda_softmax_rows_kernel(int32_t type, int backward, int wide, int few);
cuda_softmax_kernel cuda_softmax_long_kernel(int32_t type, int backward, int wide);
cuda_softmax_kernel cuda_softmax_columns_kernel(int32_t type, int backward, int wide);

struct cuda_softmax_packed {
    cuda_softmax_job job, wide_job;
    cuda_softmax_kernel kernel, wide_kernel; /* NULL: not in this form, not by 16 bytes */
    int32_t tensors;
};

/* The form that takes vectors, and one vector, as these walks of the tensors go. */
void cuda_softmax_packed_prepare(cuda_softmax_packed *packed, const cuda_walk *vectors,
                                 const cuda_walk *vector, int32_t type, int backward);

/* Whether one does; then it can be launched. */
int cuda_softmax_packed_takes(const cuda_softmax_packed *packed, void *const data[]);
int32_t cuda_softmax_packed_run(const cuda_softmax_packed *packed, const cuda_call *call,
                                void *const data[], const cuda_blend &blend, int32_t algorithm);

#endif
