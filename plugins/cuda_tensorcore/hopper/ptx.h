/* SPDX-License-Identifier: Apache-2.0 */
/* Wraps the instructions of Hopper that the family hopper uses, one function each: barriers in
 * shared memory that count bytes, copies by tensor maps (TMA), and matrix products of a
 * warpgroup (wgmma). A GPU of compute capability 9.0 runs PTX (code sm_90a); on the host,
 * tests/cuda/emulator emulates the instructions. The source is PTX ISA 8.x. Behavior that it
 * does not specify was determined on an H200 (docs/kernels.md, "hopper"). */
#ifndef CUDA_TENSORCORE_HOPPER_PTX_H
#define CUDA_TENSORCORE_HOPPER_PTX_H

#include "../common/mma.h"
#include "tensor_map.h"

/* The threads of a warpgroup, and the rows that it multiplies at once. */
#define TC_WARPGROUP      128
#define TC_WARPGROUP_ROWS 64

/* The alignment in bytes of tiles of lines, because the 128-byte swizzle repeats after this many
 * bytes. */
#define TC_SWIZZLE_BYTES 1024

/* Contains code only in compiler passes that have the instructions. Host passes count as such,
 * because nvcc must instantiate the same kernels for host and device. */
#if defined __CUDA_ARCH__ && !defined __CUDA_ARCH_FEAT_SM90_ALL
#define TC_HOPPER_CODE(...)
#else
#define TC_HOPPER_CODE(...) __VA_ARGS__
#endif

#ifdef __CUDACC__

#include "wgmma.h"

/* ------------------------------------------------------------------ barriers */

/* Initializes an mbarrier. A phase ends after `count` arrivals and all expected bytes. */
__device__ static inline void tc_barrier_init(uint32_t barrier, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

/* Publishes initialized barriers. A block calls it after its last init, before __syncthreads. */
__device__ static inline void tc_barrier_init_done()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ static inline void tc_barrier_arrive(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Arrives, and makes the phase wait for `bytes` bytes of copies. */
__device__ static inline void tc_barrier_expect(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

/* Waits until the phase of this parity has ended. The phase before the first one has parity 1
 * and counts as ended. */
__device__ static inline void tc_barrier_wait(uint32_t barrier, uint32_t phase)
{
    asm volatile("{ .reg .pred ended; again: "
                 "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1; "
                 "@ended bra done; bra again; done: }" ::"r"(barrier),
                 "r"(phase)
                 : "memory");
}

/* Synchronizes the threads of a warpgroup. Barrier 0 belongs to __syncthreads. */
__device__ static inline void tc_warpgroup_sync(int32_t number)
{
    asm volatile("bar.sync %0, 128;" ::"r"(number) : "memory");
}

/* ------------------------------------------------------------------ registers */

/* These functions decrease and increase the registers of this thread's warpgroup. */
template <int COUNT> __device__ static inline void tc_setmaxnreg_dec()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}

template <int COUNT> __device__ static inline void tc_setmaxnreg_inc()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

/* ------------------------------------------------------------------ copies by tensor maps */

__device__ static inline void tc_tma_prefetch(const tc_tensor_map *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* Copies a box of a tiled map to shared memory. Coordinates begin with the fastest dim. */
__device__ static inline void tc_tma_load(uint32_t to, const tc_tensor_map *map, uint32_t barrier,
                                          int32_t x, int32_t y, int32_t z, int32_t u)
{
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z), "r"(u)
                 : "memory");
}

/* Copies pixels of an im2col map to shared memory, from (w, h, n) on, shifted by the tap's
 * offsets. */
__device__ static inline void tc_tma_load_im2col(uint32_t to, const tc_tensor_map *map,
                                                 uint32_t barrier, int32_t c, int32_t w, int32_t h,
                                                 int32_t n, uint32_t w_offset, uint32_t h_offset)
{
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(to),
        "l"(map), "r"(barrier), "r"(c), "r"(w), "r"(h), "r"(n), "h"((uint16_t)w_offset),
        "h"((uint16_t)h_offset)
        : "memory");
}

/* Stores a box from shared memory, as one group of copies. Elements outside the tensor are not
 * stored. */
__device__ static inline void tc_tma_store(const tc_tensor_map *map, uint32_t from, int32_t x,
                                           int32_t y)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
        "r"(from), "r"(x), "r"(y)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Stores a box of four dims. Coordinates begin with the fastest dim. */
