/* SPDX-License-Identifier: Apache-2.0 */
/* Divisive normalization by threads that iterate down an image in windows of 5 x 5, each with 8
 * elements of a row (divisive_channels.cu, divisive_planes.cu): row sums in registers, and values
 * kept in shared memory. */
#ifndef CUDA_SIMT_NORMALIZATION_DIVISIVE_ROWS_H
#define CUDA_SIMT_NORMALIZATION_DIVISIVE_ROWS_H

#include "../shared/copy_async.h"
#include "window_sums.h"

/* The reach of a window, and its rows. */
#define REACH 2
#define ROWS  5

/* The rows in flight in the backward pass, a power of two. A multiprocessor has 32 KB or more of
 * them, so that memory is busy while its threads compute. */
template <class T> struct backward_ahead {
    enum { ROWS_AHEAD = sizeof(T) == 2 ? 4 : 2 };
};

/* Sets the usual factors, beta 3/4 and plain results, as constants for the compiler. Such kernels
 * have a sixth of the code and no tests per row. */
template <class P> __device__ static inline void make_usual(P &p)
{
    p.f.three_quarters = 1;
    p.blend.alpha = 1;
    p.blend.beta = 0;
}

__device__ static inline void spread(const float4 &from, float to[4])
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
    to[3] = from.w;
}

/* Keeps a thread's own values in shared memory, because registers do not suffice. */
template <int THREADS>
__device__ static inline void keep(float4 to[2][THREADS], const float value[LRN_RUN][1])
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const float(*from)[1] = value + i * 4;

        to[i][threadIdx.x] = {from[0][0], from[1][0], from[2][0], from[3][0]};
    }
}

template <int THREADS>
__device__ static inline void fetch(const float4 from[2][THREADS], float value[LRN_RUN])
{
#pragma unroll
    for (int i = 0; i < 2; i++)
        spread(from[i][threadIdx.x], value + i * 4);
}

__device__ static inline void sum_rows(const float ring[ROWS][LRN_RUN], float sum[LRN_RUN][1])
{
#pragma unroll
    for (int i = 0; i < LRN_RUN; i++)
        sum[i][0] = ring[0][i] + ring[1][i] + ring[2][i] + ring[3][i] + ring[4][i];
}

#endif
