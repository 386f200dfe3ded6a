/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the sum of a convolution to its output: applies the factors, and in the fused
 * operation z, the bias and the activation. */
#ifndef CUDA_COMMON_CONV_OUTPUT_H
#define CUDA_COMMON_CONV_OUTPUT_H

#include "activate.h"

struct conv_output {
    void *data;
    const void *z, *bias; /* z is NULL if not added; bias is NULL in the plain operation */
    int64_t bias_step;
    cuda_blend blend; /* beta is the factor of z in the fused operation */
    cuda_activation f;
    int32_t type, bias_type; /* for types selected at run time; z has the type of the data */
};

/* Returns alpha * sum + beta * z + bias, the argument of the activation. */
CUDA_BOTH double conv_fuse(const conv_output &output, double sum, double z, double bias)
{
    double value = output.blend.alpha * sum;

    if (output.z)
        value += output.blend.beta * z;
    return value + bias;
}

/* Returns the activation of `value`, computed in float unless the output is double. If the
 * output has 16 bits, the value is first rounded to odd. If the activation leaves it unchanged,
 * rounding it to 16 bits then gives the same result as rounding the double. */
__device__ static inline double conv_activate(const cuda_activation &f, double value,
                                              const double *)
{
    return cuda_activate(f, value);
}

__device__ static inline float conv_activate(const cuda_activation &f, double value, const float *)
{
    return cuda_activate(f, (float)value);
}

template <class T>
__device__ static inline float conv_activate(const cuda_activation &f, double value, const T *)
{
    return cuda_activate(f, cuda_round_odd(value));
}

/* Stores the sum of output channel `channel`, to which `z` is added if the output has a z. `at` is
 * the offset in the output. */
template <class T, class A>
__device__ static inline void conv_store_with(const conv_output &output, int64_t at, T z,
                                              int64_t channel, A sum)
{
    T *to = (T *)output.data + at;
    double value;

    if (!output.bias) {
        cuda_blend_store(to, sum, output.blend);
        return;
    }
    value = conv_fuse(output, (double)sum, output.z ? (double)cuda_load(z) : 0,
                      (double)cuda_load(((const T *)output.bias)[channel * output.bias_step]));
    cuda_store(to, conv_activate(output.f, value, to));
}

/* Stores the sum of output channel `channel`. `at` and `z` are offsets in the output and in z. */
template <class T, class A>
__device__ static inline void conv_store(const conv_output &output, int64_t at, int64_t z,
                                         int64_t channel, A sum)
{
    conv_store_with(output, at, output.z ? ((const T *)output.z)[z] : T(), channel, sum);
}

/* Stores the sum like conv_store, for types selected at run time. It computes in double. */
__device__ static inline void conv_store_any(const conv_output &output, int64_t at, int64_t z,
                                             int64_t channel, double sum)
{
    double value;

    if (!output.bias) {
        cuda_blend_store_any(output.type, output.data, at, sum, output.blend);
        return;
    }
    value = conv_fuse(output, sum, output.z ? cuda_load_any(output.type, output.z, z) : 0,
                      cuda_load_any(output.bias_type, output.bias, channel * output.bias_step));
    cuda_store_any(output.type, output.data, at, cuda_activate(output.f, value));
}

#endif