__device__ static inline void tc_tma_store(const tc_tensor_map *map, uint32_t from, int32_t x,
                                           int32_t y, int32_t z, int32_t u)
{
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%2, %3, %4, %5}], "
                 "[%1];" ::"l"(map),
                 "r"(from), "r"(x), "r"(y), "r"(z), "r"(u)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Stores pixels from (w, h, n) on, by an im2col map with corners of 0. */
__device__ static inline void tc_tma_store_im2col(const tc_tensor_map *map, uint32_t from,
                                                  int32_t c, int32_t w, int32_t h, int32_t n)
{
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group "
                 "[%0, {%2, %3, %4, %5}], [%1];" ::"l"(map),
                 "r"(from), "r"(c), "r"(w), "r"(h), "r"(n)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Waits until all stores of this thread except the last LEFT have read shared memory. */
template <int LEFT> __device__ static inline void tc_tma_store_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
}

/* Waits until all stores of this thread are complete. */
__device__ static inline void tc_tma_store_wait()
{
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* Makes this thread's writes to shared memory visible to later copies. */
__device__ static inline void tc_fence_proxy_async()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* ------------------------------------------------------------------ products */

/* Returns the descriptor of a K-major tile: lines are rows of A, or columns of B. */
__device__ static inline uint64_t tc_descriptor_k_major(uint32_t address)
{
    return (uint64_t)(address >> 4) | (uint64_t)(TC_SWIZZLE_BYTES >> 4) << 32 | UINT64_C(1) << 62;
}

/* Returns the descriptor of an MN-major tile of 16-bit numbers: a line is one k of 64 rows or
 * columns. The next 64 begin `apart` bytes later. */
__device__ static inline uint64_t tc_descriptor_mn_major(uint32_t address, uint32_t apart)
{
    return tc_descriptor_k_major(address) | (uint64_t)(apart >> 4) << 16;
}

/* Returns the descriptor of the same tile, `bytes` bytes further. */
__device__ static inline uint64_t tc_descriptor_at(uint64_t tile, uint32_t bytes)
{
    return tile + (bytes >> 4);
}

/* Orders accesses to accumulators. It is needed before the first product of a group, and after
 * other accesses to accumulators. */
__device__ static inline void tc_wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ static inline void tc_wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Waits until all groups of products except the last LEFT are complete. */
template <int LEFT> __device__ static inline void tc_wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

/* Issues d = A B, or d + A B if `adds` is 1. A_MN_MAJOR and B_MN_MAJOR are 1 if A and B are
 * MN-major. */
template <class M, int N, int A_MN_MAJOR, int B_MN_MAJOR>
__device__ static inline void tc_wgmma(typename M::sum (&d)[N / 2], uint64_t a, uint64_t b,
                                       int32_t adds)
{
    tc_wgmma_issue<N, A_MN_MAJOR, B_MN_MAJOR>(M(), d, a, b, adds);
}

/* Issues the same product for floats truncated to TF32, with A in registers: a fragment of mma.h
 * for each warp. */
template <int N>
__device__ static inline void tc_wgmma_rs(float (&d)[N / 2], const uint32_t (&a)[4], uint64_t b,
                                          int32_t adds)
{
    tc_wgmma_issue_rs<N>(d, a, b, adds);
}

/* Keeps the compiler from moving accumulators while products are in progress. */
template <int COUNT> __device__ static inline void tc_wgmma_hold(int32_t (&d)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("" : "+r"(d[i])::"memory");
}

template <int COUNT> __device__ static inline void tc_wgmma_hold(float (&d)[COUNT])
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("" : "+f"(d[i])::"memory");
}

/* Stores four matrices of 8 rows of 16 bytes. Lane 8 i + j passes the address of row j of matrix
 * i. Lane 4 g + t holds word t of row g of each matrix. */
__device__ static inline void tc_stmatrix(uint32_t row, const uint32_t from[4])
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
                 "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
                 : "memory");
}

/* Stores the same matrices transposed. Lane 8 i + j passes the address of column j of matrix i,
 * which becomes a row of 16 bytes. */
__device__ static inline void tc_stmatrix_trans(uint32_t column, const uint32_t from[4])
{
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(column),
        "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3])
        : "memory");
}

/* Stores two adjacent 8-bit integers, the first one in the low bits. */
__device__ static inline void tc_store_bytes(uint32_t to, uint32_t pair)
{
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "h"((uint16_t)pair) : "memory");
}

/* Stores two adjacent results. */
__device__ static inline void tc_store_pair(uint32_t to, float first, float second)
{
    asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to), "f"(first), "f"(second) : "memory");
}

#else
#include <emulated_hopper.h>
#endif

#endif
