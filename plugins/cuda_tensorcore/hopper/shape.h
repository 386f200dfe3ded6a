/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of an instantiation of the GEMM of the family hopper, and its tiles. */
#ifndef CUDA_TENSORCORE_HOPPER_SHAPE_H
#define CUDA_TENSORCORE_HOPPER_SHAPE_H

#include "pipeline.h"

enum { TC_COOPERATIVE, TC_PING_PONG };

/* B_LINES_ARE_TERMS: dgrad of 16 bits, whose filters have their columns side by side. CLASSES_MOST:
 * 1, or more for dgrad with strides. */
template <class MATH, int R, int C, int SCHEDULE, int N, int B_LINES_ARE_TERMS, int CLASSES_MOST>
struct tc_hopper_shape {
    typedef MATH math;
    typedef typename MATH::element element;
    typedef typename MATH::sum sum;
    typedef tc_hopper_job_of<CLASSES_MOST> job;
    enum {
        CLASSES = CLASSES_MOST,
        ROWS = R,
        COLUMNS = C,
        STAGES = N,
        B_LINES = B_LINES_ARE_TERMS,
        PING_PONG = SCHEDULE,
        CONSUMERS = 2,
        THREADS = (1 + CONSUMERS) * TC_WARPGROUP,
        OWN_ROWS = PING_PONG ? ROWS : ROWS / CONSUMERS, /* of a consumer */
        UNITS = OWN_ROWS / TC_WARPGROUP_ROWS,
        DEPTH = TC_LINE_BYTES / sizeof(element), /* channels of a block along K */
        SLAB_COLUMNS = DEPTH,                    /* that are stored at once */
        WARPS_OF_A_STAGE = (PING_PONG ? 1 : CONSUMERS) * TC_WARPGROUP / 32,
        A_BYTES = ROWS * TC_LINE_BYTES,
        STAGE_BYTES = A_BYTES + COLUMNS * TC_LINE_BYTES,
        BUFFERS_AT = STAGES * STAGE_BYTES, /* two a consumer */
        ROWS_AT = BUFFERS_AT + CONSUMERS * 2 * TC_HOPPER_SLAB_BYTES,
        BARRIERS_AT = ROWS_AT + CONSUMERS * TC_WARPGROUP_ROWS * 8,
        SHARED_BYTES = BARRIERS_AT + (2 * STAGES + CONSUMERS) * 8
    };
};

/*
 * Fastest the columns, so that A comes from memory once. Of several classes blocks take one tile of
 * each in turn, so that A is still near when the next class reads it; of the tiles that do not go
 * round, those with many taps come first.
 */
template <class S> struct tc_hopper_tile {
    int32_t row, column, group;
    int32_t number = 0; /* of the class */

    __device__ tc_hopper_tile(const tc_hopper_job &job, int32_t id)
    {
        if (S::CLASSES > 1)
            id = find_class(job, id);
        column = id % job.column_tiles * S::COLUMNS;
        id /= job.column_tiles;
        row = id % job.row_tiles * S::ROWS;
        group = id / job.row_tiles;
    }

    __device__ int32_t find_class(const tc_hopper_job &job, int32_t id)
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
