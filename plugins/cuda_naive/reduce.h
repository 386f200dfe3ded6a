/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions: many elements become one result. A block is a tile of X results by Y threads each;
 * long reductions are split among blocks, whose parts a second kernel joins. The order of all
 * additions follows from the shape and the device alone.
 *
 * cuda_reduce<Op>: Op has
 *   T, IN, EXTRA     as in map.h
 *   OUT              tensors that only finish() looks at
 *   params           what the formula needs
 *   cell             what is known of one result before: make_cell(job, at)
 *   sum              what is accumulated: start(params)
 *   add(params, cell, sum, in, extra, i)    takes element i of the walk over the reduced dims
 *   join(params, sum, other)                takes a later sum
 *   finish(job, at, result, sum)            stores the result of that number
 * `at` are the offsets of the IN, EXTRA and OUT tensors where the reduced dims stand at index 0.
 */
#ifndef CUDA_NAIVE_REDUCE_H
#define CUDA_NAIVE_REDUCE_H

#include "map.h"

/* Threads that join the parts of one result. */
#define CUDA_JOINERS 32

/* Where an operation has no cells, or no parameters. */
struct cuda_nothing {
};

/* How a block is laid out. */
struct cuda_tile {
    int32_t log_x; /* X is a power of two, and Y = CUDA_THREADS / X */
    int32_t along; /* neighbouring threads go along the reduced dims; else along the results */
};

struct cuda_place_in_tile {
    int x, y, size_x, size_y;
};

__device__ static inline cuda_place_in_tile cuda_tile_place(const cuda_tile &tile)
{
    int size_x = 1 << tile.log_x, size_y = CUDA_THREADS >> tile.log_x, t = (int)threadIdx.x;

    if (tile.along)
        return {t / size_y, t % size_y, size_x, size_y};
    return {t % size_x, t / size_x, size_x, size_y};
}

template <class Op> struct cuda_reduce_job {
    cuda_walk kept, reduced;
    void *data[CUDA_WALK_TENSORS];
    cuda_blend blend;
    typename Op::params params;
    typename Op::sum *parts; /* [split][result] */
    cuda_tile tile;
    int64_t splits, chunk; /* steps of `reduced` */
};

/* ------------------------------------------------------------------ kernels */

template <class Op>
__device__ static inline void cuda_reduce_one(const cuda_reduce_job<Op> &job,
                                              const typename Op::cell &cell, typename Op::sum *sum,
                                              const int64_t base[], const int64_t at[], int64_t i)
{
    typedef typename Op::T T;
    typename cuda_arith<T>::type in[Op::IN];
    int64_t extra[Op::EXTRA + 1];

#pragma unroll
    for (int t = 0; t < Op::IN; t++)
        in[t] = cuda_load(((const T *)job.data[t])[base[t] + at[t]]);
#pragma unroll
    for (int t = 0; t < Op::EXTRA; t++)
        extra[t] = base[Op::IN + t] + at[Op::IN + t];
    Op::add(job.params, cell, sum, in, extra, i);
}

template <class Op>
__device__ static inline void
cuda_reduce_vector(const cuda_reduce_job<Op> &job, const typename Op::cell &cell,
                   typename Op::sum *sum, const int64_t base[], const int64_t at[], int64_t i)
{
    typedef typename Op::T T;
    enum { LANES = cuda_vector<T>::LANES };
    cuda_vector<T> vector[Op::IN];

#pragma unroll
    for (int t = 0; t < Op::IN; t++)
        vector[t].whole = *(const uint4 *)((const T *)job.data[t] + base[t] + at[t]);
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        typename cuda_arith<T>::type in[Op::IN];
        int64_t extra[Op::EXTRA + 1];

#pragma unroll
        for (int t = 0; t < Op::IN; t++)
            in[t] = cuda_load(vector[t].lane[lane]);
#pragma unroll
        for (int t = 0; t < Op::EXTRA; t++)
            extra[t] = base[Op::IN + t] + at[Op::IN + t] + lane * job.reduced.lane[Op::IN + t];
        Op::add(job.params, cell, sum, in, extra, i * LANES + lane);
    }
}

