/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling that halves planes of NCHW: the position of a thread, and the columns of a row. A row of
 * y has a group of threads: a power of two, at most a warp. */
#ifndef CUDA_SIMT_POOLING_HALVING_NCHW_H
#define CUDA_SIMT_POOLING_HALVING_NCHW_H

#include "halving.h"

struct halving_row_thread {
    int64_t plane;
    int t, first; /* thread of the group; the strip's first row of y */
    bool there;   /* 1 if the plane and the thread's columns exist */
};

__device__ static inline halving_row_thread halving_row_thread_of(const pooling_packed &p)
{
    const pooling_halving &h = p.halving;
    int64_t unit = ((int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x) >> h.log_threads;
    int t = (int)threadIdx.x & ((1 << h.log_threads) - 1);
    int64_t plane = unit >> h.log_strips;

    return {plane, t, ((int)unit & ((1 << h.log_strips) - 1)) * h.rows,
            plane < p.outer && t < h.row_threads};
}

/* A thread's elements of a row of x, unconverted. */
template <class T> struct halving_raw {
    cuda_vector<T> vector[2];
};

template <class T>
__device__ static inline void halving_read(halving_raw<T> &to, const T *row, bool there,
                                           float outside)
{
    if (there) {
        cuda_vector_get(to.vector[0], row);
        cuda_vector_get(to.vector[1], row + cuda_vector<T>::LANES);
    } else {
        halving_fill(to.vector[0], outside);
        halving_fill(to.vector[1], outside);
    }
}

/* Converts the elements to numbers. If K is 3, the column before them comes first; the previous
 * thread has it too. */
template <class T, int K>
__device__ static inline void halving_numbers(const halving_raw<T> &from, int t, float outside,
                                              float to[])
{
    enum { LANES = cuda_vector<T>::LANES, LEAD = K - 2 };

#pragma unroll
    for (int c = 0; c < 2 * LANES; c++)
        to[LEAD + c] = cuda_load(from.vector[c / LANES].lane[c % LANES]);
    if (K == 3) {
        float before = __shfl_up_sync(HALVING_ALL_LANES, to[2 * LANES], 1);

        to[0] = t > 0 ? before : outside;
    }
}

#endif
