/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the value and the gradient of an activation function, for the activation operations and
 * for those that fuse one. */
#ifndef CPU_REF_ACTIVATE_H
#define CPU_REF_ACTIVATE_H

#include <math.h>
#include <stdint.h>

/* The modes of struct anydnn_plugin_activation. */
enum {
    CPU_REF_SIGMOID = 0,
    CPU_REF_RELU = 1,
    CPU_REF_TANH = 2,
    CPU_REF_CLIPPED_RELU = 3,
    CPU_REF_ELU = 4,
    CPU_REF_IDENTITY = 5,
    CPU_REF_SWISH = 6,
    CPU_REF_ACTIVATION_END = 7,
    CPU_REF_GELU = 1000,
    CPU_REF_GELU_TANH = 1001
};

/* Returns 1 / (1 + exp(-v)). exp() never gets a positive argument, so it cannot overflow. */
static inline double cpu_ref_sigmoid(double v)
{
    double e = exp(-fabs(v));
    return v < 0 ? e / (1 + e) : 1 / (1 + e);
}

/* Returns the probability that a normal variable is at most v, without loss for small results. */
static inline double cpu_ref_normal(double v)
{
    return erfc(v * -0.70710678118654752440) / 2;
}

/* Returns 2 sqrt(2 / pi) (v + 0.044715 v^3): GELU's other form is v sigmoid of it, since
 * (1 + tanh(u)) / 2 = sigmoid(2 u). */
static inline double cpu_ref_gelu_argument(double v)
{
    return 1.59576912160573071176 * (v + 0.044715 * v * v * v);
}

/* Returns the activation of v. The NaN option applies to ReLU and clipped ReLU: unless NaN
 * propagates, it becomes 0. The others always propagate NaN. */
static inline double cpu_ref_activate(int32_t mode, int32_t nan_propagate, double coef, double v)
{
    double positive;

    switch (mode) {
    case CPU_REF_SIGMOID:
        return cpu_ref_sigmoid(v);
    case CPU_REF_TANH:
        return tanh(v);
    case CPU_REF_ELU:
        return v > 0 ? v : coef * expm1(v);
    case CPU_REF_SWISH:
        return v * cpu_ref_sigmoid(coef * v);
    case CPU_REF_IDENTITY:
        return v;
    case CPU_REF_GELU:
        return v * cpu_ref_normal(v);
    case CPU_REF_GELU_TANH:
        return v * cpu_ref_sigmoid(cpu_ref_gelu_argument(v));
    default:
        if (nan_propagate && isnan(v))
            return v;
        positive = v > 0 ? v : 0;
        return mode == CPU_REF_CLIPPED_RELU && positive > coef ? coef : positive;
    }
}

/* Returns dy times the derivative. y is the value of the function; only swish and GELU use its
 * argument x (Hendrycks and Gimpel 2016, "Gaussian Error Linear Units"; the derivative of the
 * probability is the normal density). The result is 0 where the slope of the two ReLUs is 0,
 * whatever dy is. It is also 0 where y is NaN, for both NaN options, as in cuDNN. */
static inline double cpu_ref_activation_gradient(int32_t mode, double coef, double y, double dy,
                                                 double x)
{
    double s, slope;

    switch (mode) {
    case CPU_REF_SIGMOID:
        return y * (1 - y) * dy;
    case CPU_REF_TANH:
        return (1 - y * y) * dy;
    case CPU_REF_ELU:
        return y >= 0 ? dy : (y + coef) * dy;
    case CPU_REF_IDENTITY:
        return dy;
    case CPU_REF_SWISH:
        s = cpu_ref_sigmoid(coef * x);
        return (s + coef * x * s * (1 - s)) * dy;
    case CPU_REF_GELU:
        return (cpu_ref_normal(x) + x * 0.39894228040143267794 * exp(-x * x / 2)) * dy;
    case CPU_REF_GELU_TANH:
        s = cpu_ref_sigmoid(cpu_ref_gelu_argument(x));
        slope = s * (1 - s);
        if (slope > 0) /* else x * x may overflow, and 0 * infinity is NaN */
            s += x * slope * 1.59576912160573071176 * (1 + 3 * 0.044715 * x * x);
        return s * dy;
    default:
        return y > 0 && !(mode == CPU_REF_CLIPPED_RELU && y >= coef) ? dy : 0;
    }
}

#endif
