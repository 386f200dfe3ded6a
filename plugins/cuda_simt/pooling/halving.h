/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling that halves a plane, as networks use it: windows of K x K with stride 2, where K is 3
 * with pad 1 or 2 without pad (the pad is K - 2). A thread has two columns of x for each column of
 * y and iterates down its strip. A row of x is thus read once, and values that two windows share
 * stay in registers: their common row, or its gradient.
 *
 * In NCHW (halving_nchw_*.cu), a thread has 16 bytes of y and 32 of x in a row, and neighbours
 * exchange the column between them. In NHWC (halving_nhwc_*.cu), it has 16 bytes of channels.
 */
#ifndef CUDA_SIMT_POOLING_HALVING_H
#define CUDA_SIMT_POOLING_HALVING_H

#include "device.h"

#define HALVING_ALL_LANES UINT32_MAX

template <int MODE> __device__ static inline float halving_take(float result, float value)
{
    if (MODE == HALVING_AVERAGE)
        return result + value;
    if (MODE == HALVING_MAX)
        return fmaxf(result, value);
    return value > result || isnan(value) ? value : result;
}

/* Returns the value of a row outside the input, which does not change a window's result. */
template <int MODE> __device__ static inline float halving_nothing(const pooling_shape &shape)
{
    return MODE == HALVING_AVERAGE ? 0 : shape.lowest;
}

/* Returns one over the number of elements that count in window (o1, o2). */
__device__ static inline float halving_share(const pooling_shape &shape, int o1, int o2)
{
    int counted = pooling_counted(shape, 1, o1) * pooling_counted(shape, 2, o2);

    return counted == shape.volume ? 1.0f / (float)shape.volume : 1.0f / (float)counted;
}

/* Returns true if an element can be the one that a window's maximum y was taken from. If y has no
 * NaN, NANS is false and only equal numbers match. A NaN that stands for an element outside then
 * never matches. */
template <bool NANS> __device__ static inline bool halving_same(float x, float y, bool inside)
{
    return x == y || (NANS && inside && isnan(x) && isnan(y));
}

/* Adds the rest of a window's gradient to an element if its value equals y, and clears the rest. */
template <bool NANS>
__device__ static inline void halving_give(float &to, float &left, float x, float y, bool inside)
{
    if (halving_same<NANS>(x, y, inside)) {
        to += left;
        left = 0;
    }
}

/* Fills a vector with the value of elements that do not exist. */
template <class T> __device__ static inline void halving_fill(cuda_vector<T> &to, float outside)
{
#pragma unroll
    for (int lane = 0; lane < cuda_vector<T>::LANES; lane++)
        cuda_store(&to.lane[lane], outside);
}

template <class T> __device__ static inline bool halving_has_nan(const cuda_vector<T> &of)
{
    bool has = false;

#pragma unroll
    for (int lane = 0; lane < cuda_vector<T>::LANES; lane++)
        has = has || isnan(cuda_load(of.lane[lane]));
    return has;
}

#endif
