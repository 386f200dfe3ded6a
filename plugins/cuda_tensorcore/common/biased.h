/* SPDX-License-Identifier: Apache-2.0 */
/* Finishes sums in registers before they are rounded to the result type. They stay unchanged, or
 * get a bias and a ReLU. conv_store handles all other cases. */
#ifndef CUDA_TENSORCORE_COMMON_BIASED_H
#define CUDA_TENSORCORE_COMMON_BIASED_H

#include "job.h"

/* The alignment of biases in bytes. They are read in pairs of at most two floats. */
#define TC_BIAS_ALIGNMENT 8

/* Returns true if results are unscaled sums with a bias, without z, and the output is aligned to
 * `bytes` bytes. The activation must be the identity, ReLU or clipped ReLU. */
static inline bool tc_is_biased_by(const conv_output &output, size_t bytes)
{
    return output.bias && output.bias_step == 1 &&
           (uintptr_t)output.bias % TC_BIAS_ALIGNMENT == 0 && !output.z &&
           output.blend.alpha == 1 && (uintptr_t)output.data % bytes == 0 &&
           (output.f.mode == CUDA_IDENTITY || output.f.mode == CUDA_RELU ||
            output.f.mode == CUDA_CLIPPED_RELU);
}

/* The bounds of such an activation, computed once per call. If keeps_nan is 1, a NaN stays. */
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

/* The finisher that leaves sums unchanged. */
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

/* Returns the sum of two floats, rounded to odd (see cuda_round_odd). Knuth's TwoSum yields the
 * rounding error of the nearest float ("The Art of Computer Programming", volume 2, 4.2.2). If
 * the sum is infinite or NaN, the error is NaN and the sum is returned unchanged. */
__device__ static inline float tc_add_to_odd(float first, float second)
{
    float sum = first + second, part = sum - first;
    float lacks = (first - (sum - part)) + (second - part);
    uint32_t bits = cuda_bits_of(sum);

    if (!(lacks < 0 || lacks > 0))
        return sum;
    return cuda_float_of((lacks < 0) == (sum < 0) ? bits | 1 : (bits - 1) | 1);
}

/* The finisher that adds a bias for each n from `first_n` up to `end` of C, and applies such an
 * activation. Its results have the same bits as those of conv_store with factor 1 and without z.
 * It holds only references to the parameters, which occupy no registers. */
template <class T> struct tc_biased {
    struct alignas(2 * sizeof(T)) pair {
        T first, second;
    };
    const conv_output &output;
    const tc_bounds &bounds;
    int32_t first_n, end;

    /* Returns the biases of n = first_n + c and of the next n; c is even. */
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