/* A thread's part: steps ty, ty + Y, ... of this block's chunk. */
template <class Op, bool VECTORS>
__device__ static inline void cuda_reduce_thread(const cuda_reduce_job<Op> &job, int64_t result,
                                                 const cuda_place_in_tile &place,
                                                 typename Op::sum *sum)
{
    enum { WALKED = Op::IN + Op::EXTRA, AT_ONCE = VECTORS ? 1 : 4 };
    int64_t begin = blockIdx.y * job.chunk, end = begin + job.chunk;
    int64_t base[WALKED + Op::OUT + 1], at[WALKED];
    typename Op::cell cell;

    end = end < job.reduced.count ? end : job.reduced.count;
    cuda_walk_place<WALKED + Op::OUT>(job.kept, result, base);
    cell = Op::make_cell(job, base);
#pragma unroll AT_ONCE
    for (int64_t i = begin + place.y; i < end; i += place.size_y) {
        cuda_walk_place<WALKED>(job.reduced, i, at);
        if (VECTORS)
            cuda_reduce_vector(job, cell, sum, base, at, i);
        else
            cuda_reduce_one(job, cell, sum, base, at, i);
    }
    if constexpr (VECTORS) {
        int64_t tail = blockIdx.y == job.splits - 1 ? job.reduced.tail : 0;

        for (int64_t behind = place.y; behind < tail; behind += place.size_y) {
            int64_t i = job.reduced.count * job.reduced.lanes + behind;

            for (int t = 0; t < WALKED; t++)
                at[t] = i * job.reduced.lane[t];
            cuda_reduce_one(job, cell, sum, base, at, i);
        }
    }
}

/* The sums of the threads of a tile's column, in a fixed order; thread 0 has the result. */
template <class Op>
__device__ static inline void cuda_reduce_column(const typename Op::params &params,
                                                 typename Op::sum *column, int y, int size_y)
{
    __syncthreads();
    for (int half = size_y / 2; half > 0; half /= 2) {
        if (y < half)
            Op::join(params, column + y, column[y + half]);
        __syncthreads();
    }
}

template <class Op, bool VECTORS>
__global__ void __launch_bounds__(CUDA_THREADS) cuda_reduce(cuda_reduce_job<Op> job)
{
    __shared__ typename Op::sum sums[CUDA_THREADS];
    cuda_place_in_tile place = cuda_tile_place(job.tile);
    int64_t result = (int64_t)blockIdx.x * place.size_x + place.x;
    typename Op::sum *column = sums + place.x * place.size_y, sum = Op::start(job.params);

    if (result < job.kept.count)
        cuda_reduce_thread<Op, VECTORS>(job, result, place, &sum);
    column[place.y] = sum;
    cuda_reduce_column<Op>(job.params, column, place.y, place.size_y);
    if (place.y != 0 || result >= job.kept.count)
        return;
    if (job.splits == 1) {
        int64_t at[Op::IN + Op::EXTRA + Op::OUT + 1];

        cuda_walk_place<Op::IN + Op::EXTRA + Op::OUT>(job.kept, result, at);
        Op::finish(job, at, result, column[0]);
    } else {
        job.parts[blockIdx.y * job.kept.count + result] = column[0];
    }
}

template <class Op>
__global__ void __launch_bounds__(CUDA_THREADS) cuda_reduce_join(cuda_reduce_job<Op> job)
{
    __shared__ typename Op::sum sums[CUDA_THREADS];
    int lane = (int)threadIdx.x % CUDA_JOINERS;
    int64_t result =
        (int64_t)blockIdx.x * (CUDA_THREADS / CUDA_JOINERS) + threadIdx.x / CUDA_JOINERS;
    typename Op::sum *column = sums + (threadIdx.x - lane), sum = Op::start(job.params);

    for (int64_t s = lane; s < job.splits && result < job.kept.count; s += CUDA_JOINERS)
        Op::join(job.params, &sum, job.parts[s * job.kept.count + result]);
    column[lane] = sum;
    cuda_reduce_column<Op>(job.params, column, lane, CUDA_JOINERS);
    if (lane == 0 && result < job.kept.count) {
        int64_t at[Op::IN + Op::EXTRA + Op::OUT + 1];

        cuda_walk_place<Op::IN + Op::EXTRA + Op::OUT>(job.kept, result, at);
        Op::finish(job, at, result, column[0]);
    }
}

/* ------------------------------------------------------------------ on the host */

struct cuda_reduce_plan {
    cuda_walk kept, reduced, vectors;
    cuda_tile tile;
    int32_t can_vectors;
    int64_t splits, vector_splits;
};

/* Threads along the reduced dims where that is the way through memory, and few of them where there
 * is little to do for each. */
