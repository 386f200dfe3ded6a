/* SPDX-License-Identifier: Apache-2.0 */
/* Loads tiles of A and B to shared memory, for implicit GEMM (conv/implicit_gemm.h). */
#ifndef CUDA_SIMT_CONV_IMPLICIT_GEMM_LOAD_H
#define CUDA_SIMT_CONV_IMPLICIT_GEMM_LOAD_H

#include "../../cuda_common/conv_coords.h"
#include "../../cuda_common/index.h"
#include "kernels.h"

/* ------------------------------------------------------------------ coordinates of a block */

struct conv_tile_block {
    int32_t m_tile, n_tile, unit, group, split;
    int32_t m, n;       /* m of the class; n from the tile's first one on */
    int32_t k;          /* length of a sum */
    int32_t begin, end; /* tiles along K */
    int64_t a, b;       /* offsets of the group and, in B, of the tile's first n */
    conv_view view;
};

CUDA_BOTH void conv_tile_at(conv_tile_block *block, const conv_job &job, int32_t id, int32_t tile_n)
{
    const conv &conv = job.conv;
    int32_t classes = (int32_t)conv.classes, groups = (int32_t)conv.groups;
    bool is_wgrad = conv_job_is_wgrad(job);

    block->n_tile = id % job.n_tiles;
    id /= job.n_tiles;
    block->m_tile = id % job.m_tiles;
    id /= job.m_tiles;
    block->unit = id % (classes * groups);
    block->split = id / (classes * groups);
    block->group = block->unit / classes;
    conv_view_make(&block->view, conv, block->unit % classes);
    block->m = is_wgrad ? block->view.taps : block->view.positions;
    block->k = is_wgrad ? block->view.positions : block->view.taps;
    block->n = (int32_t)conv.n - block->n_tile * tile_n;
    block->begin = block->split * job.k_per_split;
    block->end =
        conv_least((block->k + CONV_TILE_K - 1) / CONV_TILE_K, block->begin + job.k_per_split);
    block->a = block->group * conv.channels * conv.a.step;
    block->b = is_wgrad
                   ? (block->group * conv.n + block->n_tile * tile_n) * conv.position.step
                   : block->group * conv.tap_group + (int64_t)block->n_tile * tile_n * conv.tap_n;
}

/* ------------------------------------------------------------------ tiles */

template <int TM, int TN> struct conv_tile_shared {
    enum {
        M = 16 * TM,
        N = 16 * TN,
        PAD = 4,   /* makes threads along k store to different banks */
        PIECE = 64 /* rows of M that are stored at a time */
    };
    union {
        struct {
            float a[2][CONV_TILE_K][M + PAD];
            float b[2][CONV_TILE_K][N + PAD];
        };
        float out[PIECE][N + 1];
    };
    conv_coords m_coords[M];
    conv_coords k_coords[2][CONV_TILE_K];
    conv_tile_block block;
};

/* The elements of a tile that a thread moves through registers to shared memory. Thread i begins at
 * i % EXTENT in the dim that adjacent threads follow. In the other dim, it begins at i / EXTENT and
 * continues from there. */
template <class T, int TM, int TN> struct conv_tile_a {
    typedef conv_tile_shared<TM, TN> shared_t;
    enum { M = shared_t::M, COUNT = M * CONV_TILE_K / CUDA_THREADS, LINE = M + shared_t::PAD };
    float element[COUNT];

    __device__ void fetch(const conv_job &job, const shared_t &shared, int32_t k)
    {
        const conv_coords *m = shared.m_coords, *k_of = shared.k_coords[k & 1];
        bool by_m = job.a_is_m_major;
        bool check = !job.conv.inside || (k + 1) * CONV_TILE_K > shared.block.k;
        int thread = (int)threadIdx.x;
        conv_coords fixed = by_m ? m[thread % M] : k_of[thread % CONV_TILE_K];
        const conv_coords *walk = by_m ? k_of + thread / M : m + thread / CONV_TILE_K;
        int step = CUDA_THREADS / (by_m ? M : CONV_TILE_K);
        const T *x = (const T *)job.a + shared.block.a + fixed.a;

#pragma unroll
        for (int e = 0; e < COUNT; e++, walk += step)
            element[e] =
                !check || conv_is_inside(job.conv, fixed, *walk) ? (float)cuda_load(x[walk->a]) : 0;
    }

    __device__ void put(const conv_job &job, shared_t &shared, int buffer) const
    {
        bool by_m = job.a_is_m_major;
        int thread = (int)threadIdx.x;
        float *to = &shared.a[buffer][by_m ? thread / M : thread % CONV_TILE_K]
                             [by_m ? thread % M : thread / CONV_TILE_K];
        int step = by_m ? CUDA_THREADS / M * LINE : CUDA_THREADS / CONV_TILE_K;

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
        ALONG_K = CUDA_THREADS / N, /* increments of k and n per element of a thread */
        ALONG_N = CUDA_THREADS / CONV_TILE_K
    };
    float element[COUNT];

    __device__ void fetch(const conv_job &job, const shared_t &shared, int32_t k)
    {
        const conv_coords *k_of = shared.k_coords[k & 1];
        int64_t step = conv_job_is_wgrad(job) ? job.conv.position.step : job.conv.tap_n;
        int32_t left = shared.block.k - k * CONV_TILE_K, n_left = shared.block.n;
        const T *b = (const T *)job.b + shared.block.b;
        int thread = (int)threadIdx.x;

        if (job.b_is_n_major) {
            int n = thread % N, at = thread / N;

            b += n * step;
#pragma unroll
            for (int e = 0; e < COUNT; e++, at += ALONG_K)
                element[e] = n < n_left && at < left ? (float)cuda_load(b[k_of[at].bc]) : 0;
        } else {
            int n = thread / CONV_TILE_K, at = thread % CONV_TILE_K;

            b += k_of[at].bc + n * step;
#pragma unroll
            for (int e = 0; e < COUNT; e++, n += ALONG_N, b += ALONG_N * step)
                element[e] = n < n_left && at < left ? (float)cuda_load(*b) : 0;
        }
    }

    __device__ void put(const conv_job &job, shared_t &shared, int buffer) const
    {
        bool by_n = job.b_is_n_major;
        int thread = (int)threadIdx.x;
        float *to = &shared.b[buffer][by_n ? thread / N : thread % CONV_TILE_K]
                             [by_n ? thread % N : thread / CONV_TILE_K];
        int step = by_n ? ALONG_K * LINE : ALONG_N;

#pragma unroll
        for (int e = 0; e < COUNT; e++)
            to[e * step] = element[e];
    }
};

#endif
