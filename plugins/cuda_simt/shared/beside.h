/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for operations that combine each element with the data of its cell, which is prepared
 * once for many elements. Op has
 *   T             the element type of the output and of the inputs, which is not double
 *   IN, EXTRA     the number of inputs, and of tensors that determine an element's cell; the
 *                 iteration has the output, the inputs and these
 *   params        the parameters of the formula
 *   cell, make_cell(params, at)    the cell for these offsets in the extra tensors
 *   compute(params, cell, in)      from IN numbers to one */
#ifndef CUDA_SIMT_SHARED_BESIDE_H
#define CUDA_SIMT_SHARED_BESIDE_H

#include "map.h"

/* The position of neighbouring elements: in planes with one cell each, or in rows in which each
 * element has a cell of its own. In the second form, all rows have the same cells. */
enum { CUDA_BESIDE_NEITHER, CUDA_BESIDE_PLANES, CUDA_BESIDE_ROWS };

/* The rows of a thread, and the vectors that it loads at once. */
#define CUDA_BESIDE_ROWS_EACH 16
#define CUDA_BESIDE_AT_ONCE   4

template <class Op> struct cuda_beside_job {
    cuda_walk walk; /* in vectors; in the form by rows, it has two dims */
    void *data[1 + Op::IN];
    cuda_blend blend;
    typename Op::params params;
    int32_t log_x; /* log2 of the threads along a row */
    int32_t plane; /* vectors of a plane */
};

template <class Op>
__device__ static inline void cuda_beside_read(const cuda_beside_job<Op> &job, const int64_t at[],
                                               cuda_vector<typename Op::T> in[])
{
#pragma unroll
    for (int t = 0; t < Op::IN; t++)
        cuda_vector_get(in[t], (const typename Op::T *)job.data[1 + t] + at[1 + t]);
}

/* Computes and stores a vector; the cell of lane i is cell[i * by]. */
template <class Op>
__device__ static inline void cuda_beside_write(const cuda_beside_job<Op> &job, const int64_t at[],
                                                const cuda_vector<typename Op::T> in[],
                                                const typename Op::cell cell[], int by)
{
    enum { LANES = cuda_vector<typename Op::T>::LANES };
    float out[LANES];

#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        float from[Op::IN];

#pragma unroll
        for (int t = 0; t < Op::IN; t++)
            from[t] = cuda_load(in[t].lane[lane]);
        out[lane] = Op::compute(job.params, cell[lane * by], from);
    }
    cuda_vector_store((typename Op::T *)job.data[0] + at[0], out, job.blend);
}

/* Computes planes. A thread has vectors of one plane, whose distance is the length of the
 * iteration's last dim. */
template <class Op>
__global__ void __launch_bounds__(CUDA_THREADS) cuda_beside_planes(cuda_beside_job<Op> job)
{
    enum { TENSORS = 1 + Op::IN, AT_ONCE = CUDA_BESIDE_AT_ONCE / Op::IN };
    int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x, at[TENSORS + Op::EXTRA];
    int last = job.walk.ndims - 1, by = (int)job.walk.dims[last], v;
    cuda_vector<typename Op::T> in[AT_ONCE][Op::IN];
    int64_t offset[AT_ONCE][TENSORS];
    typename Op::cell cell;

    if (i >= job.walk.count)
        return;
    cuda_walk_place<TENSORS + Op::EXTRA>(job.walk, i, at);
    v = job.walk.wide ? (int)(i % by)
                      : (int)((uint32_t)i - cuda_divide((uint32_t)i, job.walk.divide[last]) * by);
#pragma unroll
    for (int s = 0; s < AT_ONCE; s++) {
        for (int t = 0; t < TENSORS; t++)
            offset[s][t] = at[t] + s * by * job.walk.strides[last][t];
        if (v + s * by < job.plane)
            cuda_beside_read(job, offset[s], in[s]);
    }
    cell = Op::make_cell(job.params, at + TENSORS);
#pragma unroll
    for (int s = 0; s < AT_ONCE; s++) {
        if (v + s * by < job.plane)
            cuda_beside_write(job, offset[s], in[s], &cell, 0);
    }
}

