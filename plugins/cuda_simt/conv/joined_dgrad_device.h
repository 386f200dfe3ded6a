/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements dgrad of float to few channels, see joined_dgrad.h. A thread has 4 m and every n, so
 * that an element of dy in a register serves all its products. All threads of a block read the same
 * elements of w. A step of K covers 8 filters of one tap. Taps advance before filters, so that the
 * first-level cache still holds what adjacent taps share.
 */
#ifndef CUDA_SIMT_CONV_JOINED_DGRAD_DEVICE_H
#define CUDA_SIMT_CONV_JOINED_DGRAD_DEVICE_H

#include "joined_dgrad.h"
#include "pipelined_load.h"

enum {
    THREADS = 128,
    THREAD_M = 4,
    WARP_M = 32 * THREAD_M,
    TILE_M = THREADS * THREAD_M,
    K_STEP = 8,
    TAPS_MAX = 64
};

/* The offset and the mask of an m, n or tap. An m or n has the bits of the taps that lie outside,
 * MASK_BITS for each dim. A tap has its own bit in each dim. */
struct joined_at {
    int32_t at;
    uint32_t mask;
};

/* The shared memory of a block. If WIDE is true, A is K-major, because 16 bytes of dy hold adjacent
 * k. Otherwise A is M-major. */
template <int TN, bool WIDE> struct joined_shared {
    alignas(16) float a[2][K_STEP * TILE_M];
    alignas(16) float b[2][K_STEP][TN];
    joined_at m[TILE_M], n[TN], tap_a[TAPS_MAX];
    int32_t tap_b[TAPS_MAX];
};

/* Returns the index of 4 adjacent k in K-major order. The XOR puts 8 adjacent m of the same k into
 * different banks. */
__device__ static inline int wide_at(int m, int k)
{
    return m * K_STEP + (k ^ (m & 4));
}

/* ------------------------------------------------------------------ offsets and masks */

/* Splits an m into its positions in the dims. Returns its image. */
__device__ static inline int32_t split_m(const joined_job &job, int32_t m, int32_t at[JOINED_DIMS])
{
#pragma unroll
    for (int d = JOINED_DIMS - 1; d >= 0; d--) {
        int32_t next = (int32_t)cuda_divide((uint32_t)m, job.dim[d].by_positions);

        at[d] = m - next * job.dim[d].positions;
        m = next;
    }
    return m;
}

__device__ static inline joined_at m_at(const joined_job &job, int32_t m)
{
    joined_at to = {0, ~UINT32_C(0)};
    int32_t at[JOINED_DIMS];

    if (m >= job.m)
        return to;
    to = {split_m(job, m, at) * job.a_image, 0};
#pragma unroll
    for (int d = 0; d < JOINED_DIMS; d++) {
        const joined_dim &dim = job.dim[d];
        int32_t from = at[d] + dim.first;

        to.at += from * dim.a;
        for (int32_t u = 0; u < dim.taps; u++)
            to.mask |= (uint32_t)((uint32_t)(from + u) >= (uint32_t)dim.a_extent)
                       << (MASK_BITS * d + u);
    }
    return to;
}

/* Splits an n into its classes in the dims. Returns its channel. */
__device__ static inline int32_t split_n(const joined_job &job, int32_t n, int32_t e[JOINED_DIMS])
{
    int32_t number = n / job.channels;

    e[1] = number % job.dim[1].stride;
    e[0] = number / job.dim[1].stride;
    return n - number * job.channels;
}

__device__ static inline joined_at n_at(const joined_job &job, int32_t n)
{
    joined_at to = {0, ~UINT32_C(0)};
    int32_t e[JOINED_DIMS];

    if (n >= job.n)
        return to;
    to = {job.tap_first + split_n(job, n, e) * job.tap_n, 0};
#pragma unroll
    for (int d = 0; d < JOINED_DIMS; d++) {
        const joined_dim &dim = job.dim[d];
        int32_t tap = e[d] + dim.pad - dim.stride * dim.first;

        to.at += tap * dim.tap;
        for (int32_t u = 0; u < dim.taps; u++, tap -= dim.stride)
            to.mask |= (uint32_t)((uint32_t)tap >= (uint32_t)dim.filter) << (MASK_BITS * d + u);
    }
    return to;
}

template <int TN, bool WIDE>
__device__ static inline void fill_tables(const joined_job &job, joined_shared<TN, WIDE> &shared)
{
    int thread = (int)threadIdx.x;

    for (int i = thread; i < TILE_M; i += THREADS)
        shared.m[i] = m_at(job, (int32_t)blockIdx.x * TILE_M + i);
    if (thread < TN)
        shared.n[thread] = n_at(job, thread);
    if (thread < job.taps) {
        const joined_dim &h = job.dim[0], &w = job.dim[1];
        int32_t y = (int32_t)cuda_divide((uint32_t)thread, w.by_taps);
        int32_t x = thread - y * w.taps;

        shared.tap_a[thread].at = y * h.a + x * w.a;
        shared.tap_a[thread].mask = UINT32_C(1) << y | UINT32_C(1) << (MASK_BITS + x);
        shared.tap_b[thread] = -y * h.stride * h.tap - x * w.stride * w.tap;
    }
}

/* ------------------------------------------------------------------ copies */

