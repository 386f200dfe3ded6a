/* SPDX-License-Identifier: Apache-2.0 */
/* Copies single rows of x to shared memory, for warps that move down an image with a stride of
 * 2. */
#ifndef CUDA_SIMT_CONV_DEPTHWISE_HALO_ROWS_H
#define CUDA_SIMT_CONV_DEPTHWISE_HALO_ROWS_H

#include "depthwise_halo.h"

/* The copies of a thread per row: it copies one vector of every fourth pixel. */
enum { COPIES = 4 };

/* Returns the first vector that a thread copies from the first row of x under tile `at`. Sets the
 * bits of `columns` for those of its pixels that exist. */
template <class T, class SHAPE>
__device__ static inline const T *first_vector(const depthwise_job &job,
                                               const halo_unit<SHAPE> &unit, const halo_tile &at,
                                               int32_t slab, unsigned &columns)
{
    int32_t row = at.y * SHAPE::STRIDE + job.across.origin;
    int32_t column = at.x * SHAPE::STRIDE + job.along.origin + unit.lane / SHAPE::VECTORS;

    columns = depthwise_inside<COPIES>(column, COPIES, job.along.a_extent);
    return (const T *)job.a + at.image * job.x.image + slab + unit.lane % SHAPE::VECTORS * 8 +
           (int64_t)row * job.x.across + (int64_t)column * job.x.along;
}

/* Starts to copy a row, or zeros unless `there` is true. `to` and `x` are the addresses of the
 * thread's first vector. */
template <class T, class SHAPE>
__device__ static inline void copy_row(uint4 *to, const T *x, bool there, unsigned columns,
                                       const depthwise_job &job, int lane)
{
#pragma unroll
    for (int i = 0; i < COPIES; i++) {
        if ((i + 1) * COPIES <= SHAPE::WIDTH || lane / SHAPE::VECTORS < SHAPE::WIDTH - i * COPIES)
            copy_async<16>(to + i * SHAPE::LANES, x + i * COPIES * job.x.along,
                           there && columns >> i & 1);
    }
}

#endif
