/* SPDX-License-Identifier: Apache-2.0 */
/* Wraps the instructions of matrix units, asynchronous copies and dynamic shared memory, one
 * function each. A GPU runs PTX; on the host, tests/cuda/emulator emulates the instructions.
 *
 * A fragment is the part of a matrix that a lane holds. The matrix is 16 rows of 32 bytes (a), 8
 * columns of 32 bytes (b), or 16 x 8 sums (c). Let g = lane / 4 and t = lane % 4.
 *   a[0], a[1]: word t of rows g and g + 8
 *   a[2], a[3]: word t + 4 of rows g and g + 8
 *   b[0], b[1]: words t and t + 4 of column g
 *   c[0], c[1]: columns 2 t and 2 t + 1 of row g
 *   c[2], c[3]: columns 2 t and 2 t + 1 of row g + 8
 * A word of 4 bytes holds one TF32 number, two 16-bit or four 8-bit numbers, the first one in
 * its low bits. */
#ifndef CUDA_TENSORCORE_COMMON_MMA_H
#define CUDA_TENSORCORE_COMMON_MMA_H

#include "../../cuda_common/element.h"

/* The bytes of a row of a fragment: one step along K. */
#define TC_STEP_BYTES 32

/* The operand types. TYPE is the type in plugin.h, NUMBER its code in kernel numbers, and
 * CAPABILITY the lowest capability of its code. ROUNDS is 1 if fragments are rounded to TF32
 * when they are read. SPLITS is 1 if numbers are multiplied as sums of two TF32 numbers. */
struct tc_half {
    typedef cuda_half element;
    typedef float sum;
    enum { TYPE = ANYDNN_PLUGIN_HALF, NUMBER = 0 };
    enum { CAPABILITY = 75, ROUNDS = 0, SPLITS = 0 };
};
struct tc_bfloat16 {
    typedef cuda_bfloat16 element;
    typedef float sum;
    enum { TYPE = ANYDNN_PLUGIN_BFLOAT16, NUMBER = 1 };
    enum { CAPABILITY = 80, ROUNDS = 0, SPLITS = 0 };
};
/* The type of floats that are rounded to TF32. */
struct tc_tf32 {
    typedef float element;
    typedef float sum;
    enum { TYPE = ANYDNN_PLUGIN_FLOAT, NUMBER = 2 };
    enum { CAPABILITY = 80, ROUNDS = 1, SPLITS = 0 };
};
/* The type of floats that are sums of two TF32 numbers (common/split.h). */
struct tc_split {
    typedef float element;
    typedef float sum;
    enum { TYPE = ANYDNN_PLUGIN_FLOAT, NUMBER = 3 };
    enum { CAPABILITY = 80, ROUNDS = 0, SPLITS = 1 };
};
/* The type of 8-bit integers. X and OTHER are 1 if those of A and of B are signed. Sums wrap. */
template <int X, int OTHER> struct tc_integers {
    typedef int8_t element;
    typedef int32_t sum;
    enum { TYPE = X ? ANYDNN_PLUGIN_INT8 : ANYDNN_PLUGIN_UINT8, NUMBER = 3 };
    enum { CAPABILITY = 75, ROUNDS = 0, SPLITS = 0, X_SIGNED = X, OTHER_SIGNED = OTHER };
};

/* Returns true if sums are integers. */
template <class M> CUDA_BOTH constexpr bool tc_is_integer()
{
    return sizeof(typename M::element) == 1;
}

/* Precedes the block of a kernel. In device code for a lower capability, the kernel is empty. In
 * host code the block is always present, because nvcc must instantiate the same kernels for host
 * and device. */
#ifdef __CUDA_ARCH__
#define TC_CODE_FROM(capability)                                                                   \
    if constexpr (TC_CAPABILITY < (int)(capability))                                               \
        return;                                                                                    \
    else
#else
#define TC_CODE_FROM(capability)
#endif

#ifdef __CUDACC__

#ifdef __CUDA_ARCH__
#define TC_CAPABILITY (__CUDA_ARCH__ / 10)
#else
#define TC_CAPABILITY 0
#endif

/* Declares dynamic shared memory. The launch sets its size. */
#define TC_SHARED(name) extern __shared__ __align__(1024) uint4 name[]