template <int TN>
__device__ static inline void copy_a(const joined_job &job, joined_shared<TN, true> &shared,
                                     int stage, int32_t depth, const joined_at &tap)
{
    enum { QUADS = K_STEP / 4, APART = THREADS / QUADS, COUNT = TILE_M / APART };
    int m = (int)threadIdx.x / QUADS, k = (int)threadIdx.x % QUADS * 4;
    int32_t at[COUNT];
    bool inside[COUNT];

#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const joined_at of = shared.m[m + i * APART];

        at[i] = of.at + tap.at + depth + k;
        inside[i] = !(of.mask & tap.mask) & (depth + k < job.depth);
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        copy_async<16, true>(&shared.a[stage][wide_at(m + i * APART, k)], address(job.a, at[i]),
                             inside[i]);
}

template <int TN>
__device__ static inline void copy_a(const joined_job &job, joined_shared<TN, false> &shared,
                                     int stage, int32_t depth, const joined_at &tap)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
        int m = (int)threadIdx.x + i * THREADS;
        const joined_at of = shared.m[m];
        const float *from = address(job.a, of.at + tap.at + depth * job.a_step);
        bool inside = !(of.mask & tap.mask);

#pragma unroll
        for (int k = 0; k < K_STEP; k++)
            copy_async<4>(&shared.a[stage][k * TILE_M + m], address(from, k * job.a_step),
                          inside & (depth + k < job.depth));
    }
}

template <int TN, bool WIDE>
__device__ static inline void copy_b(const joined_job &job, joined_shared<TN, WIDE> &shared,
                                     int stage, int32_t depth, const joined_at &tap, int32_t tap_b)
{
    int thread = (int)threadIdx.x, n = thread % TN, k = thread / TN;

    if (k < K_STEP) {
        const joined_at of = shared.n[n];

        copy_async<4>(&shared.b[stage][k][n],
                      address(job.b, of.at + tap_b + (depth + k) * job.tap_depth),
                      !(of.mask & tap.mask) & (depth + k < job.depth));
    }
}

/* ------------------------------------------------------------------ the kernel */

template <int TN, bool WIDE> struct joined_sums {
    float sum[THREAD_M][TN];
    int m; /* of the first sum */

    __device__ joined_sums()
    {
        int lane = (int)threadIdx.x % 32;

        m = (int)threadIdx.x / 32 * WARP_M + (WIDE ? lane : lane * THREAD_M);
#pragma unroll
        for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
            for (int j = 0; j < TN; j++)
                sum[i][j] = 0;
        }
    }

    /* Returns the m, within the tile, of row i of the sums. */
    __device__ int m_of(int i) const
    {
        return m + (WIDE ? i * 32 : i);
    }

    __device__ void multiply(const joined_shared<TN, WIDE> &shared, int stage)
    {
        alignas(16) float wide[THREAD_M][4], narrow[THREAD_M], b[TN];

#pragma unroll
        for (int k = 0; k < K_STEP; k++) {
            if (WIDE && k % 4 == 0) {
#pragma unroll
                for (int i = 0; i < THREAD_M; i++)
                    *(float4 *)wide[i] = *(const float4 *)&shared.a[stage][wide_at(m_of(i), k)];
            }
            if (!WIDE)
                *(float4 *)narrow = *(const float4 *)&shared.a[stage][k * TILE_M + m];
#pragma unroll
            for (int j = 0; j < TN; j += 4)
                *(float4 *)&b[j] = *(const float4 *)&shared.b[stage][k][j];
#pragma unroll
            for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] = fmaf(WIDE ? wide[i][k % 4] : narrow[i], b[j], sum[i][j]);
            }
        }
    }
};

/* Stores each sum at the position of its class, if dx has that position. */
template <int TN, bool WIDE>
__device__ static inline void store(const joined_job &job, const joined_sums<TN, WIDE> &sums)
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
        int32_t m = (int32_t)blockIdx.x * TILE_M + sums.m_of(i), at[JOINED_DIMS];
        int64_t image;

        if (m >= job.m)
            continue;
        image = split_m(job, m, at) * job.position_image;
#pragma unroll
        for (int j = 0; j < TN; j++) {
            int32_t e[JOINED_DIMS], channel = split_n(job, j, e);
            int32_t y = at[0] * job.dim[0].stride + e[0], x = at[1] * job.dim[1].stride + e[1];

            if (j < job.n && y < job.dim[0].extent && x < job.dim[1].extent)
                conv_store<float>(job.output,
                                  image + y * job.dim[0].position + x * job.dim[1].position +
                                      channel * job.position_step,
                                  0, channel, sums.sum[i][j]);
        }
    }
}

template <int TN, bool WIDE>
__global__ void __launch_bounds__(THREADS, 4) joined_kernel(const joined_job job)
{
    __shared__ joined_shared<TN, WIDE> shared;
    joined_sums<TN, WIDE> sums;
    int32_t tap = 0, depth = 0;

    fill_tables(job, shared);
    __syncthreads();
#pragma unroll 1
    for (int32_t step = -1; step < job.steps; step++) {
        wait<0>();
        __syncthreads();
        if (step + 1 < job.steps) {
            const joined_at tap_a = shared.tap_a[tap];
            int stage = (step + 1) & 1;

            copy_b(job, shared, stage, depth, tap_a, shared.tap_b[tap]);
            copy_a(job, shared, stage, depth, tap_a);
            if (++tap == job.taps) {
                tap = 0;
                depth += K_STEP;
            }
        }
        commit();
        if (step >= 0)
            sums.multiply(shared, step & 1);
    }
    store(job, sums);
}

#endif