static inline cuda_tile cuda_tile_choose(int64_t kept, int64_t reduced, int along)
{
    cuda_tile tile = {0, along};
    int32_t log_y = 0, most_y = 8;

    for (int32_t log_x = 0; !along && log_x < 5 && INT64_C(1) << log_x < kept; log_x++)
        most_y--;
    while (log_y < most_y && (INT64_C(4) << log_y) < reduced)
        log_y++;
    tile.log_x = 8 - log_y;
    return tile;
}

/* Blocks for a reduction: as many as fill the device some times over, if each has enough to do. */
static inline int64_t cuda_reduce_splits(const cuda_tile &tile, int64_t kept, int64_t reduced,
                                         const struct anydnn_plugin_plan *plan)
{
    int64_t blocks = cuda_blocks(kept, INT64_C(1) << tile.log_x);
    int64_t wanted = cuda_blocks((int64_t)plan->multiprocessors * 8, blocks);
    int64_t most = reduced / ((CUDA_THREADS >> tile.log_x) * INT64_C(8));
    int64_t splits = wanted < most ? wanted : most;

    return splits < 1 || !plan->has_pools ? 1 : splits;
}

/* `tensor`: IN, EXTRA, OUT. `reduced`: the dims that are reduced, bits. */
template <class Op>
static void cuda_reduce_prepare(cuda_reduce_plan *state, const struct anydnn_plugin_plan *plan,
                                const struct anydnn_plugin_tensor *const tensor[], uint32_t reduced,
                                int order)
{
    int along;

    cuda_walk_make(&state->kept, tensor, Op::IN + Op::EXTRA + Op::OUT, ~reduced, CUDA_WALK_SORTED);
    cuda_walk_make(&state->reduced, tensor, Op::IN + Op::EXTRA, reduced, order);
    state->can_vectors = cuda_walk_vectors(&state->vectors, &state->reduced, Op::IN,
                                           cuda_vector<typename Op::T>::LANES);
    for (int t = 0; t < Op::IN; t++) {
        state->can_vectors = state->can_vectors && cuda_walk_unit(&state->reduced, t);
        for (int32_t d = 0; d < state->kept.ndims; d++)
            state->can_vectors =
                state->can_vectors &&
                (state->kept.dims[d] == 1 || state->kept.strides[d][t] % state->vectors.lanes == 0);
    }
    along = state->kept.count == 1 || state->reduced.strides[state->reduced.ndims - 1][0] <=
                                          state->kept.strides[state->kept.ndims - 1][0];
    state->tile = cuda_tile_choose(state->kept.count, state->reduced.count, along);
    state->splits = cuda_reduce_splits(state->tile, state->kept.count, state->reduced.count, plan);
    state->vector_splits =
        cuda_reduce_splits(state->tile, state->kept.count, state->vectors.count, plan);
}

/* `job` has pointers, factors and parameters. */
template <class Op>
static int32_t cuda_reduce_run(const cuda_reduce_plan *state, const cuda_call *call,
                               cuda_reduce_job<Op> *job)
{
    uintptr_t addresses = 0;
    int32_t status = CUDA_SUCCESS_STATUS, dropped;
    void *parts = nullptr;
    int vectors;
    int64_t blocks;

    for (int t = 0; t < Op::IN; t++)
        addresses |= (uintptr_t)job->data[t];
    vectors = state->can_vectors && state->tile.along && addresses % sizeof(uint4) == 0;
    job->kept = state->kept;
    job->reduced = vectors ? state->vectors : state->reduced;
    job->tile = state->tile;
    job->splits = vectors ? state->vector_splits : state->splits;
    job->chunk = cuda_blocks(job->reduced.count, job->splits);
    blocks = cuda_blocks(job->kept.count, INT64_C(1) << job->tile.log_x);
    if (job->splits > 1)
        status =
            cuda_scratch_take(call->device, call->stream,
                              sizeof(typename Op::sum) * job->splits * job->kept.count, &parts);
    job->parts = (typename Op::sum *)parts;
    if (!status)
        status = cuda_launch(call, vectors ? cuda_reduce<Op, true> : cuda_reduce<Op, false>, blocks,
                             job->splits, *job);
    if (!status && parts)
        status = cuda_launch(call, cuda_reduce_join<Op>,
                             cuda_blocks(job->kept.count, CUDA_THREADS / CUDA_JOINERS), 1, *job);
    dropped = parts ? cuda_scratch_drop(call->device, call->stream, parts) : CUDA_SUCCESS_STATUS;
    return status ? status : dropped;
}

#endif
