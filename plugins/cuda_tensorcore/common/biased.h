/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of sums in registers before they are rounded to the type of the results: nothing, or
 * a bias and a ReLU. All else goes through conv_store.
 */
#ifndef CUDA_TENSORCORE_COMMON_BIASED_H
#define CUDA_TENSORCORE_COMMON_BIASED_H

#include "job.h"

/* What a bias and an activation that leaves or cuts off make of sums, without scaling them. */
static inline bool tc_is_biased(const conv_output &output)
{
    return output.bias && !output.z && output.blend.alpha == 1 &&
           (output.f.mode == CUDA_IDENTITY || output.f.mode == CUDA_RELU ||
            output.f.mode == CUDA_CLIPPED_RELU);
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

/* With a bias for each column from `column` to `end` of C, and an activation that leaves or cuts
 * off: the bits that conv_store gives with the factor 1 and no z. */
template <class T> struct tc_biased {
    const conv_output &output;
    int32_t column, end;

    /* Of columns c and c + 1 of the slab. */
    __device__ float2 bias(int32_t c) const
    {
        const T *from = (const T *)output.bias + (column + c) * output.bias_step;

        if (column + c >= end)
            return {0, 0};
        return {cuda_load(from[0]), cuda_load(from[output.bias_step])};
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
        return output.f.mode == CUDA_IDENTITY ? value : cuda_activate(output.f, value);
    }
};

#endif
