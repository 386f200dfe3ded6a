/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolutions as tiled products of matrices in float (implicit GEMM): C[m][n] is the sum over k of
 * A[m][k] * B[k][n]. A is made of x while it is read (of dy in dgrad), B is w, or dy in wgrad. M
 * counts positions and K channels and places of the filter, in wgrad the reverse; N counts
 * channels. A block works on a tile of M x N of one group, class and split, in tiles of K that go
 * through shared memory in two stages: while one is multiplied, the next is on its way, A first.
 *
 * Offsets are a part of m plus a part of k, each worked out once and kept in shared memory: those
 * of m at the beginning, those of a tile of K by one warp while the others multiply.
 */
#ifndef CUDA_NAIVE_CONV_IMPLICIT_GEMM_H
#define CUDA_NAIVE_CONV_IMPLICIT_GEMM_H

#include "../../cuda_common/conv_place.h"
#include "../../cuda_common/index.h"
#include "kernels.h"

/* ------------------------------------------------------------------ coordinates of a block */

struct conv_tile_block {
    int32_t m_tile, n_tile, unit, group, split;
    int32_t m, n;       /* of its class; from its first one on */
    int32_t k;          /* length of a sum */
    int32_t begin, end; /* chunks */
    int64_t x, other;   /* where group and first column begin in the operands */
    conv_view view;
};

CUDA_BOTH void conv_tile_at(conv_tile_block *block, const conv_job &job, int32_t id,
                            int32_t tile_columns)
{
    const conv &conv = job.conv;
    int32_t classes = (int32_t)conv.classes, groups = (int32_t)conv.groups;
    bool rows_are_taps = conv_rows_are_taps(job);

    block->n_tile = id % job.column_tiles;
    id /= job.column_tiles;
    block->m_tile = id % job.row_tiles;
    id /= job.row_tiles;
    block->unit = id % (classes * groups);
    block->split = id / (classes * groups);
    block->group = block->unit / classes;
    conv_view_make(&block->view, conv, block->unit % classes);
    block->m = rows_are_taps ? block->view.taps : block->view.positions;
    block->k = rows_are_taps ? block->view.positions : block->view.taps;
    block->n = (int32_t)conv.columns - block->n_tile * tile_columns;
    block->begin = block->split * job.each;
    block->end = conv_least((block->k + CONV_TILE_K - 1) / CONV_TILE_K, block->begin + job.each);
    block->x = block->group * conv.depth * conv.x.step;
    block->other = rows_are_taps ? (block->group * conv.columns + block->n_tile * tile_columns) *
                                       conv.position.step
                                 : block->group * conv.tap_group +
                                       (int64_t)block->n_tile * tile_columns * conv.tap_column;
}

/* ------------------------------------------------------------------ the kernel */

template <int TM, int TN> struct conv_tile_shared {
    enum {
        M = 16 * TM,
        N = 16 * TN,
        PAD = 4,   /* lets threads that go along k store to different banks */
        PIECE = 64 /* rows that go out at a time */
    };
    union {
        struct {
            float a[2][CONV_TILE_K][M + PAD];
            float b[2][CONV_TILE_K][N + PAD];
        };
        float out[PIECE][N + 1];
    };
    conv_place row[M];
    conv_place chunk[2][CONV_TILE_K];
    conv_tile_block block;
};

/* Elements of a tile on their way from memory through registers to shared memory. Thread i begins
 * at i % EXTENT along the side that neighbours follow and at i / EXTENT along the other one, where
 * it goes on. */
template <class T, int TM, int TN> struct conv_tile_a {
    typedef conv_tile_shared<TM, TN> shared_t;
    enum { M = shared_t::M, COUNT = M * CONV_TILE_K / CUDA_THREADS, LINE = M + shared_t::PAD };
    float element[COUNT];

    __device__ void fetch(const conv_job &job, const shared_t &shared, int32_t k)
    {
        const conv_place *row = shared.row, *chunk = shared.chunk[k & 1];
        bool by_row = job.gathers_by_row;
        bool check = !job.conv.inside || (k + 1) * CONV_TILE_K > shared.block.k;
        int thread = (int)threadIdx.x;
        conv_place fixed = by_row ? row[thread % M] : chunk[thread % CONV_TILE_K];
        const conv_place *walk = by_row ? chunk + thread / M : row + thread / CONV_TILE_K;
        int step = CUDA_THREADS / (by_row ? M : CONV_TILE_K);
        const T *x = (const T *)job.x + shared.block.x + fixed.x;

#pragma unroll
        for (int e = 0; e < COUNT; e++, walk += step)
            element[e] =
                !check || conv_is_inside(job.conv, fixed, *walk) ? (float)cuda_load(x[walk->x]) : 0;
    }

    __device__ void put(const conv_job &job, shared_t &shared, int buffer) const
    {
        bool by_row = job.gathers_by_row;
        int thread = (int)threadIdx.x;
        float *to = &shared.a[buffer][by_row ? thread / M : thread % CONV_TILE_K]
                             [by_row ? thread % M : thread / CONV_TILE_K];
        int step = by_row ? CUDA_THREADS / M * LINE : CUDA_THREADS / CONV_TILE_K;

#pragma unroll
        for (int e = 0; e < COUNT; e++)
            to[e * step] = element[e];
    }
};

