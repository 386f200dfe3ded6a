/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the tile, stages and scheduler of wgrad in the family hopper. */
#ifndef CUDA_TENSORCORE_HOPPER_WGRAD_SHAPE_H
#define CUDA_TENSORCORE_HOPPER_WGRAD_SHAPE_H

#include "pipeline.h"
#include "wgrad_params.h"

/* The shape of a kernel with tiles of M x N. Filters are M, and taps and channels N, unless
 * X_IS_M is 1, which swaps them. */
template <class MATH, int M_SIZE, int N_SIZE, int X_IS_M_SIDE, int POSITIONS_OF_STAGE,
          int STAGE_COUNT>
struct tc_hopper_wgrad_shape {
    typedef MATH math;
    typedef typename MATH::element element;
    enum {
        M = M_SIZE,
        N = N_SIZE,
        X_IS_M = X_IS_M_SIDE,
        POSITIONS = POSITIONS_OF_STAGE,
        BLOCK_BYTES = POSITIONS * TC_LINE_BYTES, /* 64 channels of a stage */
        STAGES = STAGE_COUNT,
        CONSUMERS = 2,
        THREADS = (1 + CONSUMERS) * TC_WARPGROUP,
        UNITS = M / CONSUMERS / TC_WARPGROUP_ROWS,
        WARPS_OF_A_STAGE = CONSUMERS * TC_WARPGROUP / 32,
        X_BLOCKS = (X_IS_M ? M : N) / TC_HOPPER_BLOCK,
        FILTER_BLOCKS = (X_IS_M ? N : M) / TC_HOPPER_BLOCK,
        N_AT = M / TC_HOPPER_BLOCK * BLOCK_BYTES,
        X_AT = X_IS_M ? 0 : N_AT,
        DY_AT = X_IS_M ? N_AT : 0,
        STAGE_BYTES = (M + N) / TC_HOPPER_BLOCK * BLOCK_BYTES,
        BARRIERS_AT = STAGES * STAGE_BYTES,
        SHARED_BYTES = BARRIERS_AT + (2 * STAGES + CONSUMERS) * 8
    };
};

/* A work tile. Filters vary fastest, then taps and channels, and splits slowest. */
template <class S> struct tc_hopper_wgrad_work_tile {
    int32_t first_filter, first_block, group, split;
    int32_t begin, end; /* stages */

    __device__ tc_hopper_wgrad_work_tile(const tc_hopper_wgrad_params &job, int32_t number)
    {
        first_filter = number % job.filter_tiles * S::FILTER_BLOCKS * TC_HOPPER_BLOCK;
        number /= job.filter_tiles;
        first_block = number % job.x_tiles * S::X_BLOCKS;
        number /= job.x_tiles;
        group = number % job.groups;
        split = number / job.groups;
        begin = split * job.k_per_split;
        end = begin + job.k_per_split < job.stages ? begin + job.k_per_split : job.stages;
    }
};

#endif
