/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the forms of wgmma.mma_async that the family hopper uses (PTX ISA, "Warpgroup-level
 * matrix instructions"). A warpgroup has 64 x N accumulators, floats or 32-bit integers. A form
 * multiplies 32 bytes along K; both operands are in shared memory and given by descriptors. Only
 * the lists of registers make these definitions long. */
#ifndef CUDA_TENSORCORE_HOPPER_WGMMA_H
#define CUDA_TENSORCORE_HOPPER_WGMMA_H

#include "../common/mma.h"

/* clang-format off */
#define TC_OPERANDS_32 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define TC_OPERANDS_64 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TC_OPERANDS_128 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define TC_OPERANDS_96 \
    TC_OPERANDS_64 ", " \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define TC_OPERANDS_116 \
    TC_OPERANDS_96 ", " \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115"
#define TC_INTEGERS_8(d, i) \
    "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3]), \
    "+r"(d[i + 4]), "+r"(d[i + 5]), "+r"(d[i + 6]), "+r"(d[i + 7])
#define TC_INTEGERS_32(d, i) \
    TC_INTEGERS_8(d, i), TC_INTEGERS_8(d, i + 8), TC_INTEGERS_8(d, i + 16), TC_INTEGERS_8(d, i + 24)
#define TC_INTEGERS_64(d, i)  TC_INTEGERS_32(d, i), TC_INTEGERS_32(d, i + 32)
#define TC_INTEGERS_128(d, i) TC_INTEGERS_64(d, i), TC_INTEGERS_64(d, i + 64)
#define TC_BIND_8(d, i) \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), \
    "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define TC_BIND_32(d, i) \
    TC_BIND_8(d, i), TC_BIND_8(d, i + 8), TC_BIND_8(d, i + 16), TC_BIND_8(d, i + 24)
#define TC_BIND_64(d, i) TC_BIND_32(d, i), TC_BIND_32(d, i + 32)
#define TC_BIND_96(d, i) TC_BIND_64(d, i), TC_BIND_32(d, i + 64)
#define TC_BIND_4(d, i)   "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define TC_BIND_116(d, i) \
    TC_BIND_96(d, i), TC_BIND_8(d, i + 96), TC_BIND_8(d, i + 104), TC_BIND_4(d, i + 112)
#define TC_BIND_128(d, i) TC_BIND_64(d, i), TC_BIND_64(d, i + 64)

/* The forms have these arguments: N columns, their half, and the numbers of the operands after
 * the accumulators. These are the descriptors of A and B, and the flag that adds to the
 * accumulators. 16-bit forms also have flags for MN-major A and B. */
#define TC_WGMMA_FORM(N, half, a_at, b_at, adds_at, a_lines_at, b_lines_at, type)                    \
    asm volatile("{ .reg .pred adds; setp.ne.b32 adds, %" #adds_at ", 0; "                          \
                 "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." type "." type " {" TC_OPERANDS_##half \
                 "}, %" #a_at ", %" #b_at ", adds, 1, 1, %" #a_lines_at ", %" #b_lines_at "; }"     \
                 : TC_BIND_##half(d, 0)                                                             \
                 : "l"(a), "l"(b), "r"(adds), "n"(A_MN_MAJOR), "n"(B_MN_MAJOR))
#define TC_WGMMA_FORMS(type)                                                                        \
    if constexpr (N == 64)                                                                          \
        TC_WGMMA_FORM(64, 32, 32, 33, 34, 35, 36, type);                                            \
    else if constexpr (N == 128)                                                                    \
        TC_WGMMA_FORM(128, 64, 64, 65, 66, 67, 68, type);                                           \
    else if constexpr (N == 192)                                                                    \
        TC_WGMMA_FORM(192, 96, 96, 97, 98, 99, 100, type);                                          \
    else if constexpr (N == 232)                                                                    \
        TC_WGMMA_FORM(232, 116, 116, 117, 118, 119, 120, type);                                     \
    else                                                                                            \
        TC_WGMMA_FORM(256, 128, 128, 129, 130, 131, 132, type)
#define TC_WGMMA_TF32(N, half, a_at, b_at, adds_at)                                                 \
    asm volatile("{ .reg .pred adds; setp.ne.b32 adds, %" #adds_at ", 0; "                          \
                 "wgmma.mma_async.sync.aligned.m64n" #N "k8.f32.tf32.tf32 {" TC_OPERANDS_##half        \
                 "}, %" #a_at ", %" #b_at ", adds, 1, 1; }"                                         \
                 : TC_BIND_##half(d, 0)                                                             \
                 : "l"(a), "l"(b), "r"(adds))
#define TC_WGMMA_TF32_RS(N, half, a0, a1, a2, a3, b_at, adds_at)                                    \
    asm volatile("{ .reg .pred adds; setp.ne.b32 adds, %" #adds_at ", 0; "                          \
                 "wgmma.mma_async.sync.aligned.m64n" #N "k8.f32.tf32.tf32 {" TC_OPERANDS_##half     \
                 "}, {%" #a0 ", %" #a1 ", %" #a2 ", %" #a3 "}, %" #b_at ", adds, 1, 1; }"           \
                 : TC_BIND_##half(d, 0)                                                             \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(adds))
#define TC_WGMMA_INTEGERS(N, half, a_at, b_at, adds_at, types)                                      \
    asm volatile("{ .reg .pred adds; setp.ne.b32 adds, %" #adds_at ", 0; "                          \
                 "wgmma.mma_async.sync.aligned.m64n" #N "k32.s32." types " {" TC_OPERANDS_##half      \
                 "}, %" #a_at ", %" #b_at ", adds; }"                                               \
                 : TC_INTEGERS_##half(d, 0)                                                         \
                 : "l"(a), "l"(b), "r"(adds))
/* clang-format on */

template <int N, int A_MN_MAJOR, int B_MN_MAJOR>
__device__ static inline void tc_wgmma_issue(tc_half, float (&d)[N / 2], uint64_t a, uint64_t b,
                                             int32_t adds)
{
    TC_WGMMA_FORMS("f16");
}

template <int N, int A_MN_MAJOR, int B_MN_MAJOR>
__device__ static inline void tc_wgmma_issue(tc_bfloat16, float (&d)[N / 2], uint64_t a, uint64_t b,
                                             int32_t adds)
{
    TC_WGMMA_FORMS("bf16");
}

/* Issues a product of floats, of which the unit reads only the bits of TF32. */
template <int N, int A_MN_MAJOR, int B_MN_MAJOR>
__device__ static inline void tc_wgmma_issue(tc_tf32, float (&d)[N / 2], uint64_t a, uint64_t b,
                                             int32_t adds)
{
    static_assert(!A_MN_MAJOR && !B_MN_MAJOR, "only operands of 16 bits are MN-major");
    if constexpr (N == 64)
        TC_WGMMA_TF32(64, 32, 32, 33, 34);
    else if constexpr (N == 128)
        TC_WGMMA_TF32(128, 64, 64, 65, 66);
    else
        TC_WGMMA_TF32(256, 128, 128, 129, 130);
}

/* Issues the same product with A in registers: a fragment of each warp's 16 rows. */
template <int N>
__device__ static inline void tc_wgmma_issue_rs(float (&d)[N / 2], const uint32_t (&a)[4],
                                                uint64_t b, int32_t adds)
{
    static_assert(N == 64 || N == 128, "the forms that are used");
    if constexpr (N == 64)
        TC_WGMMA_TF32_RS(64, 32, 32, 33, 34, 35, 36, 37);
    else
        TC_WGMMA_TF32_RS(128, 64, 64, 65, 66, 67, 68, 69);
}

template <int N, int A_MN_MAJOR, int B_MN_MAJOR, int X, int OTHER>
__device__ static inline void tc_wgmma_issue(tc_integers<X, OTHER>, int32_t (&d)[N / 2], uint64_t a,
                                             uint64_t b, int32_t adds)
{
    static_assert(!A_MN_MAJOR && !B_MN_MAJOR && OTHER && N >= 128, "the forms that are used");
    if constexpr (X && N == 128)
        TC_WGMMA_INTEGERS(128, 64, 64, 65, 66, "s8.s8");
    else if constexpr (X)
        TC_WGMMA_INTEGERS(256, 128, 128, 129, 130, "s8.s8");
    else if constexpr (N == 128)
        TC_WGMMA_INTEGERS(128, 64, 64, 65, 66, "u8.s8");
    else
        TC_WGMMA_INTEGERS(256, 128, 128, 129, 130, "u8.s8");
}

#endif
