/* SPDX-License-Identifier: Apache-2.0 */
/* y = alpha*x + beta*y where x and y are contiguous along different dims, as between NCHW and NHWC.
 * Tiles are transposed in shared memory, so that both tensors are accessed in rows. A row is
 * accessed 16 bytes at a time if rows begin at multiples of 16 bytes. */
#ifndef CUDA_SIMT_TENSOR_OPS_TRANSPOSE_H
#define CUDA_SIMT_TENSOR_OPS_TRANSPOSE_H

#include "../shared/map.h"

/* The sides of a tile. A gap of one bank of shared memory follows each row, so that elements of a
 * column are in different banks. */
template <class T> struct cuda_turn_tile {
    enum {
        SIDE = sizeof(T) < 8 ? 64 : 32,
        PITCH = SIDE + (sizeof(T) < 4 ? 4 / sizeof(T) : 1),
        LANES = 16 / sizeof(T)
    };
};

/* A transposition. The columns are along the dim in which y is contiguous, the rows along that in
 * which x is. */
struct cuda_turn {
    cuda_walk outer; /* iterates over the other dims of y and x */
    int64_t columns, rows;
    int64_t x_column, y_row; /* strides */
    int64_t column_tiles, row_tiles;
    cuda_divisor by_column_tiles, by_row_tiles;
    int32_t x_vectors, y_vectors; /* 1 if rows of that tensor begin at multiples of 16 bytes */
};

struct cuda_turn_job {
    cuda_turn turn;
    void *y;
    const void *x;
    cuda_blend blend;
};

/* The part of the tile that lies in the tensors. */
struct cuda_turn_part {
    int columns, rows;
};

/* Reads rows of x into the tile. The loads of a thread are in flight together. */
template <class T, int LANES>
__device__ static inline void cuda_turn_read(T *tile, const T *x, const cuda_turn &turn,
                                             const cuda_turn_part &part)
{
    typedef cuda_turn_tile<T> shape;
    enum { ROW = shape::SIDE / LANES, STEPS = shape::SIDE * ROW / CUDA_THREADS, BATCH = 4 };

#pragma unroll
    for (int before = 0; before < STEPS; before += BATCH) {
        cuda_vector<T> in[BATCH];

#pragma unroll
        for (int i = 0; i < BATCH && before + i < STEPS; i++) {
            int at = (int)threadIdx.x + (before + i) * CUDA_THREADS, column = at / ROW;
            int row = at % ROW * LANES;
            const T *from = x + row + column * turn.x_column;

            if (column >= part.columns || row >= part.rows)
                continue;
            if (LANES > 1 && row + LANES <= part.rows) {
                in[i].whole = *(const uint4 *)from;
                continue;
            }
#pragma unroll
            for (int lane = 0; lane < LANES; lane++) {
                if (row + lane < part.rows)
                    in[i].lane[lane] = from[lane];
            }
        }
#pragma unroll
        for (int i = 0; i < BATCH && before + i < STEPS; i++) {
            int at = (int)threadIdx.x + (before + i) * CUDA_THREADS;

#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                tile[at / ROW * shape::PITCH + at % ROW * LANES + lane] = in[i].lane[lane];
        }
    }
}

template <class T>
__device__ static inline void cuda_turn_store(T *to, T from, const cuda_blend &blend)
{
    if (blend.alpha == 1 && blend.beta == 0)
        *to = from;
    else
        cuda_blend_store(to, cuda_load(from), blend);
}

/* Writes columns of the tile to rows of y. */
template <class T, int LANES>
__device__ static inline void cuda_turn_write(T *y, const T *tile, const cuda_turn &turn,
                                              const cuda_turn_part &part, const cuda_blend &blend)
{
    typedef cuda_turn_tile<T> shape;
    enum { ROW = shape::SIDE / LANES, STEPS = shape::SIDE * ROW / CUDA_THREADS };

#pragma unroll 4
    for (int i = 0; i < STEPS; i++) {
        int at = (int)threadIdx.x + i * CUDA_THREADS, row = at / ROW, column = at % ROW * LANES;
        const T *from = tile + column * shape::PITCH + row;
        T *to = y + column + row * turn.y_row;
        cuda_vector<T> out;

        if (row >= part.rows || column >= part.columns)
            continue;
        if (LANES > 1 && column + LANES <= part.columns) {
            if (blend.beta != 0)
                out.whole = *(const uint4 *)to;
#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                cuda_turn_store(&out.lane[lane], from[lane * shape::PITCH], blend);
            *(uint4 *)to = out.whole;
            continue;
        }
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
            if (column + lane < part.columns)
                cuda_turn_store(to + lane, from[lane * shape::PITCH], blend);
        }
    }
}

