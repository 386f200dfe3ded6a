/* SPDX-License-Identifier: Apache-2.0 */
/* Adds GELU in both forms to the activations, for the operations that have it (Hendrycks and Gimpel
 * 2016, "Gaussian Error Linear Units"). A is float or double. */
#ifndef CUDA_COMMON_GELU_H
#define CUDA_COMMON_GELU_H

#include "activate.h"

/* Returns the probability that a normal variable is at most v, without loss for small results. */
template <class A> __device__ static inline A cuda_normal(A v)
{
    return erfc(v * (A)-0.70710678118654752440) / 2;
}

/* Returns 2 sqrt(2 / pi) (v + 0.044715 v^3). (1 + tanh(u)) / 2 is the sigmoid of 2 u. */
template <class A> __device__ static inline A cuda_gelu_argument(A v)
{
    return (A)1.59576912160573071176 * (v + (A)0.044715 * v * v * v);
}

template <class A> __device__ static inline A cuda_activate_any(const cuda_activation &f, A v)
{
    if (f.mode == ANYDNN_PLUGIN_ACTIVATION_GELU)
        return v * cuda_normal(v);
    if (f.mode == ANYDNN_PLUGIN_ACTIVATION_GELU_TANH)
        return v * cuda_sigmoid(cuda_gelu_argument(v));
    return cuda_activate(f, v);
}

/* Returns dy times the derivative at x. The derivative of the probability is the normal density. */
template <class A>
__device__ static inline A cuda_activation_gradient_any(const cuda_activation &f, A dy, A x)
{
    A s, slope;

    if (f.mode == ANYDNN_PLUGIN_ACTIVATION_GELU)
        return (cuda_normal(x) + x * (A)0.39894228040143267794 * exp(-x * x / 2)) * dy;
    if (f.mode == ANYDNN_PLUGIN_ACTIVATION_GELU_TANH) {
        s = cuda_sigmoid(cuda_gelu_argument(x));
        slope = s * (1 - s);
        if (slope > 0) /* else x * x may overflow, and 0 * infinity is NaN */
            s += x * slope * (A)1.59576912160573071176 * (1 + 3 * (A)0.044715 * x * x);
        return s * dy;
    }
    return cuda_activation_gradient(f, cuda_activate(f, x), dy, x);
}

#endif
