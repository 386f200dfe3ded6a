/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the value and the gradient of activation functions, for the activation operations and
 * for operations that fuse one. */
#ifndef CUDA_COMMON_ACTIVATE_H
#define CUDA_COMMON_ACTIVATE_H

#include "element.h"

/* The modes of struct anydnn_plugin_activation. */
enum {
    CUDA_SIGMOID = 0,
    CUDA_RELU = 1,
    CUDA_TANH = 2,
    CUDA_CLIPPED_RELU = 3,
    CUDA_ELU = 4,
    CUDA_IDENTITY = 5,
    CUDA_SWISH = 6
};

struct cuda_activation {
    int32_t mode;
    int32_t nan_propagate;
    double coef;
};

/* Returns 1 / (1 + exp(-v)). exp() never gets a positive argument, so it cannot overflow. */
template <class A> __device__ static inline A cuda_sigmoid(A v)
{
    A e = exp(-fabs(v));
    return v < 0 ? e / (1 + e) : 1 / (1 + e);
}

/* Returns tanh(v), computed from exp(2|v|). Near 0 that formula loses digits, so a minimax
 * polynomial in v squared replaces it. Both are computed, since either costs less than divergent
 * threads. The error is at most 2 units in the last place. */
__device__ static inline float cuda_tanh(float v)
{
    float size = fabsf(v), square = v * v;
    float far = 1 - __fdividef(2, __expf(2 * size) + 1);
    float near = 0x1.01e104p-6f;

    near = fmaf(near, square, -0x1.ac795cp-5f);
    near = fmaf(near, square, 0x1.10b282p-3f);
    near = fmaf(near, square, -0x1.5553dap-2f);
    near = fmaf(near * square, size, size);
    return copysignf(size < 0.55f ? near : far, v);
}

__device__ static inline double cuda_tanh(double v)
{
    return tanh(v);
}

/* Returns the value of an activation that needs an exponential. It is not inlined, so that
 * kernels without such an activation stay small. */
template <class A> __device__ __noinline__ A cuda_activate_curve(int32_t mode, A coef, A v)
{
    switch (mode) {
    case CUDA_SIGMOID:
        return cuda_sigmoid(v);
    case CUDA_TANH:
        return cuda_tanh(v);
    case CUDA_ELU:
        return v > 0 ? v : coef * expm1(v);
    default:
        return v * cuda_sigmoid(coef * v);
    }
}

/* Returns the activation of v. ReLU and clipped ReLU map NaN to 0 unless nan_propagate is set.
 * The other functions always propagate NaN. */
template <class A> __device__ static inline A cuda_activate(const cuda_activation &f, A v)
{
    A coef = (A)f.coef, positive = v > 0 ? v : 0;

    switch (f.mode) {
    case CUDA_RELU:
    case CUDA_CLIPPED_RELU:
        if (f.nan_propagate && isnan(v))
            return v;
        return f.mode == CUDA_CLIPPED_RELU && positive > coef ? coef : positive;
    case CUDA_IDENTITY:
        return v;
    default:
        return cuda_activate_curve(f.mode, coef, v);
    }
}

template <class A> __device__ __noinline__ A cuda_swish_slope(A coef, A x)
{
    A s = cuda_sigmoid(coef * x);
    return s + coef * x * s * (1 - s);
}

/* Returns dy times the derivative. y is the value of the function; only swish uses its argument
 * x. If a ReLU has slope 0, the result is 0 for every dy. The result is also 0 if y is NaN, for
 * both NaN options, as in cuDNN. */
template <class A>
__device__ static inline A cuda_activation_gradient(const cuda_activation &f, A y, A dy, A x)
{
    A coef = (A)f.coef;

    switch (f.mode) {
    case CUDA_SIGMOID:
        return y * (1 - y) * dy;
    case CUDA_TANH:
        return (1 - y * y) * dy;
    case CUDA_ELU:
        return y >= 0 ? dy : (y + coef) * dy;
    case CUDA_IDENTITY:
        return dy;
    case CUDA_SWISH:
        return cuda_swish_slope(coef, x) * dy;
    default:
        return y > 0 && !(f.mode == CUDA_CLIPPED_RELU && y >= coef) ? dy : 0;
    }
}

#endif
