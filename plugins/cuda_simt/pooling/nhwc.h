/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling of NHWC. A thread handles 16 bytes of channels, or one channel, of windows (forward) or
 * positions (backward). A block has some channels of a tile, so that overlapping windows share its
 * cache. */
#ifndef CUDA_SIMT_POOLING_NHWC_H
#define CUDA_SIMT_POOLING_NHWC_H

#include "device.h"

/* The unit that a thread handles. */
template <class T, bool SINGLE> struct pooling_take_of {
    enum { LANES = 16 / sizeof(T) };
    typedef uint4 whole;
};
template <class T> struct pooling_take_of<T, true> {
    enum { LANES = 1 };
    typedef T whole;
};

template <class T, bool SINGLE> union pooling_lanes {
    enum { LANES = pooling_take_of<T, SINGLE>::LANES };
    typename pooling_take_of<T, SINGLE>::whole whole;
    T lane[LANES];
};

/* A thread's vector of channels, its sample and the first position of its tile. */
struct pooling_thread {
    int lane, slot, slots; /* its vector within the block; its number among the `slots` threads that
                              share this vector */
    int vector;
    int64_t sample;
    int first[POOLING_DIMS];
};

__device__ static inline pooling_thread pooling_thread_of(const pooling_packed &p)
{
    pooling_thread made;
    unsigned outer = pooling_first(p.tile, blockIdx.x / (unsigned)p.chunks, made.first);

    made.lane = (int)threadIdx.x & (p.lanes - 1);
    made.slot = (int)threadIdx.x / p.lanes;
    made.slots = CUDA_THREADS / p.lanes;
    made.vector = (int)(blockIdx.x % (unsigned)p.chunks) * p.lanes + made.lane;
    made.sample = outer;
    return made;
}

template <class T, bool SINGLE>
__device__ static inline void pooling_read(pooling_lanes<T, SINGLE> &to, const T *from)
{
    to.whole = *(const typename pooling_take_of<T, SINGLE>::whole *)from;
}

template <class T, bool SINGLE, int LANES>
__device__ static inline void pooling_store_lanes(T *to, const float result[LANES],
                                                  const cuda_blend &blend)
{
    pooling_lanes<T, SINGLE> out;

    if (blend.beta != 0)
        pooling_read<T, SINGLE>(out, to);
    pooling_blend_lanes<T, LANES>(out.lane, result, blend);
    *(typename pooling_take_of<T, SINGLE>::whole *)to = out.whole;
}

#endif
