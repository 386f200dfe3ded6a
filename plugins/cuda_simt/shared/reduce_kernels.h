/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of reductions: many elements become one result. A block is a tile of X results by Y
 * threads each. Long reductions are split among blocks, and a second kernel joins the partial sums.
 * The order of all additions depends only on the shape and the device.
 *
 * There are three forms: cuda_reduce by elements, for any strides; cuda_reduce by vectors of 16
 * bytes along the reduced dims; and cuda_reduce_across by vectors of neighbouring results. A
 * fourth, for sums along rows, is in reduce_rows.h.
 *
 * Op has
 *   T, IN, EXTRA     as in map.h
 *   OUT              the number of tensors that only finish() accesses
 *   BY_VECTORS       1 if the forms by vectors are available
 *   RUNS             1: Op sums the float numbers of its one input in double. By vectors of
 *                    results, the numbers that a thread reads at a time are added in float.
 *                    0: nothing; other values matter only in reduce_rows.h
 *   params           the parameters of the formula
 *   cell             the data of one result that is known before: make_cell(job, at)
 *   sum              the accumulator: start(params)
 *   add(params, cell, sum, in, extra, i)    adds element i of the iteration over the reduced dims
 *   join(params, sum, other)                adds a later sum
 *   finish(job, at, result, sum)            stores the result of that number
 * `at` are the offsets of the IN, EXTRA and OUT tensors at index 0 of the reduced dims.
 */
#ifndef CUDA_SIMT_SHARED_REDUCE_KERNELS_H
#define CUDA_SIMT_SHARED_REDUCE_KERNELS_H

#include "reduce_step.h"

/* ------------------------------------------------------------------ along the reduced dims */

/* Adds a thread's part: steps ty, ty + Y, ... of this block's chunk. */
template <class Op>
__device__ static inline void cuda_reduce_elements(const cuda_reduce_job<Op> &job,
                                                   const typename Op::cell &cell,
                                                   typename Op::sum *sum, const int64_t base[],
                                                   int64_t begin, int64_t end, int by)
{
    int64_t at[Op::IN + Op::EXTRA];

#pragma unroll 4
    for (int64_t i = begin; i < end; i += by) {
        cuda_walk_place<Op::IN + Op::EXTRA>(job.reduced, i, at);
        cuda_reduce_one(job, cell, sum, base, at, i);
    }
}

template <class Op>
__device__ static inline void
cuda_reduce_vectors(const cuda_reduce_job<Op> &job, const typename Op::cell &cell,
                    typename Op::sum *sum, const int64_t base[], int64_t begin, int64_t end, int by)
{
    enum { STEPS = CUDA_REDUCE_LOADS / Op::IN, LANES = cuda_vector<typename Op::T>::LANES };

    for (int64_t i = begin; i < end; i += STEPS * by) {
        cuda_reduce_step<Op> step[STEPS];

#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            if (i + s * by < end)
                cuda_reduce_read(job, step[s], base, i + s * by);
        }
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            if (i + s * by >= end)
                break;
#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                cuda_reduce_lane(job, step[s], lane, job.reduced.lane, cell, sum,
                                 (i + s * by) * LANES + lane);
        }
    }
}

/* Adds the elements after the last vector. */
template <class Op>
__device__ static inline void
cuda_reduce_tail(const cuda_reduce_job<Op> &job, const typename Op::cell &cell,
                 typename Op::sum *sum, const int64_t base[], const cuda_tile_thread &in_tile)
{
    int64_t at[Op::IN + Op::EXTRA];

    for (int64_t behind = in_tile.y; behind < job.reduced.tail; behind += in_tile.size_y) {
        int64_t i = job.reduced.count * job.reduced.lanes + behind;

        for (int t = 0; t < Op::IN + Op::EXTRA; t++)
            at[t] = i * job.reduced.lane[t];
        cuda_reduce_one(job, cell, sum, base, at, i);
    }
}

template <class Op, bool VECTORS>
__device__ static inline void cuda_reduce_thread(const cuda_reduce_job<Op> &job, int64_t result,
                                                 const cuda_tile_thread &in_tile,
                                                 typename Op::sum *sum)
{
    int64_t begin = blockIdx.y * job.chunk, end = begin + job.chunk;
    int64_t base[Op::IN + Op::EXTRA + Op::OUT + 1];
    typename Op::cell cell;

    end = end < job.reduced.count ? end : job.reduced.count;
    cuda_walk_place<Op::IN + Op::EXTRA + Op::OUT>(job.kept, result, base);
    cell = Op::make_cell(job, base);
    if (!VECTORS) {
        cuda_reduce_elements(job, cell, sum, base, begin + in_tile.y, end, in_tile.size_y);
        return;
    }
    cuda_reduce_vectors(job, cell, sum, base, begin + in_tile.y, end, in_tile.size_y);
    if (blockIdx.y == job.splits - 1)
        cuda_reduce_tail(job, cell, sum, base, in_tile);
}