template <class T>
__global__ void __launch_bounds__(CUDA_THREADS) cuda_turn_tiles(cuda_turn_job job)
{
    typedef cuda_turn_tile<T> shape;
    __shared__ T tile[shape::SIDE * shape::PITCH];
    const cuda_turn &turn = job.turn;
    unsigned row_tile = cuda_divide(blockIdx.x, turn.by_column_tiles);
    unsigned outer = cuda_divide(row_tile, turn.by_row_tiles);
    int64_t column = (int64_t)(blockIdx.x - row_tile * (unsigned)turn.column_tiles) * shape::SIDE;
    int64_t row = (int64_t)(row_tile - outer * (unsigned)turn.row_tiles) * shape::SIDE, at[2];
    cuda_turn_part part = {
        (int)(turn.columns - column < shape::SIDE ? turn.columns - column : shape::SIDE),
        (int)(turn.rows - row < shape::SIDE ? turn.rows - row : shape::SIDE)};
    const T *x;
    T *y;

    cuda_walk_place<2>(turn.outer, outer, at);
    x = (const T *)job.x + at[1] + row + column * turn.x_column;
    y = (T *)job.y + at[0] + column + row * turn.y_row;
    if (turn.x_vectors)
        cuda_turn_read<T, shape::LANES>(tile, x, turn, part);
    else
        cuda_turn_read<T, 1>(tile, x, turn, part);
    __syncthreads();
    if (turn.y_vectors)
        cuda_turn_write<T, shape::LANES>(y, tile, turn, part, job.blend);
    else
        cuda_turn_write<T, 1>(y, tile, turn, part, job.blend);
}

/* Fills `turn` from the iteration over y and x. Returns 1 if that is a transposition large enough
 * for tiles. */
template <class T> static int cuda_turn_prepare(cuda_turn *turn, const cuda_walk *walk)
{
    typedef cuda_turn_tile<T> shape;
    int32_t column = walk->ndims - 1, row = column - 1;

    while (row >= 0 && walk->strides[row][1] != 1)
        row--;
    if (row < 0 || walk->strides[column][0] != 1 || walk->strides[column][1] <= 1 ||
        walk->dims[row] < 8 || walk->dims[column] < 8)
        return 0;
    turn->columns = walk->dims[column];
    turn->rows = walk->dims[row];
    turn->x_column = walk->strides[column][1];
    turn->y_row = walk->strides[row][0];
    turn->column_tiles = cuda_blocks(turn->columns, shape::SIDE);
    turn->row_tiles = cuda_blocks(turn->rows, shape::SIDE);
    turn->by_column_tiles = cuda_divisor_of(turn->column_tiles);
    turn->by_row_tiles = cuda_divisor_of(turn->row_tiles);
    turn->x_vectors = turn->x_column % shape::LANES == 0;
    turn->y_vectors = turn->y_row % shape::LANES == 0;
    turn->outer = *walk;
    cuda_walk_drop(&turn->outer, column);
    cuda_walk_drop(&turn->outer, row);
    for (int32_t d = 0; d < turn->outer.ndims; d++) {
        turn->y_vectors = turn->y_vectors && turn->outer.strides[d][0] % shape::LANES == 0;
        turn->x_vectors = turn->x_vectors && turn->outer.strides[d][1] % shape::LANES == 0;
    }
    return turn->outer.count * turn->column_tiles * turn->row_tiles <= CUDA_BLOCKS_MAX;
}

template <class T> static int32_t cuda_turn_run(const cuda_call *call, cuda_turn_job job)
{
    cuda_turn &turn = job.turn;

    turn.x_vectors = turn.x_vectors && (uintptr_t)job.x % sizeof(uint4) == 0;
    turn.y_vectors = turn.y_vectors && (uintptr_t)job.y % sizeof(uint4) == 0;
    return cuda_launch(call, cuda_turn_tiles<T>,
                       turn.outer.count * turn.column_tiles * turn.row_tiles, 1, job);
}

#endif
