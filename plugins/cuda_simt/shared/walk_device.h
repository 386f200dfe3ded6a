/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates an iteration (walk.h) on the device. */
#ifndef CUDA_SIMT_SHARED_WALK_DEVICE_H
#define CUDA_SIMT_SHARED_WALK_DEVICE_H

#include "../../cuda_common/index.h"
#include "walk.h"

/* Computes the offsets of the first N tensors at step i. */
template <int N>
__device__ static inline void cuda_walk_place(const cuda_walk &walk, int64_t i, int64_t at[N])
{
    int32_t d = walk.ndims - 1;

    for (int t = 0; t < N; t++)
        at[t] = 0;
    if (!walk.wide) {
        uint32_t left = (uint32_t)i;

        for (; d > 0; d--) {
            uint32_t next = cuda_divide(left, walk.divide[d]);
            int64_t index = left - next * (uint32_t)walk.dims[d];

#pragma unroll
            for (int t = 0; t < N; t++)
                at[t] += index * walk.strides[d][t];
            left = next;
        }
        i = left;
    } else {
        for (; d > 0; d--) {
            int64_t next = i / walk.dims[d], index = i - next * walk.dims[d];

#pragma unroll
            for (int t = 0; t < N; t++)
                at[t] += index * walk.strides[d][t];
            i = next;
        }
    }
#pragma unroll
    for (int t = 0; t < N; t++)
        at[t] += i * walk.strides[0][t];
}

#endif
