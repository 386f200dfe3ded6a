/* SPDX-License-Identifier: Apache-2.0 */
/* Sums along rows that are contiguous in memory, first in float. The position of a thread's next
 * vector follows from its last, so many loads are in flight at once. In addition to
 * reduce_kernels.h, Op has
 *   RUNS                      the number of doubles in an Op::sum; 0 disables this form
 *   takes_runs(params)        returns true if this form may be used
 *   run(cell, in, to)         computes RUNS floats from CUDA_ROWS_RUN numbers of each input
 *   take(cell, sum, run)      adds them; if that is not finite, add() adds the numbers one by one
 *                             and reads no extra tensor
 *   padding(cell)             returns a number that adds nothing, in every input */
#ifndef CUDA_SIMT_SHARED_REDUCE_ROWS_H
#define CUDA_SIMT_SHARED_REDUCE_ROWS_H

#include "reduce_kernels.h"

/* The vectors that a thread has in flight. */
#define CUDA_ROWS_LOADS 8

#define CUDA_ROWS_WARP  32
#define CUDA_ROWS_WARPS (CUDA_THREADS / CUDA_ROWS_WARP)

/* An iteration over two dims, rows of `length` vectors, in steps of a tile's threads. */
template <int TENSORS> struct cuda_rows_walk {
    /* The offsets in elements: the position, the distance to the next step, and the extra distance
     * past a row's end. */
    int64_t at[TENSORS], by[TENSORS], past[TENSORS];
    int v, by_v, length; /* in vectors */
};

template <int TENSORS>
__device__ static inline void cuda_rows_begin(cuda_rows_walk<TENSORS> *walk,
                                              const cuda_walk &reduced, int64_t first, int by)
{
    int d = reduced.ndims - 1, length = (int)reduced.dims[d];
    int row = (int)first / length, rows = by / length;

    walk->v = (int)first - row * length;
    walk->by_v = by - rows * length;
    walk->length = length;
#pragma unroll
    for (int t = 0; t < TENSORS; t++) {
        int64_t stride = d > 0 ? reduced.strides[0][t] : 0, step = reduced.strides[d][t];

        walk->at[t] = row * stride + walk->v * step;
        walk->by[t] = rows * stride + walk->by_v * step;
        walk->past[t] = stride - length * step;
    }
}

template <int TENSORS> __device__ static inline void cuda_rows_next(cuda_rows_walk<TENSORS> *walk)
{
    bool ends;

    walk->v += walk->by_v;
    ends = walk->v >= walk->length;
    walk->v -= ends ? walk->length : 0;
#pragma unroll
    for (int t = 0; t < TENSORS; t++)
        walk->at[t] += walk->by[t] + (ends ? walk->past[t] : 0);
}

/* A sum as an array of doubles. */
template <class Op> union cuda_rows_sum {
    typename Op::sum sum;
    double number[Op::RUNS];
    static_assert(sizeof(sum) == sizeof(number), "as many as are in a sum");
};

template <class Op, class T>
__device__ static inline void cuda_rows_read(cuda_vector<T> &to, const T *from, bool exists,
                                             const typename Op::cell &cell)
{
    if (exists) {
        cuda_vector_get(to, from);
        return;
    }
#pragma unroll
    for (int lane = 0; lane < cuda_vector<T>::LANES; lane++)
        cuda_store(&to.lane[lane], Op::padding(cell));
}

/* Adds the numbers of some vectors run by run. Returns false if a sum overflows float or double. */
template <class Op, int STEPS>
__device__ static inline bool
cuda_rows_add(const typename Op::cell &cell, typename Op::sum *sum,
              const cuda_vector<typename Op::T> (&vector)[STEPS][Op::IN])
{
    enum { LANES = cuda_vector<typename Op::T>::LANES };
    cuda_rows_sum<Op> to = {*sum};
    bool held = true;

#pragma unroll
    for (int r = 0; r < STEPS * LANES / CUDA_ROWS_RUN; r++) {
        float in[Op::IN][CUDA_ROWS_RUN], run[Op::RUNS];

#pragma unroll
        for (int i = 0; i < Op::IN * CUDA_ROWS_RUN; i++) {
            int t = i / CUDA_ROWS_RUN, n = r * CUDA_ROWS_RUN + i % CUDA_ROWS_RUN;

            in[t][i % CUDA_ROWS_RUN] = cuda_load(vector[n / LANES][t].lane[n % LANES]);
        }
        Op::run(cell, in, run);
        Op::take(cell, &to.sum, run);
    }
#pragma unroll
    for (int i = 0; i < Op::RUNS; i++)
        held = held && isfinite(to.number[i]);
    if (held)
        *sum = to.sum;
    return held;
}

