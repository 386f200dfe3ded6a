/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of the sum of a convolution: factors, and in the fused operation z, bias and
 * activation.
 */
#ifndef CUDA_COMMON_CONV_OUTPUT_H
#define CUDA_COMMON_CONV_OUTPUT_H

#include "activate.h"

struct conv_output {
    void *data;
    const void *z, *bias; /* z NULL: not added; bias NULL: the plain operation */
    int64_t bias_step;
    cuda_blend blend; /* beta belongs to z in the fused operation */
    cuda_activation f;
    int32_t type, bias_type; /* where they are found at run time; z has that of the data */
};

/* activation(alpha * sum + beta * z + bias), before the activation. */
CUDA_BOTH double conv_fuse(const conv_output &output, double sum, double z, double bias)
{
    double value = output.blend.alpha * sum;

    if (output.z)
        value += output.blend.beta * z;
    return value + bias;
}

/* In float for the types that it holds. Rounded to odd, what the ReLUs leave as it is rounds to 16
 * bits as the double would. */
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

/* Stores the sum of the channel with number `channel`; `at` and `z` say where it lies. */
template <class T, class A>
__device__ static inline void conv_store(const conv_output &output, int64_t at, int64_t z,
                                         int64_t channel, A sum)
{
    T *to = (T *)output.data + at;
    double value;

    if (!output.bias) {
        cuda_blend_store(to, sum, output.blend);
        return;
    }
    value =
        conv_fuse(output, (double)sum, output.z ? (double)cuda_load(((const T *)output.z)[z]) : 0,
                  (double)cuda_load(((const T *)output.bias)[channel * output.bias_step]));
    cuda_store(to, conv_activate(output.f, value, to));
}

/* The same for types found at run time, in double throughout. */
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
