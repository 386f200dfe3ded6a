/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of the reduction kernels, the data that a thread reads in a step, and how it adds
 * them. */
#ifndef CUDA_SIMT_SHARED_REDUCE_STEP_H
#define CUDA_SIMT_SHARED_REDUCE_STEP_H

#include "map.h"

/* The type of absent cells or parameters. */
struct cuda_nothing {
};

/* The layout of a block. */
struct cuda_tile {
    int32_t log_x; /* log2 of X; Y = CUDA_THREADS / X */
    int32_t along; /* 1: neighbouring threads are along the reduced dims; 0: along the results */
};

/* The bytes of sums that a block joins at a time. */
#define CUDA_REDUCE_SHARED 32768

/* The loads that a thread has in flight. */
#define CUDA_REDUCE_LOADS 4

/* The blocks of cuda_reduce_across on a multiprocessor, and the maximum splits of a result for each
 * multiprocessor. */
#define CUDA_REDUCE_ACROSS 2
#define CUDA_REDUCE_SPLITS 4

struct cuda_tile_thread {
    int x, y, size_x, size_y;
};

__device__ static inline cuda_tile_thread cuda_tile_thread_of(const cuda_tile &tile)
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
    typename Op::sum *partial_sums; /* [split][result] */
    cuda_tile tile;
    int64_t splits, chunk; /* steps of `reduced` in a split */
    int32_t log_joiners;   /* log2 of the threads that join the partial sums of one result */
};

/* ------------------------------------------------------------------ a step */

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

/* The data of a step: vectors, and the offsets of their first elements. */
template <class Op> struct cuda_reduce_step {
    cuda_vector<typename Op::T> vector[Op::IN];
    int64_t extra[Op::EXTRA + 1];
};

template <class Op>
__device__ static inline void cuda_reduce_read(const cuda_reduce_job<Op> &job,
                                               cuda_reduce_step<Op> &step, const int64_t base[],
                                               int64_t i)
{
    int64_t at[Op::IN + Op::EXTRA];

    cuda_walk_place<Op::IN + Op::EXTRA>(job.reduced, i, at);
#pragma unroll
    for (int t = 0; t < Op::IN; t++)
        cuda_vector_get(step.vector[t], (const typename Op::T *)job.data[t] + base[t] + at[t]);
#pragma unroll
    for (int t = 0; t < Op::EXTRA; t++)
        step.extra[t] = base[Op::IN + t] + at[Op::IN + t];
}

/* Adds one lane of a step; `stride` is the distance between lanes in the extra tensors. */
template <class Op>
__device__ static inline void
cuda_reduce_lane(const cuda_reduce_job<Op> &job, const cuda_reduce_step<Op> &step, int lane,
                 const int64_t stride[], const typename Op::cell &cell, typename Op::sum *sum,
                 int64_t i)
{
    typename cuda_arith<typename Op::T>::type in[Op::IN];
    int64_t extra[Op::EXTRA + 1];

#pragma unroll
    for (int t = 0; t < Op::IN; t++)
        in[t] = cuda_load(step.vector[t].lane[lane]);
#pragma unroll
    for (int t = 0; t < Op::EXTRA; t++)
        extra[t] = step.extra[t] + lane * stride[Op::IN + t];
    Op::add(job.params, cell, sum, in, extra, i);
}

/* ------------------------------------------------------------------ runs */

/* The numbers of a row that are added in float. */
#define CUDA_ROWS_RUN 8

/* Adds numbers pairwise, COUNT / 2 pairs at first, until one number is left. */
template <int COUNT> __device__ static inline float cuda_run_sum(const float number[])
{
    if constexpr (COUNT == 1) {
        return number[0];
    } else {
        float half[COUNT / 2];

#pragma unroll
        for (int i = 0; i < COUNT / 2; i++)
            half[i] = number[i] + number[i + COUNT / 2];
        return cuda_run_sum<COUNT / 2>(half);
    }
}

/* The functions that sums of plain numbers need in reduce_rows.h. */
template <class Params> struct cuda_plain_runs {
    static bool takes_runs(const Params &)
    {
        return true;
    }
    static __device__ float padding(const cuda_nothing &)
    {
        return 0;
    }
    static __device__ void run(const cuda_nothing &, const float in[][CUDA_ROWS_RUN], float to[])
    {
        to[0] = cuda_run_sum<CUDA_ROWS_RUN>(in[0]);
    }
    static __device__ void take(const cuda_nothing &, double *to, const float run[])
    {
        *to += (double)run[0];
    }
};

#endif
