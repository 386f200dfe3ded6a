/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling that halves planes of NHWC. A thread has 16 bytes of channels, one column of y and the
 * two columns of x that begin with it. It iterates down its strip. */
#ifndef CUDA_SIMT_POOLING_HALVING_NHWC_H
#define CUDA_SIMT_POOLING_HALVING_NHWC_H

#include "halving.h"

struct halving_channels_thread {
    int64_t sample;
    int channel, column, first; /* column of y; the strip's first row of y */
};

/* Computes the position of this thread. Returns false if it is outside the samples. */
__device__ static inline bool halving_channels_thread_of(const pooling_packed &p, int lanes,
                                                         halving_channels_thread *in_plane)
{
    const pooling_halving &h = p.halving;
    unsigned thread = blockIdx.x * CUDA_THREADS + threadIdx.x;
    unsigned column = cuda_divide(thread, h.by_vectors);
    unsigned strip = cuda_divide(column, h.by_columns);

    in_plane->channel = (int)(thread - column * (unsigned)p.vectors) * lanes;
    in_plane->column = (int)(column - strip * (unsigned)h.columns);
    in_plane->first = (int)(strip & ((1u << h.log_strips) - 1)) * h.rows;
    in_plane->sample = strip >> h.log_strips;
    return in_plane->sample < p.outer;
}

/* Reads COUNT neighbouring pixels of a row, beginning at `column`. */
template <class T, int COUNT>
__device__ static inline void halving_pixels(cuda_vector<T> to[], const T *row, int column,
                                             int wide, int channels, bool there, float outside)
{
#pragma unroll
    for (int c = 0; c < COUNT; c++) {
        if (there && column + c >= 0 && column + c < wide)
            cuda_vector_get(to[c], row + (column + c) * channels);
        else
            halving_fill(to[c], outside);
    }
}

#endif