/* Joins the sums of a tile's column of threads in a fixed order; thread 0 has the result. There may
 * be COUNT columns, CUDA_THREADS sums apart. */
template <class Op, int COUNT = 1>
__device__ static inline void cuda_reduce_column(const typename Op::params &params,
                                                 typename Op::sum *column, int y, int size_y)
{
    __syncthreads();
    for (int half = size_y / 2; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            if (y < half)
                Op::join(params, column + i * CUDA_THREADS + y,
                         column[i * CUDA_THREADS + y + half]);
        }
        __syncthreads();
    }
}

/* Stores the sum of a block: as the result, or as a partial sum. */
template <class Op>
__device__ static inline void cuda_reduce_give(const cuda_reduce_job<Op> &job, int64_t result,
                                               const typename Op::sum &sum)
{
    int64_t at[Op::IN + Op::EXTRA + Op::OUT + 1];

    if (job.splits > 1) {
        job.partial_sums[blockIdx.y * job.kept.count + result] = sum;
        return;
    }
    cuda_walk_place<Op::IN + Op::EXTRA + Op::OUT>(job.kept, result, at);
    Op::finish(job, at, result, sum);
}

template <class Op, bool VECTORS>
__global__ void __launch_bounds__(CUDA_THREADS) cuda_reduce(cuda_reduce_job<Op> job)
{
    __shared__ typename Op::sum sums[CUDA_THREADS];
    cuda_tile_thread in_tile = cuda_tile_thread_of(job.tile);
    int64_t result = (int64_t)blockIdx.x * in_tile.size_x + in_tile.x;
    typename Op::sum *column = sums + in_tile.x * in_tile.size_y, sum = Op::start(job.params);

    if (result < job.kept.count)
        cuda_reduce_thread<Op, VECTORS>(job, result, in_tile, &sum);
    column[in_tile.y] = sum;
    cuda_reduce_column<Op>(job.params, column, in_tile.y, in_tile.size_y);
    if (in_tile.y == 0 && result < job.kept.count)
        cuda_reduce_give(job, result, column[0]);
}

/* ------------------------------------------------------------------ across the reduced dims */

/* Returns the number of steps from i on, at most `steps`. */
__device__ static inline int64_t cuda_reduce_left(int64_t i, int64_t end, int by, int steps)
{
    int64_t left = (end - i + by - 1) / by;

    return left < steps ? left : steps;
}

/* Adds the numbers of each lane in a run. Returns false and adds none if a run overflows float. */
template <class Op, int STEPS, int LANES>
__device__ static inline bool cuda_reduce_add_runs(const cuda_reduce_step<Op> (&step)[STEPS],
                                                   int left, double (&sum)[LANES])
{
    float run[LANES];
    bool held = true;

#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        float number[STEPS];

#pragma unroll
        for (int s = 0; s < STEPS; s++)
            number[s] = s < left ? cuda_load(step[s].vector[0].lane[lane]) : 0;
        run[lane] = cuda_run_sum<STEPS>(number);
        held = held && isfinite(run[lane]);
    }
#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
        sum[lane] += held ? (double)run[lane] : 0;
    return held;
}

/* Adds the same numbers from memory, one by one. */
template <class Op, int LANES>
__device__ static inline void cuda_reduce_add_again(const cuda_reduce_job<Op> &job,
                                                    const int64_t base[], int64_t i, int by,
                                                    int left, double (&sum)[LANES])
{
#pragma unroll 1
    for (; left > 0; left--, i += by) {
        cuda_reduce_step<Op> step;

        cuda_reduce_read(job, step, base, i);
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            sum[lane] += (double)cuda_load(step.vector[0].lane[lane]);
    }
}