/* Returns the address of a pointer for shared-memory instructions. Offsets in bytes may be added
 * to it. */
__device__ static inline uint32_t tc_shared_address(const void *pointer)
{
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

/* ------------------------------------------------------------------ shared memory to fragments */

/* Loads four matrices of 8 rows of 16 bytes. Lane 8 i + j passes the address of row j of matrix
 * i, and gets word t of row g of each matrix. The transposed form, for 16-bit numbers, returns
 * numbers 2 t and 2 t + 1 of column g. */
__device__ static inline void tc_ldmatrix(uint32_t to[4], uint32_t row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(row)
                 : "memory");
}

__device__ static inline void tc_ldmatrix_trans(uint32_t to[4], uint32_t row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(row)
                 : "memory");
}

__device__ static inline void tc_ldmatrix(uint32_t to[4], const void *row)
{
    tc_ldmatrix(to, tc_shared_address(row));
}

__device__ static inline void tc_ldmatrix_trans(uint32_t to[4], const void *row)
{
    tc_ldmatrix_trans(to, tc_shared_address(row));
}

__device__ static inline uint32_t tc_load_word(uint32_t address)
{
    uint32_t word;

    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address) : "memory");
    return word;
}

/* Loads two words from an address that is a multiple of 8 bytes. */
__device__ static inline void tc_load_pair(uint32_t to[2], uint32_t address)
{
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"(address)
                 : "memory");
}

/* ------------------------------------------------------------------ products */

#if TC_CAPABILITY >= 80
#define TC_MMA_SYNC(shape, types, c, a, b)                                                         \
    asm volatile("mma.sync.aligned." shape ".row.col.f32." types ".f32 {%0, %1, %2, %3}, "         \
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                   \
                 : "+f"((c)[0]), "+f"((c)[1]), "+f"((c)[2]), "+f"((c)[3])                          \
                 : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))
#else
#define TC_MMA_SYNC(shape, types, c, a, b) ((void)0)
#endif

/* Computes c += a b. sm_75 multiplies 16 bytes of a row at a time. */
__device__ static inline void tc_mma(tc_half, float c[4], const uint32_t a[4], const uint32_t b[2])
{
#if TC_CAPABILITY == 75
#pragma unroll
    for (int half = 0; half < 2; half++)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                     "{%4, %5}, {%6}, {%0, %1, %2, %3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                     : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
#else
    TC_MMA_SYNC("m16n8k16", "f16.f16", c, a, b);
#endif
}

__device__ static inline void tc_mma(tc_bfloat16, float c[4], const uint32_t a[4],
                                     const uint32_t b[2])
{
    TC_MMA_SYNC("m16n8k16", "bf16.bf16", c, a, b);
}

__device__ static inline void tc_mma(tc_tf32, float c[4], const uint32_t a[4], const uint32_t b[2])
{
    TC_MMA_SYNC("m16n8k8", "tf32.tf32", c, a, b);
}

#if TC_CAPABILITY >= 80
#define TC_MMA_SYNC_INTEGERS(types, c, a, b)                                                       \
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32." types ".s32 {%0, %1, %2, %3}, "          \
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                   \
                 : "+r"((c)[0]), "+r"((c)[1]), "+r"((c)[2]), "+r"((c)[3])                          \
                 : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))
#else
#define TC_MMA_SYNC_QUARTER(types, c, a, b)                                                        \
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32." types ".s32 {%0, %1}, {%2}, {%3}, "       \
                 "{%0, %1};"                                                                       \
                 : "+r"((c)[0]), "+r"((c)[1])                                                      \
                 : "r"(a), "r"(b))
#define TC_MMA_SYNC_INTEGERS(types, c, a, b)                                                       \
    do {                                                                                           \
        TC_MMA_SYNC_QUARTER(types, c, (a)[0], (b)[0]);                                             \
        TC_MMA_SYNC_QUARTER(types, (c) + 2, (a)[1], (b)[0]);                                       \
        TC_MMA_SYNC_QUARTER(types, c, (a)[2], (b)[1]);                                             \
        TC_MMA_SYNC_QUARTER(types, (c) + 2, (a)[3], (b)[1]);                                       \
    } while (0)
#endif

