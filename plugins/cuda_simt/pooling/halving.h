/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pooling that halves a plane, as networks have it: windows of K x K with a stride of 2, K 3 with a
 * pad of 1 or K 2 without (K - 2 either way). A thread has two columns of x for each of y and walks
 * down its strip, so that a row of x is read once and what two windows share stays in registers:
 * a row that two have in common, or what it gives to them.
 * NCHW (halving_nchw_*.cu): a thread has 16 bytes of y and 32 of x in a row; neighbours in a row
 * hand each other the column between them. NHWC (halving_nhwc_*.cu): 16 bytes of channels.
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

/* What a row that is not there gives to a window. */
template <int MODE> __device__ static inline float halving_nothing(const pooling_shape &shape)
{
    return MODE == HALVING_AVERAGE ? 0 : shape.lowest;
}

/* One over the elements that count in window (o1, o2). */
__device__ static inline float halving_share(const pooling_shape &shape, int o1, int o2)
{
    int counted = pooling_counted(shape, 1, o1) * pooling_counted(shape, 2, o2);

    return counted == shape.volume ? 1.0f / (float)shape.volume : 1.0f / (float)counted;
}

/* Whether an element is that which a window's maximum y was taken from. Where y has no NaN, none
 * is looked for: one that stands for what lies outside never equals it. */
template <bool NANS> __device__ static inline bool halving_same(float x, float y, bool inside)
{
    return x == y || (NANS && inside && isnan(x) && isnan(y));
}

/* Gives what is left of a window's gradient to an element, if that is the one. */
template <bool NANS>
__device__ static inline void halving_give(float &to, float &left, float x, float y, bool inside)
{
    if (halving_same<NANS>(x, y, inside)) {
        to += left;
        left = 0;
    }
}

/* A vector of what stands for elements that do not exist. */
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