template <class T, int TM, int TN> struct conv_tile_b {
    typedef conv_tile_shared<TM, TN> shared_t;
    enum {
        N = shared_t::N,
        COUNT = N * CONV_TILE_K / CUDA_THREADS,
        LINE = N + shared_t::PAD,
        ALONG_K = CUDA_THREADS / N, /* steps of threads that go by column, and by k */
        ALONG_COLUMNS = CUDA_THREADS / CONV_TILE_K
    };
    float element[COUNT];

    __device__ void fetch(const conv_job &job, const shared_t &shared, int32_t k)
    {
        const conv_place *chunk = shared.chunk[k & 1];
        int64_t step = conv_rows_are_taps(job) ? job.conv.position.step : job.conv.tap_column;
        int32_t left = shared.block.k - k * CONV_TILE_K, columns = shared.block.n;
        const T *others = (const T *)job.other + shared.block.other;
        int thread = (int)threadIdx.x;

        if (job.other_by_column) {
            int column = thread % N, at = thread / N;

            others += column * step;
#pragma unroll
            for (int e = 0; e < COUNT; e++, at += ALONG_K)
                element[e] =
                    column < columns && at < left ? (float)cuda_load(others[chunk[at].other]) : 0;
        } else {
            int column = thread / CONV_TILE_K, at = thread % CONV_TILE_K;

            others += chunk[at].other + column * step;
#pragma unroll
            for (int e = 0; e < COUNT; e++, column += ALONG_COLUMNS, others += ALONG_COLUMNS * step)
                element[e] = column < columns && at < left ? (float)cuda_load(*others) : 0;
        }
    }

    __device__ void put(const conv_job &job, shared_t &shared, int buffer) const
    {
        bool by_column = job.other_by_column;
        int thread = (int)threadIdx.x;
        float *to = &shared.b[buffer][by_column ? thread / N : thread % CONV_TILE_K]
                             [by_column ? thread % N : thread / CONV_TILE_K];
        int step = by_column ? ALONG_K * LINE : ALONG_COLUMNS;

#pragma unroll
        for (int e = 0; e < COUNT; e++)
            to[e * step] = element[e];
    }
};

/* The results of a thread lie in blocks of 4 x 4 (or 4 x 2), so that it reads its operands in
 * vectors and the threads of a warp, 4 x 8 of them, read neighbouring ones. */
template <int TM, int TN> struct conv_tile_sums {
    typedef conv_tile_shared<TM, TN> shared_t;
    enum { WIDTH = TN < 4 ? TN : 4 };
    float sum[TM][TN];
    int row, column; /* of the first */

    __device__ conv_tile_sums()
    {
        int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;

        row = warp / 2 * 16 + lane / 8 * 4;
        column = warp % 2 * 8 * WIDTH + lane % 8 * WIDTH;
#pragma unroll
        for (int i = 0; i < TM; i++) {
#pragma unroll
            for (int j = 0; j < TN; j++)
                sum[i][j] = 0;
        }
    }

    /* Half a chunk, from `first` on. */
    __device__ void multiply(const shared_t &shared, int buffer, int first)
    {
#pragma unroll
        for (int k = first; k < first + CONV_TILE_K / 2; k++) {
            float a[TM], b[TN];

#pragma unroll
            for (int i = 0; i < TM; i += 4)
                *(float4 *)&a[i] = *(const float4 *)&shared.a[buffer][k][row + i * 16];
#pragma unroll
            for (int j = 0; j < TN; j += WIDTH) {
                const float *from = &shared.b[buffer][k][column + j * 16];

                if (WIDTH == 4)
                    *(float4 *)&b[j] = *(const float4 *)from;
                else
                    *(float2 *)&b[j] = *(const float2 *)from;
            }
#pragma unroll
            for (int i = 0; i < TM; i++) {
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
            }
        }
    }

    /* Rows 64 * piece to 64 * piece + 63 of the tile. */
    __device__ void put(shared_t &shared, int piece) const
    {
#pragma unroll
        for (int i = 0; i < TM; i++) {
            if (i / 4 != piece)
                continue;
#pragma unroll
            for (int j = 0; j < TN; j++)
                shared.out[row + i % 4][column + j / WIDTH * 16 * WIDTH + j % WIDTH] = sum[i][j];
        }
    }
};

