/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emulates the instructions of plugins/cuda_tensorcore/hopper/ptx.h on the host's processor.
 * Asynchronous operations happen as late as possible. Copies arrive when a thread waits for their
 * barrier. Products are computed, and stores read shared memory, when a thread waits for them. A
 * stage that is released too early, or a buffer that is overwritten too early, thus gives wrong
 * results.
 */
#ifndef EMULATOR_EMULATED_HOPPER_H
#define EMULATOR_EMULATED_HOPPER_H

#include <cuda_runtime.h>

void tc_barrier_init(uint32_t barrier, uint32_t count);
void tc_barrier_arrive(uint32_t barrier);
void tc_barrier_expect(uint32_t barrier, uint32_t bytes);
void tc_barrier_wait(uint32_t barrier, uint32_t parity);
void tc_warpgroup_sync(int32_t number);

static inline void tc_barrier_init_done()
{
}

template <int COUNT> void tc_setmaxnreg_dec()
{
}

template <int COUNT> void tc_setmaxnreg_inc()
{
}

static inline void tc_tma_prefetch(const tc_tensor_map *)
{
}

void tc_tma_load(uint32_t to, const tc_tensor_map *map, uint32_t barrier, int32_t x, int32_t y,
                 int32_t z, int32_t u);
void tc_tma_load_im2col(uint32_t to, const tc_tensor_map *map, uint32_t barrier, int32_t c,
                        int32_t w, int32_t h, int32_t n, uint32_t w_offset, uint32_t h_offset);
void tc_tma_store(const tc_tensor_map *map, uint32_t from, int32_t x, int32_t y);
void tc_tma_store(const tc_tensor_map *map, uint32_t from, int32_t x, int32_t y, int32_t z,
                  int32_t u);
void tc_tma_store_im2col(const tc_tensor_map *map, uint32_t from, int32_t c, int32_t w, int32_t h,
                         int32_t n);
void emulator_store_wait(int left);

template <int LEFT> void tc_tma_store_wait_read()
{
    emulator_store_wait(LEFT);
}

static inline void tc_tma_store_wait()
{
    emulator_store_wait(0);
}

static inline void tc_fence_proxy_async()
{
}

/* These functions make descriptors as the device reads them. */
static inline uint64_t tc_descriptor_k_major(uint32_t address)
{
    return (uint64_t)(address >> 4) | (uint64_t)(TC_SWIZZLE_BYTES >> 4) << 32 | UINT64_C(1) << 62;
}

static inline uint64_t tc_descriptor_mn_major(uint32_t address, uint32_t apart)
{
    return tc_descriptor_k_major(address) | (uint64_t)(apart >> 4) << 16;
}

static inline uint64_t tc_descriptor_at(uint64_t tile, uint32_t bytes)
{
    return tile + (bytes >> 4);
}

static inline void tc_wgmma_fence()
{
}

/* Enqueues a product. `load` reads an element of 16 bits; if it is NULL, the elements are
 * floats. */
void emulator_wgmma(float (*load)(uint16_t bits), float *d, int n, int a_lines, int b_lines,
                    uint64_t a, uint64_t b, int32_t adds);
void tc_wgmma_commit();
void emulator_wgmma_wait(int left);

template <int LEFT> void tc_wgmma_wait()
{
    emulator_wgmma_wait(LEFT);
}

template <class E> float emulator_load_bits(uint16_t bits)
{
    return cuda_load(E{bits});
}

/* Enqueues a product of floats. The fragments of A are in registers (mma.h), and the product uses
 * their values at the time of the call. */
void emulator_wgmma_rs(float *d, int n, const uint32_t a[4], uint64_t b, int32_t adds);

template <int N>
void tc_wgmma_rs(float (&d)[N / 2], const uint32_t (&a)[4], uint64_t b, int32_t adds)
{
    emulator_wgmma_rs(d, N, a, b, adds);
}

void emulator_wgmma(int x_is_signed, int32_t *d, int n, uint64_t a, uint64_t b, int32_t adds);

template <int X, int OTHER> int emulator_is_signed(tc_integers<X, OTHER>)
{
    return X;
}

template <class M, int N, int A_MN_MAJOR, int B_MN_MAJOR>
void tc_wgmma(typename M::sum (&d)[N / 2], uint64_t a, uint64_t b, int32_t adds)
{
    if constexpr (tc_is_integer<M>())
        emulator_wgmma(emulator_is_signed(M()), d, N, a, b, adds);
    else if constexpr (sizeof(typename M::element) == 2)
        emulator_wgmma(emulator_load_bits<typename M::element>, d, N, A_MN_MAJOR, B_MN_MAJOR, a, b,
                       adds);
    else
        emulator_wgmma(nullptr, d, N, A_MN_MAJOR, B_MN_MAJOR, a, b, adds);
}

template <class T, int COUNT> void tc_wgmma_hold(T (&)[COUNT])
{
}

void tc_stmatrix(uint32_t row, const uint32_t from[4]);
void tc_stmatrix_trans(uint32_t column, const uint32_t from[4]);
void tc_store_bytes(uint32_t to, uint32_t pair);
void tc_store_pair(uint32_t to, float first, float second);

#endif
