/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the kernels of layer, group and RMS normalization for sets that the threads of a block
 * hold in registers, so that each element is read once. */
#ifndef CUDA_SIMT_NORMALIZATION_KINDS_ROWS_H
#define CUDA_SIMT_NORMALIZATION_KINDS_ROWS_H

#include "kinds.h"

/* Each function returns a kernel for elements of this type. `wide` selects access by 16 bytes
 * instead of by elements. */
cuda_kinds_kernel cuda_kinds_rows_kernel(int32_t type, int wide);
cuda_kinds_kernel cuda_kinds_rows_backward_kernel(int32_t type, int wide);

/* Adds the partial sums of `blocks` blocks to the gradients of scale and bias. */
struct cuda_kinds_columns_job {
    const float *partial; /* [blocks][2][columns] */
    void *gradient[2];    /* dscale, dbias; NULL if absent */
    int32_t type[2];
    int64_t columns;
    int32_t blocks;
};
int32_t cuda_kinds_columns_run(const cuda_call *call, const cuda_kinds_columns_job &job);

/* The statistics of a set in registers. The mean is the sum of the first two, which one number
 * would round. */
struct cuda_kinds_cell {
    float mean, shift, inv_dev;
};

/* Computes the statistics of v in two passes. The second one also finds the rounding of the mean,
 * and corrects the squares by it. Elements that do not exist are 0 in `v`, and `exists(s)` tells
 * whether step s exists. */
template <int STEPS, int LANES, class EXISTS>
__device__ static inline cuda_kinds_cell
cuda_kinds_statistics(const cuda_kinds_job &job, const float (&v)[STEPS][LANES], int size,
                      const EXISTS &exists, cuda_kinds_pair (*slots)[KINDS_WARP])
{
    cuda_kinds_cell cell = {0, 0, 0};
    cuda_kinds_pair sum = {0, 0};
    float count = 1 / (float)job.size, variance;

    if (!job.is_rms) {
#pragma unroll
        for (int s = 0; s < STEPS; s++)
#pragma unroll
            for (int i = 0; i < LANES; i++)
                sum.a += v[s][i];
        cell.mean = cuda_kinds_join(sum, size, slots[0]).a * count;
        sum.a = 0;
    }
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        if (exists(s)) {
#pragma unroll
            for (int i = 0; i < LANES; i++) {
                float difference = v[s][i] - cell.mean;

                sum.a += difference;
                sum.b += difference * difference;
            }
        }
    }
    sum = cuda_kinds_join(sum, size, slots[1]);
    cell.shift = job.is_rms ? 0 : sum.a * count;
    variance = sum.b * count - cell.shift * cell.shift;
    variance = variance < 0 ? 0 : variance; /* NaN stays */
    cell.inv_dev = 1 / sqrtf(variance + job.epsilon);
    return cell;
}

/* Computes the position of a vector in its set. */
struct cuda_kinds_place {
    int64_t element, within; /* number in the set and in the piece */
    int64_t piece;           /* number of the piece */
};

__device__ static inline cuda_kinds_place cuda_kinds_place_of(const cuda_kinds_job &job,
                                                              int32_t element)
{
    uint32_t piece = 0;

    if (job.piece < job.size)
        piece = (uint32_t)element / (uint32_t)job.piece;
    return {element, element - (int64_t)piece * job.piece, piece};
}

__device__ static inline int64_t cuda_kinds_offset(const cuda_kinds_job &job,
                                                   const cuda_kinds_place &place, int tensor)
{
    return place.piece * job.pitch[tensor] + place.within;
}

#endif