/* One piece of a tile from shared memory to where it belongs. */
template <class T, int TM, int TN>
__device__ static inline void conv_tile_store(const conv_job &job,
                                              const conv_tile_shared<TM, TN> &shared, int piece)
{
    enum { PIECE = conv_tile_shared<TM, TN>::PIECE, N = conv_tile_shared<TM, TN>::N };
    const conv_tile_block &block = shared.block;
    int32_t first_row = block.m_tile * conv_tile_shared<TM, TN>::M;
    int32_t all_columns = (int32_t)job.conv.columns;

    for (int e = (int)threadIdx.x; e < PIECE * N; e += CUDA_THREADS) {
        int r = job.stores_by_row ? e % PIECE : e / N;
        int c = job.stores_by_row ? e / PIECE : e % N;
        int32_t row = piece * PIECE + r, column = block.n_tile * N + c;
        int64_t number = block.group * (int64_t)all_columns + column;

        if (first_row + row >= block.m || column >= all_columns)
            continue;
        if (job.partial)
            ((float *)job
                 .partial)[conv_partial_at(job, block.split, block.unit, first_row + row, column)] =
                shared.out[r][c];
        else
            conv_store<T>(job.output,
                          shared.row[row].other + block.group * conv_column_group(job) +
                              column * conv_column_step(job),
                          shared.row[row].x + number * job.conv.z.step, number, shared.out[r][c]);
    }
}

template <class T, int TM, int TN>
__global__ void __launch_bounds__(CUDA_THREADS, 2) conv_tile_kernel(const conv_job job)
{
    typedef conv_tile_shared<TM, TN> shared_t;
    enum { M = shared_t::M, N = shared_t::N };
    __shared__ shared_t shared;
    const conv_tile_block &block = shared.block;
    bool rows_are_taps = conv_rows_are_taps(job);
    int thread = (int)threadIdx.x, warp = thread / 32, lane = thread % 32;
    int32_t begin, end;

    if (thread == 0)
        conv_tile_at(&shared.block, job, (int32_t)blockIdx.x, N);
    __syncthreads();
    if (block.m_tile * M >= block.m)
        return;
    begin = block.begin;
    end = block.end;

    /* Rows behind the last one gather what that does, or nothing; they are not stored. */
    if (thread < M) {
        int32_t row = block.m_tile * M + thread;

        conv_place_any(&shared.row[thread], job, block.view, conv_least(row, block.m - 1),
                       rows_are_taps);
        if (row >= block.m)
            shared.row[thread].at[0] = CONV_NOWHERE;
    }
    auto place = [&](int32_t k) {
        int32_t index = k * CONV_TILE_K + lane;

        if (k >= end || warp != k % (CUDA_THREADS / 32) || lane >= CONV_TILE_K)
            return;
        if (index < block.k)
            conv_place_any(&shared.chunk[k & 1][lane], job, block.view, index, !rows_are_taps);
        else
            shared.chunk[k & 1][lane] = {{CONV_NOWHERE, 0, 0}, 0, 0, 0};
    };
    conv_tile_a<T, TM, TN> a;
    conv_tile_b<T, TM, TN> b;
    conv_tile_sums<TM, TN> sums;

    place(begin);
    __syncthreads();
    if (begin < end) {
        a.fetch(job, shared, begin);
        a.put(job, shared, begin & 1);
        b.fetch(job, shared, begin);
        b.put(job, shared, begin & 1);
    }
    place(begin + 1);
    __syncthreads();
    for (int32_t k = begin; k < end; k++) {
        bool more = k + 1 < end;

        place(k + 2);
        if (more)
            a.fetch(job, shared, k + 1);
        sums.multiply(shared, k & 1, 0);
        if (more) {
            a.put(job, shared, (k + 1) & 1);
            b.fetch(job, shared, k + 1);
        }
        sums.multiply(shared, k & 1, CONV_TILE_K / 2);
        if (more)
            b.put(job, shared, (k + 1) & 1);
        __syncthreads();
    }

    if (job.output.z && thread < M)
        shared.row[thread].x = conv_view_position(
            job.conv, block.view, conv_least(block.m_tile * M + thread, block.m - 1), true);
#pragma unroll
    for (int piece = 0; piece < M / shared_t::PIECE; piece++) {
        sums.put(shared, piece);
        __syncthreads();
        conv_tile_store<T, TM, TN>(job, shared, piece);
        __syncthreads();
    }
}

/* ------------------------------------------------------------------ on the host */

template <class T>
static int32_t conv_tile_launch(const cuda_call *call, int32_t tile, const conv_job &job)
{
    static void (*const kernels[CONV_TILES])(conv_job) = {
        conv_tile_kernel<T, 8, 8>, conv_tile_kernel<T, 8, 4>, conv_tile_kernel<T, 8, 2>,
        conv_tile_kernel<T, 4, 4>};

    return cuda_launch(call, kernels[tile],
                       (int64_t)job.row_tiles * job.column_tiles * job.splits * job.conv.groups *
                           job.conv.classes,
                       1, job);
}

#endif
