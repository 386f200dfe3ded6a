/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the tile sizes, stages and schedules of fprop and dgrad in the family hopper, and the
 * scheduler that assigns tiles to a persistent block. */
#ifndef CUDA_TENSORCORE_HOPPER_SHAPE_H
#define CUDA_TENSORCORE_HOPPER_SHAPE_H

#include "pipeline.h"

enum { TC_COOPERATIVE, TC_PING_PONG };

/* The warps beside the producer that make the high and low parts of B. */
#define TC_SPLIT_WARPS 3

/* The shape of a kernel. B_IS_MN_MAJOR is 1 in dgrad of 16 bits, where the N of filters are
 * contiguous. CLASSES_MOST is 1, or more for dgrad with strides. */
template <class MATH, int R, int C, int SCHEDULE, int N, int B_IS_MN_MAJOR, int CLASSES_MOST>
struct tc_hopper_shape {
    typedef MATH math;
    typedef typename MATH::element element;
    typedef typename MATH::sum sum;
    typedef tc_hopper_params_of<CLASSES_MOST> job;
    enum {
        CLASSES = CLASSES_MOST,
        TILE_M = R,
        TILE_N = C,
        STAGES = N,
        B_MN_MAJOR = B_IS_MN_MAJOR,
        PING_PONG = SCHEDULE,
        CONSUMERS = 2,
        THREADS = (1 + CONSUMERS) * TC_WARPGROUP,
        OWN_M = PING_PONG ? TILE_M : TILE_M / CONSUMERS, /* per consumer */
        UNITS = OWN_M / TC_WARPGROUP_ROWS,
        TILE_K = TC_LINE_BYTES / sizeof(element), /* channels per block along K */
        SLAB_COLUMNS = TILE_K,                    /* columns that are stored at once */
        WARPS_OF_A_STAGE = (PING_PONG ? 1 : CONSUMERS) * TC_WARPGROUP / 32,
        SPLITS = MATH::SPLITS, /* 1 if floats are split; parts of B follow B */
        A_BYTES = TILE_M * TC_LINE_BYTES,
        B_BYTES = TILE_N * TC_LINE_BYTES,
        LOADED_BYTES = A_BYTES + B_BYTES,
        STAGE_BYTES = LOADED_BYTES + (SPLITS ? 2 * B_BYTES : 0),
        BUFFERS_AT = STAGES * STAGE_BYTES, /* two per consumer */
        OFFSETS_AT = BUFFERS_AT + CONSUMERS * 2 * TC_HOPPER_SLAB_BYTES,
        BARRIERS_AT = OFFSETS_AT + CONSUMERS * TC_WARPGROUP_ROWS * 8,
        READY_AT = BARRIERS_AT + (2 * STAGES + CONSUMERS) * 8,
        LARGE_AT = READY_AT + (SPLITS ? STAGES * 8 : 0),
        SHARED_BYTES = LARGE_AT + (SPLITS ? STAGES * TC_SPLIT_WARPS * 4 : 0)
    };
};

/* A tile of a block. Tiles along N vary fastest, so that A is read from memory only once. If
 * there are several classes, blocks process one tile of each class in turn, so that A is still
 * cached for the next class. The remaining tiles of incomplete rounds follow, those with many
 * taps first. */
template <class S> struct tc_hopper_tile {
    int32_t row, column, group;
    int32_t number = 0; /* index of the class */

    __device__ tc_hopper_tile(const tc_hopper_params &job, int32_t id)
    {
        if (S::CLASSES > 1)
            id = find_class(job, id);
        column = id % job.n_tiles * S::TILE_N;
        id /= job.n_tiles;
        row = id % job.m_tiles * S::TILE_M;
        group = id / job.m_tiles;
    }

    __device__ int32_t find_class(const tc_hopper_params &job, int32_t id)
    {
        int32_t grid = (int32_t)gridDim.x, round = job.class_tiles / grid * grid;
        int32_t rest = job.class_tiles - round, turn = id / grid;

        if (id < round * job.classes) {
            number = turn % job.classes;
            return turn / job.classes * grid + id % grid;
        }
        id -= round * job.classes;
        number = id / rest;
        return round + id % rest;
    }
};

#endif
