/* SPDX-License-Identifier: Apache-2.0 */
/* Defines what depthwise wgrad by halo tiles shares for all strides: rows of dy, products, and the
 * partial sums of a block. */
#ifndef CUDA_SIMT_CONV_DEPTHWISE_HALO_WGRAD_H
#define CUDA_SIMT_CONV_DEPTHWISE_HALO_WGRAD_H

#include "depthwise_halo.h"

template <class T>
__device__ static inline void read_dy(depthwise_lanes<T, 2> (&to)[UNIT], const T *from,
                                      int32_t along)
{
#pragma unroll
    for (int q = 0; q < UNIT; q++)
        to[q].whole = *(const decltype(to[q].whole) *)(from + q * along);
}

/* Adds the products of a row of x and a row of dy to the sums of a row of taps. */
template <class SHAPE>
__device__ static inline void add_products(float (&sum)[3][2], const float (&x)[SHAPE::UNDER][2],
                                           const float (&dy)[UNIT][2])
{
#pragma unroll
    for (int q = 0; q < UNIT; q++) {
#pragma unroll
        for (int s = 0; s < 3; s++) {
#pragma unroll
            for (int v = 0; v < 2; v++)
                sum[s][v] = fmaf(x[q * SHAPE::STRIDE + s][v], dy[q][v], sum[s][v]);
        }
    }
}

/* Adds up a block's sums and stores them as its partial sums. Overwrites `share`, whose contents
 * are no longer needed. */
template <class SHAPE>
__device__ static inline void give_part(const depthwise_job &job, const float (&sum)[3][3][2],
                                        float *share, int32_t slab, uint32_t stream)
{
#pragma unroll
    for (int i = 0; i < 18; i++)
        share[i * SHAPE::THREADS + threadIdx.x] = sum[i / 6][i / 2 % 3][i % 2];
    __syncthreads();
    for (int i = (int)threadIdx.x; i < 18 * SHAPE::LANES; i += SHAPE::THREADS) {
        int lane = i % SHAPE::LANES, which = i / SHAPE::LANES;
        float joined = 0;

#pragma unroll
        for (int u = 0; u < SHAPE::THREADS / SHAPE::LANES; u++)
            joined += share[which * SHAPE::THREADS + u * SHAPE::LANES + lane];
        job.partials[((int64_t)stream * 9 + which / 2) * job.channels + slab + 2 * lane +
                     which % 2] = joined;
    }
}

#endif
