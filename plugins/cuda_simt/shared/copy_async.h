/* SPDX-License-Identifier: Apache-2.0 */
/* Copies to shared memory that continue while a block computes. Before compute capability 8.0 they
 * are plain copies. */
#ifndef CUDA_SIMT_SHARED_COPY_ASYNC_H
#define CUDA_SIMT_SHARED_COPY_ASYNC_H

#include "map.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/* Returns the address of element `at` in one instruction. The compiler would choose between two
 * addresses instead. */
__device__ static inline const float *address(const float *base, int32_t at)
{
    const float *to;

    asm("mad.wide.s32 %0, %1, 4, %2;" : "=l"(to) : "r"(at), "l"(base));
    return to;
}

/* Starts copying 4, 8 or 16 bytes. KEPT keeps them in the first-level cache, as copies of fewer
 * than 16 bytes always do. */
template <int BYTES, bool KEPT = false>
__device__ static inline void copy_async(void *to, const void *from, bool inside)
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
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from),
                     "n"(BYTES), "r"(inside ? BYTES : 0)
                     : "memory");
}

/* Makes a group of the copies that were started since the last call. */
__device__ static inline void commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Waits until at most LEFT groups are in flight. */
template <int LEFT> __device__ static inline void wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

/* Waits until no copy is in flight, in a group or not. */
__device__ static inline void wait_all()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}
#else
__device__ static inline const float *address(const float *base, int32_t at)
{
    return base + at;
}

template <int BYTES, bool KEPT = false>
__device__ static inline void copy_async(void *to, const void *from, bool inside)
{
    if (BYTES == 16)
        *(uint4 *)to = inside ? *(const uint4 *)from : uint4{0, 0, 0, 0};
    else if (BYTES == 8)
        *(uint2 *)to = inside ? *(const uint2 *)from : uint2{0, 0};
    else
        *(uint32_t *)to = inside ? *(const uint32_t *)from : 0;
}

__device__ static inline void commit()
{
}

template <int LEFT> __device__ static inline void wait()
{
}

__device__ static inline void wait_all()
{
}
#endif

#endif
