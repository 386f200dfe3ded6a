/* SPDX-License-Identifier: Apache-2.0 */
/* y = alpha*x + beta*y where x is contiguous along another dim than y, as between NCHW and NHWC: by
 * tiles that are turned in shared memory, so that both are taken in rows. */
#ifndef CUDA_NAIVE_TRANSPOSE_H
#define CUDA_NAIVE_TRANSPOSE_H

#include "map.h"

#define CUDA_TURN 32 /* a tile's sides */

/* Columns: the dim along which y is contiguous; rows: that along which x is. */
struct cuda_turn {
    cuda_walk outer; /* y and x over the other dims */
    int64_t columns, rows;
    int64_t x_column, y_row; /* strides */
    int64_t column_tiles, row_tiles;
};

struct cuda_turn_job {
    cuda_turn turn;
    void *y;
    const void *x;
    cuda_blend blend;
};

template <class T>
__global__ void __launch_bounds__(CUDA_THREADS) cuda_turn_tiles(cuda_turn_job job)
{
    __shared__ T tile[CUDA_TURN][CUDA_TURN + 1];
    const cuda_turn &turn = job.turn;
    int along = (int)threadIdx.x % CUDA_TURN, first = (int)threadIdx.x / CUDA_TURN;
    int64_t left = blockIdx.x, row, column, at[2];

    column = left % turn.column_tiles * CUDA_TURN;
    left /= turn.column_tiles;
    row = left % turn.row_tiles * CUDA_TURN;
    cuda_walk_place<2>(turn.outer, left / turn.row_tiles, at);
    for (int i = first; i < CUDA_TURN; i += CUDA_THREADS / CUDA_TURN) {
        if (row + along < turn.rows && column + i < turn.columns)
            tile[i][along] = ((const T *)job.x)[at[1] + row + along + (column + i) * turn.x_column];
    }
    __syncthreads();
    for (int i = first; i < CUDA_TURN; i += CUDA_THREADS / CUDA_TURN) {
        if (row + i < turn.rows && column + along < turn.columns)
            cuda_blend_store((T *)job.y + at[0] + column + along + (row + i) * turn.y_row,
                             cuda_load(tile[along][i]), job.blend);
    }
}

/* From the walk over y and x; whether it is such a one, and large enough for tiles. */
static inline int cuda_turn_prepare(cuda_turn *turn, const cuda_walk *walk)
{
    int32_t column = walk->ndims - 1, row = column - 1;

    while (row >= 0 && walk->strides[row][1] != 1)
        row--;
    if (row < 0 || walk->strides[column][0] != 1 || walk->strides[column][1] <= 1 ||
        walk->dims[row] < CUDA_TURN / 4 || walk->dims[column] < CUDA_TURN / 4)
        return 0;
    turn->columns = walk->dims[column];
    turn->rows = walk->dims[row];
    turn->x_column = walk->strides[column][1];
    turn->y_row = walk->strides[row][0];
    turn->column_tiles = cuda_blocks(turn->columns, CUDA_TURN);
    turn->row_tiles = cuda_blocks(turn->rows, CUDA_TURN);
    turn->outer = *walk;
    cuda_walk_drop(&turn->outer, column);
    cuda_walk_drop(&turn->outer, row);
    return turn->outer.count * turn->column_tiles * turn->row_tiles <= CUDA_BLOCKS_MAX;
}

template <class T> static int32_t cuda_turn_run(const cuda_call *call, const cuda_turn_job &job)
{
    const cuda_turn &turn = job.turn;
    return cuda_launch(call, cuda_turn_tiles<T>,
                       turn.outer.count * turn.column_tiles * turn.row_tiles, 1, job);
}

#endif