template <class Op>
__global__ void __launch_bounds__(CUDA_THREADS) cuda_beside_rows(cuda_beside_job<Op> job)
{
    enum { LANES = cuda_vector<typename Op::T>::LANES, AT_ONCE = CUDA_BESIDE_AT_ONCE / Op::IN };
    int x = (int)threadIdx.x & ((1 << job.log_x) - 1), rows = CUDA_THREADS >> job.log_x;
    int64_t column = ((int64_t)blockIdx.y << job.log_x) + x;
    int64_t row = (int64_t)blockIdx.x * rows * CUDA_BESIDE_ROWS_EACH + (threadIdx.x >> job.log_x);
    typename Op::cell cell[LANES];

    if (column >= job.walk.dims[1])
        return;
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        int64_t extra[Op::EXTRA];

        for (int t = 0; t < Op::EXTRA; t++)
            extra[t] = (column * LANES + lane) * job.walk.lane[1 + Op::IN + t];
        cell[lane] = Op::make_cell(job.params, extra);
    }
    for (int step = 0; step < CUDA_BESIDE_ROWS_EACH; step += AT_ONCE) {
        cuda_vector<typename Op::T> in[AT_ONCE][Op::IN];
        int64_t at[AT_ONCE][1 + Op::IN];

#pragma unroll
        for (int s = 0; s < AT_ONCE; s++) {
            int64_t r = row + (step + s) * rows;

            for (int t = 0; t < 1 + Op::IN; t++)
                at[s][t] = r * job.walk.strides[0][t] + column * LANES;
            if (r < job.walk.dims[0])
                cuda_beside_read(job, at[s], in[s]);
        }
#pragma unroll
        for (int s = 0; s < AT_ONCE; s++) {
            if (row + (step + s) * rows < job.walk.dims[0])
                cuda_beside_write(job, at[s], in[s], cell, 1);
        }
    }
}

/* ------------------------------------------------------------------ on the host */

/* Returns the form for a map with `in` inputs and `extra` tensors of cells. */
static inline int32_t cuda_beside_form(const cuda_map_plan *map, int in, int extra)
{
    const cuda_walk *walk = &map->vectors;
    int one = 1, rows = walk->ndims == 2;

    if (!map->can_vectors || walk->tail || walk->dims[walk->ndims - 1] > INT32_MAX / 4)
        return CUDA_BESIDE_NEITHER;
    for (int t = 1; t < 1 + in; t++)
        one = one && walk->lane[t] == 1;
    rows = rows && one;
    for (int t = 1 + in; t < 1 + in + extra; t++) {
        one = one && walk->lane[t] == 0;
        rows = rows && walk->strides[0][t] == 0;
    }
    return one ? CUDA_BESIDE_PLANES : rows ? CUDA_BESIDE_ROWS : CUDA_BESIDE_NEITHER;
}

/* Shortens the last dim to the part that has a thread's first vectors. */
static inline void cuda_beside_cut(cuda_walk *walk, int32_t at_once)
{
    int32_t d = walk->ndims - 1;
    int64_t part = cuda_blocks(walk->dims[d], at_once);

    walk->count = walk->count / walk->dims[d] * part;
    walk->dims[d] = part;
    walk->divide[d] = cuda_divisor_of(part);
}

/* Launches the kernel of `form`. `job` has pointers, factors and parameters. */
template <class Op>
static int32_t cuda_beside_run(const cuda_map_plan *map, int32_t form, const cuda_call *call,
                               cuda_beside_job<Op> *job)
{
    int64_t each;

    job->walk = map->vectors;
    if (form == CUDA_BESIDE_PLANES) {
        job->plane = (int32_t)job->walk.dims[job->walk.ndims - 1];
        cuda_beside_cut(&job->walk, CUDA_BESIDE_AT_ONCE / Op::IN);
        return cuda_launch(call, cuda_beside_planes<Op>, cuda_blocks(job->walk.count, CUDA_THREADS),
                           1, *job);
    }
    while (job->log_x < 5 && INT64_C(1) << job->log_x < job->walk.dims[1])
        job->log_x++;
    each = (int64_t)(CUDA_THREADS >> job->log_x) * CUDA_BESIDE_ROWS_EACH;
    return cuda_launch(call, cuda_beside_rows<Op>, cuda_blocks(job->walk.dims[0], each),
                       cuda_blocks(job->walk.dims[1], INT64_C(1) << job->log_x), *job);
}

#endif
