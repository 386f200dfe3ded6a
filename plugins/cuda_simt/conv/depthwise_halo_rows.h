/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of x that come to shared memory one by one, for warps that go down with a stride of 2. */
#ifndef CUDA_SIMT_CONV_DEPTHWISE_HALO_ROWS_H
#define CUDA_SIMT_CONV_DEPTHWISE_HALO_ROWS_H

#include "depthwise_halo.h"

/* Of a row, each of a unit's threads copies one vector of every fourth pixel. */
enum { COPIES = 4 };

/* Of a unit's thread, in the first row of x under tile `at`: the first vector that it copies, and
 * which of its pixels there are. */
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

/* Begins to copy a row, zeros if it is not `there`; `to` and `x` are of the thread's first vector.
 */
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
