/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of sums in registers before they are rounded to the type of the results: nothing, or
 * a bias and a ReLU. All else goes through conv_store.
 */
#ifndef CUDA_TENSORCORE_COMMON_BIASED_H
#define CUDA_TENSORCORE_COMMON_BIASED_H

#include "job.h"

/* Biases are read by twos, floats at the most. */
#define TC_BIAS_ALIGNMENT 8

/* Whether results are sums with a bias and an activation that leaves or cuts off, not scaled, and
 * go to a tensor that begins at a multiple of so many bytes. */
static inline bool tc_is_biased_by(const conv_output &output, size_t bytes)
{
    return output.bias && output.bias_step == 1 &&
           (uintptr_t)output.bias % TC_BIAS_ALIGNMENT == 0 && !output.z &&
           output.blend.alpha == 1 && (uintptr_t)output.data % bytes == 0 &&
           (output.f.mode == CUDA_IDENTITY || output.f.mode == CUDA_RELU ||
            output.f.mode == CUDA_CLIPPED_RELU);
}

/* What such an activation says, worked out once a call: no less, no more, whether a NaN stays. */
struct tc_bounds {
    float least, most;
    int32_t keeps_nan;
};

static inline tc_bounds tc_bounds_of(const cuda_activation &f)
{
    return {f.mode == CUDA_IDENTITY ? -INFINITY : 0,
            f.mode == CUDA_CLIPPED_RELU ? (float)f.coef : INFINITY,
            f.mode == CUDA_IDENTITY || f.nan_propagate};
}

/* Sums as they are. */
struct tc_as_they_are {
    __device__ float2 bias(int32_t) const
    {
        return {0, 0};
    }
    template <class E> __device__ float finish(E, float sum, float) const
    {
        return sum;
    }
};

/* The sum of two floats rounded to odd (see cuda_round_odd), by what Knuth's TwoSum says that the
 * nearest float lacks ("The Art of Computer Programming", volume 2, 4.2.2). Of an infinite sum or a
 * NaN that is a NaN, which changes nothing. */
__device__ static inline float tc_add_to_odd(float first, float second)
{
    float sum = first + second, part = sum - first;
    float lacks = (first - (sum - part)) + (second - part);
    uint32_t bits = cuda_bits_of(sum);

    if (!(lacks < 0 || lacks > 0))
        return sum;
    return cuda_float_of((lacks < 0) == (sum < 0) ? bits | 1 : (bits - 1) | 1);
}

/* With a bias for each n from `first_n` to `end` of C, and an activation that leaves or cuts
 * off: the bits that conv_store gives with the factor 1 and no z. It has nothing but references to
 * the parameters, which take no registers. */
template <class T> struct tc_biased {
    struct alignas(2 * sizeof(T)) pair {
        T first, second;
    };
    const conv_output &output;
    const tc_bounds &bounds;
    int32_t first_n, end;

    /* Of n = first_n + c and the next one, c being even. */
    __device__ float2 bias(int32_t c) const
    {
        if (first_n + c >= end)
            return {0, 0};
        pair two = *(const pair *)((const T *)output.bias + (first_n + c));
        return {cuda_load(two.first), cuda_load(two.second)};
    }
    __device__ float finish(float, float sum, float bias) const
    {
        return activate(sum + bias);
    }
    template <class E> __device__ float finish(E, float sum, float bias) const
    {
        return activate(tc_add_to_odd(sum, bias));
    }
    __device__ float activate(float value) const
    {
        float above = value > bounds.least ? value : bounds.least;
        float cut = above > bounds.most ? bounds.most : above;

        return bounds.keeps_nan && isnan(value) ? value : cut;
    }
};

#endif
