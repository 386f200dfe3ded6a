/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the tile shapes of implicit GEMM of float, its shared memory, and the part of a block. */
#ifndef CUDA_SIMT_CONV_PIPELINED_SHAPE_H
#define CUDA_SIMT_CONV_PIPELINED_SHAPE_H

#include "../../cuda_common/conv_coords.h"
#include "../../cuda_common/index.h"
#include "pipelined.h"

enum {
    CHUNK = 32,    /* k whose offsets are computed at a time */
    ALONG_K = 8,   /* threads that follow k, where adjacent k are adjacent in memory */
    MASK_BITS = 10 /* bits of each dim */
};
/* The last bit of a mask. Every position has it, and no existing tap has it. A k that does not
 * exist has all bits, so its elements lie outside, even under a position whose taps all lie
 * inside. */
static const uint32_t OUTSIDE = UINT32_C(1) << 31;

struct alignas(8) pipelined_m {
    int32_t a;
    uint32_t mask;
};

struct alignas(16) pipelined_k {
    int32_t a, b; /* b < 0 if there is no such k */
    uint32_t mask;
    int32_t unused;
};

/* The dims of a class, and their divisors. */
struct pipelined_view : conv_view {
    cuda_divisor by_positions[CONV_DIMS], by_taps[CONV_DIMS], by_depth;
};

/* The shape of a tile: the results of a thread, and warps of 4 x 8 threads along M and N. */
template <int TM, int TN, int WM, int WN, int B, int K, int N> struct shape {
    enum {
        K_STEP = K, /* k of a stage */
        STAGES = N,
        CHUNK_STEPS = CHUNK / K,
        THREAD_M = TM,
        THREAD_N = TN,
        WARP_M = 4 * TM,
        WARP_N = 8 * TN,
        TILE_M = WM * WARP_M,
        TILE_N = WN * WARP_N,
        WARPS_N = WN,
        THREADS = WM * WN * 32,
        BLOCKS = B, /* resident on a multiprocessor */
        PAD = 4,    /* makes threads along k write to different banks */
        LINE_A = TILE_M + PAD,
        LINE_B = TILE_N + PAD,
        PIECE = 32 /* n that are stored at a time */
    };
};

template <class S> struct pipelined_shared {
    union {
        struct {
            float a[S::STAGES][S::K_STEP][S::LINE_A];
            float b[S::STAGES][S::K_STEP][S::LINE_B];
        };
        float out[S::PIECE][S::TILE_M + 1];
    };
    pipelined_k k[2][CHUNK];
    pipelined_m m[S::TILE_M];
    int64_t c[S::TILE_M], z[S::TILE_M];
    pipelined_view view;
};

struct pipelined_block {
    int32_t m_tile, n_tile, unit, group, split;
    int32_t m, n, k;      /* m of the class; n from the tile's first one on; length of a sum */
    int32_t begin, count; /* steps of K */
};

template <class S>
__device__ static inline pipelined_block block_at(const pipelined_job &job, int32_t id)
{
    int32_t classes = (int32_t)job.conv.classes, units = (int32_t)(classes * job.conv.groups);
    pipelined_block block;

    block.n_tile = id % job.n_tiles;
    id /= job.n_tiles;
    block.m_tile = id % job.m_tiles;
    id /= job.m_tiles;
    block.unit = id % units;
    block.split = id / units;
    block.group = block.unit / classes;
    block.n = (int32_t)job.conv.n - block.n_tile * S::TILE_N;
    return block;
}

#endif