/* Adds the same numbers from memory, one by one. This is rare, so the code is kept small. */
template <class Op>
__device__ static inline void cuda_rows_add_numbers(const cuda_reduce_job<Op> &job,
                                                    const typename Op::cell &cell,
                                                    typename Op::sum *sum, const int64_t base[],
                                                    cuda_rows_walk<Op::IN> walk, int64_t steps)
{
    enum { LANES = cuda_vector<typename Op::T>::LANES };
    int64_t at[Op::IN + Op::EXTRA] = {};

#pragma unroll 1
    for (; steps > 0; steps--) {
#pragma unroll 1
        for (int lane = 0; lane < LANES; lane++) {
            for (int t = 0; t < Op::IN; t++)
                at[t] = walk.at[t] + lane;
            cuda_reduce_one(job, cell, sum, base, at, 0);
        }
        cuda_rows_next(&walk);
    }
}

template <class Op>
__device__ static inline void cuda_rows_thread(const cuda_reduce_job<Op> &job, int64_t result,
                                               const cuda_tile_thread &in_tile,
                                               typename Op::sum *sum)
{
    enum { STEPS = CUDA_ROWS_LOADS / Op::IN, TENSORS = Op::IN + Op::EXTRA + Op::OUT };
    typedef typename Op::T T;
    int64_t begin = blockIdx.y * job.chunk, end = begin + job.chunk, base[TENSORS + 1];
    cuda_rows_walk<Op::IN> walk;
    typename Op::cell cell;

    end = end < job.reduced.count ? end : job.reduced.count;
    cuda_walk_place<TENSORS>(job.kept, result, base);
    cell = Op::make_cell(job, base);
    cuda_rows_begin(&walk, job.reduced, begin + in_tile.y, in_tile.size_y);
    for (int64_t i = begin + in_tile.y; i < end; i += STEPS * in_tile.size_y) {
        cuda_vector<T> vector[STEPS][Op::IN];
        cuda_rows_walk<Op::IN> from = walk;

#pragma unroll
        for (int s = 0; s < STEPS; s++) {
#pragma unroll
            for (int t = 0; t < Op::IN; t++)
                cuda_rows_read<Op>(vector[s][t], (const T *)job.data[t] + base[t] + walk.at[t],
                                   i + s * in_tile.size_y < end, cell);
            cuda_rows_next(&walk);
        }
        if (!cuda_rows_add<Op, STEPS>(cell, sum, vector)) {
            cuda_rows_add_numbers(job, cell, sum, base, from,
                                  cuda_reduce_left(i, end, in_tile.size_y, STEPS));
        }
    }
    if (blockIdx.y == job.splits - 1)
        cuda_reduce_tail(job, cell, sum, base, in_tile);
}

/* Joins the sums of a tile's row of threads: within each warp, then across warps. The first thread
 * has the result. */
template <int RUNS>
__device__ static inline void cuda_rows_join(double (&sum)[RUNS], const cuda_tile_thread &in_tile,
                                             double slots[CUDA_ROWS_WARPS][RUNS])
{
    int within = in_tile.size_y < CUDA_ROWS_WARP ? in_tile.size_y : CUDA_ROWS_WARP;
    int warp = (int)threadIdx.x / CUDA_ROWS_WARP;

    for (int by = within / 2; by > 0; by /= 2)
#pragma unroll
        for (int i = 0; i < RUNS; i++)
            sum[i] += __shfl_xor_sync(UINT32_MAX, sum[i], by);
    if (in_tile.size_y <= CUDA_ROWS_WARP)
        return;
    if (threadIdx.x % CUDA_ROWS_WARP == 0)
#pragma unroll
        for (int i = 0; i < RUNS; i++)
            slots[warp][i] = sum[i];
    __syncthreads();
    for (int w = 1; in_tile.y == 0 && w < in_tile.size_y / CUDA_ROWS_WARP; w++)
#pragma unroll
        for (int i = 0; i < RUNS; i++)
            sum[i] += slots[warp + w][i];
}

template <class Op>
__global__ void __launch_bounds__(CUDA_THREADS, Op::RUNS == 1 ? 3 : 2)
    cuda_reduce_rows(cuda_reduce_job<Op> job)
{
    cuda_rows_sum<Op> own = {Op::start(job.params)};
    __shared__ double slots[CUDA_ROWS_WARPS][Op::RUNS];
    cuda_tile_thread in_tile = cuda_tile_thread_of(job.tile);
    int64_t result = (int64_t)blockIdx.x * in_tile.size_x + in_tile.x;

    if (result < job.kept.count)
        cuda_rows_thread(job, result, in_tile, &own.sum);
    cuda_rows_join(own.number, in_tile, slots);
    if (in_tile.y == 0 && result < job.kept.count)
        cuda_reduce_give(job, result, own.sum);
}

/* Returns 1 if an iteration in vectors has only rows, and 31 bits can count its steps. */
static inline int cuda_reduce_is_rows(const cuda_walk *reduced)
{
    return reduced->ndims <= 2 && reduced->count > 0 && reduced->count < INT32_MAX / 2;
}

#endif
