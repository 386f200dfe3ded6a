/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring elements in memory that are read and written in one access and computed as
 * numbers. */
#ifndef CUDA_SIMT_SHARED_VECTOR_H
#define CUDA_SIMT_SHARED_VECTOR_H

#include "../../cuda_common/element.h"

/* The type of one access: 16 bytes, or a single element. */
template <class T, int N> struct cuda_whole {
    typedef uint4 type;
    static_assert(N * sizeof(T) == sizeof(uint4), "16 bytes or one element");
};
template <class T> struct cuda_whole<T, 1> {
    typedef T type;
};

template <class T, int N = 16 / sizeof(T)> union cuda_vector {
    enum { LANES = N };
    typename cuda_whole<T, N>::type whole;
    T lane[N];
};

template <class T, int N>
__device__ static inline void cuda_vector_get(cuda_vector<T, N> &to, const T *from)
{
    to.whole = *(const typename cuda_whole<T, N>::type *)from;
}

template <class T, int N>
__device__ static inline void cuda_vector_numbers(const cuda_vector<T, N> &from,
                                                  typename cuda_arith<T>::type to[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        to[i] = cuda_load(from.lane[i]);
}

/* ------------------------------------------------------------------ rounding */

template <class T, int N, class A>
__device__ inline void cuda_vector_round(cuda_vector<T, N> &to, const A (&from)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        cuda_store(&to.lane[i], from[i]);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/* Rounds two numbers at once; the first goes into the lower half. */
template <>
__device__ inline void cuda_vector_round<cuda_half, 8, float>(cuda_vector<cuda_half, 8> &to,
                                                              const float (&from)[8])
{
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(to.whole.x) : "f"(from[1]), "f"(from[0]));
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(to.whole.y) : "f"(from[3]), "f"(from[2]));
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(to.whole.z) : "f"(from[5]), "f"(from[4]));
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(to.whole.w) : "f"(from[7]), "f"(from[6]));
}

template <>
__device__ inline void cuda_vector_round<cuda_bfloat16, 8, float>(cuda_vector<cuda_bfloat16, 8> &to,
                                                                  const float (&from)[8])
{
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(to.whole.x) : "f"(from[1]), "f"(from[0]));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(to.whole.y) : "f"(from[3]), "f"(from[2]));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(to.whole.z) : "f"(from[5]), "f"(from[4]));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(to.whole.w) : "f"(from[7]), "f"(from[6]));
}
#endif

/* ------------------------------------------------------------------ out = alpha * r + beta * prior
 */

CUDA_BOTH bool cuda_is_plain(const cuda_blend &blend)
{
    return blend.alpha == 1 && blend.beta == 0;
}

template <class A, int N> struct cuda_numbers {
    A lane[N];
};

/* Stores with factors. It is not inlined, because most kernels have none. */
template <class T, class A, int N>
__device__ __noinline__ void cuda_vector_blend(T *to, cuda_numbers<A, N> result, cuda_blend blend)
{
    cuda_vector<T, N> out;

    if (blend.beta != 0)
        cuda_vector_get(out, to);
#pragma unroll
    for (int i = 0; i < N; i++)
        cuda_blend_store(&out.lane[i], result.lane[i], blend);
    *(typename cuda_whole<T, N>::type *)to = out.whole;
}

/* Stores N results without factors. */
template <class T, class A, int N>
__device__ static inline void cuda_vector_put(T *to, const A (&result)[N])
{
    cuda_vector<T, N> out;

    cuda_vector_round(out, result);
    *(typename cuda_whole<T, N>::type *)to = out.whole;
}

/* Stores N elements like cuda_blend_store. */
template <class T, class A, int N>
__device__ static inline void cuda_vector_store(T *to, const A (&result)[N],
                                                const cuda_blend &blend)
{
    if (cuda_is_plain(blend)) {
        cuda_vector_put(to, result);
    } else {
        cuda_numbers<A, N> numbers;

#pragma unroll
        for (int i = 0; i < N; i++)
            numbers.lane[i] = result[i];
        cuda_vector_blend<T, A, N>(to, numbers, blend);
    }
}

#endif