/* Computes a thread's part of the LANES results that begin at `result`. */
template <class Op>
__device__ static inline void
cuda_reduce_thread_across(const cuda_reduce_job<Op> &job, int64_t result,
                          const cuda_tile_thread &in_tile,
                          typename Op::sum (&sum)[cuda_vector<typename Op::T>::LANES])
{
    enum {
        STEPS = (Op::RUNS == 1 ? 2 : 1) * CUDA_REDUCE_LOADS / Op::IN,
        LANES = cuda_vector<typename Op::T>::LANES
    };
    int64_t end = (blockIdx.y + 1) * job.chunk, base[Op::IN + Op::EXTRA + Op::OUT + 1];
    typename Op::cell cell[LANES];

    end = end < job.reduced.count ? end : job.reduced.count;
#pragma unroll
    for (int lane = LANES - 1; lane >= 0; lane--) {
        cuda_walk_place<Op::IN + Op::EXTRA + Op::OUT>(job.kept, result + lane, base);
        cell[lane] = Op::make_cell(job, base);
    }
    for (int64_t i = blockIdx.y * job.chunk + in_tile.y; i < end; i += STEPS * in_tile.size_y) {
        cuda_reduce_step<Op> step[STEPS];

#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            if (i + s * in_tile.size_y < end)
                cuda_reduce_read(job, step[s], base, i + s * in_tile.size_y);
        }
        if constexpr (Op::RUNS == 1) {
            int left = (int)cuda_reduce_left(i, end, in_tile.size_y, STEPS);

            if (!cuda_reduce_add_runs(step, left, sum))
                cuda_reduce_add_again(job, base, i, in_tile.size_y, left, sum);
        } else {
#pragma unroll
            for (int s = 0; s < STEPS; s++) {
                if (i + s * in_tile.size_y >= end)
                    break;
#pragma unroll
                for (int lane = 0; lane < LANES; lane++)
                    cuda_reduce_lane(job, step[s], lane, job.kept.strides[0], cell[lane],
                                     &sum[lane], i + s * in_tile.size_y);
            }
        }
    }
}

template <class Op>
__global__ void __launch_bounds__(CUDA_THREADS, Op::RUNS == 1 ? CUDA_REDUCE_ACROSS : 1)
    cuda_reduce_across(cuda_reduce_job<Op> job)
{
    enum { LANES = cuda_vector<typename Op::T>::LANES, SIZE = sizeof(typename Op::sum) };
    enum {
        HELD = CUDA_REDUCE_SHARED / (CUDA_THREADS * SIZE),
        AT_ONCE = HELD < LANES ? HELD : LANES
    };
    __shared__ typename Op::sum sums[AT_ONCE][CUDA_THREADS];
    cuda_tile_thread in_tile = cuda_tile_thread_of(job.tile);
    int64_t result = ((int64_t)blockIdx.x * in_tile.size_x + in_tile.x) * LANES;
    int column = in_tile.x * in_tile.size_y;
    typename Op::sum sum[LANES];

#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
        sum[lane] = Op::start(job.params);
    if (result < job.kept.count)
        cuda_reduce_thread_across(job, result, in_tile, sum);
#pragma unroll
    for (int first = 0; first < LANES; first += AT_ONCE) {
#pragma unroll
        for (int lane = 0; lane < AT_ONCE; lane++)
            sums[lane][column + in_tile.y] = sum[first + lane];
        cuda_reduce_column<Op, AT_ONCE>(job.params, &sums[0][column], in_tile.y, in_tile.size_y);
        for (int lane = 0; lane < AT_ONCE && in_tile.y == 0 && result < job.kept.count; lane++)
            cuda_reduce_give(job, result + first + lane, sums[lane][column]);
    }
}

/* ------------------------------------------------------------------ partial sums */

template <class Op>
__global__ void __launch_bounds__(CUDA_THREADS) cuda_reduce_join(cuda_reduce_job<Op> job)
{
    __shared__ typename Op::sum sums[CUDA_THREADS];
    int joiners = 1 << job.log_joiners, lane = (int)threadIdx.x & (joiners - 1);
    int64_t result = ((int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x) >> job.log_joiners;
    typename Op::sum *column = sums + (threadIdx.x - lane), sum = Op::start(job.params);

#pragma unroll 4
    for (int64_t s = lane; s < job.splits && result < job.kept.count; s += joiners)
        Op::join(job.params, &sum, job.partial_sums[s * job.kept.count + result]);
    column[lane] = sum;
    cuda_reduce_column<Op>(job.params, column, lane, joiners);
    if (lane == 0 && result < job.kept.count) {
        int64_t at[Op::IN + Op::EXTRA + Op::OUT + 1];

        cuda_walk_place<Op::IN + Op::EXTRA + Op::OUT>(job.kept, result, at);
        Op::finish(job, at, result, column[0]);
    }
}

#endif