template <int A_SIGNED, int B_SIGNED>
__device__ static inline void tc_mma(tc_integers<A_SIGNED, B_SIGNED>, int32_t c[4],
                                     const uint32_t a[4], const uint32_t b[2])
{
    if constexpr (A_SIGNED && B_SIGNED)
        TC_MMA_SYNC_INTEGERS("s8.s8", c, a, b);
    else if constexpr (B_SIGNED)
        TC_MMA_SYNC_INTEGERS("u8.s8", c, a, b);
    else
        TC_MMA_SYNC_INTEGERS("u8.u8", c, a, b);
}

/* Rounds a float to TF32, to nearest, ties away from 0. The instruction ignores the low 13 bits,
 * so they are not cleared here. The product by 1 turns every NaN into 0x7fffffff, the largest
 * positive integer. Adding 0x1000 makes it wrap to a smaller integer, so max() returns the NaN. */
__device__ static inline uint32_t tc_round_tf32(uint32_t bits)
{
    uint32_t number = __float_as_uint(__fmul_rn(__uint_as_float(bits), 1.0f));

    return (uint32_t)max((int32_t)(number + 0x1000), (int32_t)number);
}

/* Returns two sums rounded to nearest, the first one in the low bits. */
__device__ static inline uint32_t tc_round_pair(cuda_half, float first, float second)
{
    uint32_t pair;

    asm("{ .reg .b16 low, high; cvt.rn.f16.f32 low, %1; cvt.rn.f16.f32 high, %2; "
        "mov.b32 %0, {low, high}; }"
        : "=r"(pair)
        : "f"(first), "f"(second));
    return pair;
}

__device__ static inline uint32_t tc_round_pair(cuda_bfloat16, float first, float second)
{
    uint32_t pair = 0;

#if TC_CAPABILITY >= 80
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
#endif
    return pair;
}

/* ------------------------------------------------------------------ memory to shared memory */

/* 1 if copies to shared memory are asynchronous; sm_75 copies through registers. */
#define TC_HAS_CP_ASYNC (TC_CAPABILITY >= 80)

/* Returns the address `count` times `bytes` after another one. The compiler would use several
 * instructions for this. */
__device__ static inline const void *tc_address(const void *from, int32_t count, int32_t bytes)
{
    const void *to;

    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(to) : "r"(count), "r"(bytes), "l"(from));
    return to;
}

/* Copies 16 bytes to shared memory. If `inside` is false, it writes zeros and ignores `from`. */
__device__ static inline void tc_copy(uint32_t to, const void *from, bool inside)
{
#if TC_HAS_CP_ASYNC
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;"
                 :
                 : "r"(to), "l"(from), "r"(inside ? 16 : 0)
                 : "memory");
#endif
}

__device__ static inline void tc_copy(void *to, const void *from, bool inside)
{
    tc_copy(tc_shared_address(to), from, inside);
}

/* These functions end a group of copies, and wait for all of this thread's groups except the
 * last LEFT. */
__device__ static inline void tc_cp_async_commit()
{
#if TC_HAS_CP_ASYNC
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int LEFT> __device__ static inline void tc_cp_async_wait()
{
#if TC_HAS_CP_ASYNC
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

/* Computes c[i][j] += a[i] b[j] with matrix units only. */
template <class M, int FRAGS_M, int FRAGS_N>
__device__ static inline void tc_mma_units(typename M::sum (&c)[FRAGS_M][FRAGS_N][4],
                                           const uint32_t (&a)[FRAGS_M][4],
                                           const uint32_t (&b)[FRAGS_N][2])
{
#pragma unroll
    for (int i = 0; i < FRAGS_M; i++) {
#pragma unroll
        for (int j = 0; j < FRAGS_N; j++)
            tc_mma(M(), c[i][j], a[i], b[j]);
    }
}

#else
#include <emulated_mma.h>
#endif

#include "split.h"

/* Computes c[i][j] += a[i] b[j]. */
template <class M, int FRAGS_M, int FRAGS_N>
__device__ static inline void tc_mma_all(typename M::sum (&c)[FRAGS_M][FRAGS_N][4],
                                         const uint32_t (&a)[FRAGS_M][4],
                                         const uint32_t (&b)[FRAGS_N][2])
{
    if constexpr (M::SPLITS)
        tc_mma_split_tf32(c, a, b);
    else
        tc_mma_units<M>(c, a, b);
}

#endif
