/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that share a row in softmax, and the values that they compute together. */
#ifndef CUDA_SIMT_SOFTMAX_ROWS_H
#define CUDA_SIMT_SOFTMAX_ROWS_H

#include "softmax.h"

struct cuda_row_thread {
    int64_t row;
    int member, size; /* number in the group; threads of the group */
};

__device__ static inline cuda_row_thread cuda_row_thread_of(const cuda_softmax_job &job)
{
    int size = 1 << job.log_group, t = (int)threadIdx.x;
    int64_t first = (int64_t)blockIdx.x * (CUDA_THREADS >> job.log_group);

    return {first + (t >> job.log_group), t & (size - 1), size};
}

/* Joins the values of a group of threads and returns the result to each of them. */
template <class Join>
__device__ static inline float cuda_join_row(float value, const cuda_row_thread &in_row,
                                             float slots[CUDA_THREADS / CUDA_WARP])
{
    int within = in_row.size < CUDA_WARP ? in_row.size : CUDA_WARP, warps = in_row.size / CUDA_WARP;
    int warp = (int)threadIdx.x / CUDA_WARP;

    for (int by = within / 2; by > 0; by /= 2)
        value = Join::join(value, __shfl_xor_sync(CUDA_ALL_LANES, value, by));
    if (warps < 2)
        return value;
    if (threadIdx.x % CUDA_WARP == 0)
        slots[warp] = value;
    __syncthreads();
    warp = warp / warps * warps;
    value = slots[warp];
    for (int w = 1; w < warps; w++)
        value = Join::join(value, slots[warp + w]);
    return value;
}

#endif
