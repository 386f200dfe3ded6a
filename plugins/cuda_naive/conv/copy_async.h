/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of floats to shared memory that are under way while a block computes; plain ones before
 * compute capability 8.0. */
#ifndef CUDA_NAIVE_CONV_COPY_ASYNC_H
#define CUDA_NAIVE_CONV_COPY_ASYNC_H

#include "../shared/map.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/* One instruction; the compiler would choose between two addresses. */
__device__ static inline const float *address(const float *base, int32_t at)
{
    const float *to;

    asm("mad.wide.s32 %0, %1, 4, %2;" : "=l"(to) : "r"(at), "l"(base));
    return to;
}

/* KEPT: in the first-level cache, as all by 4 bytes. */
template <int BYTES, bool KEPT = false>
__device__ static inline void copy_async(float *to, const float *from, bool inside)
{
    uint32_t address = (uint32_t)__cvta_generic_to_shared(to);

    if (BYTES == 16 && KEPT)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                     "r"(inside ? 16 : 0)
                     : "memory");
    else if (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
                     "r"(inside ? 16 : 0)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from),
                     "r"(inside ? 4 : 0)
                     : "memory");
}

__device__ static inline void commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int LEFT> __device__ static inline void wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}
#else
__device__ static inline const float *address(const float *base, int32_t at)
{
    return base + at;
}

template <int BYTES, bool KEPT = false>
__device__ static inline void copy_async(float *to, const float *from, bool inside)
{
    if (BYTES == 16)
        *(float4 *)to = inside ? *(const float4 *)from : float4{0, 0, 0, 0};
    else
        *to = inside ? *from : 0;
}

__device__ static inline void commit()
{
}

template <int LEFT> __device__ static inline void wait()
{
}
#endif

#endif
