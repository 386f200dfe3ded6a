/* SPDX-License-Identifier: Apache-2.0 */
/* Computes activation functions and their gradients in our own code, for cases in which oneDNN's
 * results differ. */
#ifndef ONEDNN_ACTIVATE_H
#define ONEDNN_ACTIVATE_H

#include <anydnn/plugin.h>
#include <math.h>
#include <stdint.h>

/* The modes of struct anydnn_plugin_activation. */
enum {
    ONEDNN_SIGMOID = 0,
    ONEDNN_RELU = 1,
    ONEDNN_TANH = 2,
    ONEDNN_CLIPPED_RELU = 3,
    ONEDNN_ELU = 4,
    ONEDNN_IDENTITY = 5,
    ONEDNN_SWISH = 6,
    ONEDNN_ACTIVATION_END = 7,
    /* These two only in normalizations beyond the batch and in matrix products. */
    ONEDNN_GELU = ANYDNN_PLUGIN_ACTIVATION_GELU,
    ONEDNN_GELU_TANH = ANYDNN_PLUGIN_ACTIVATION_GELU_TANH
};

struct onednn_activation {
    int32_t mode;
    int32_t nan_propagate;
    double coef;
};

static inline int onednn_is_relu(const struct onednn_activation *activation)
{
    return activation->mode == ONEDNN_RELU || activation->mode == ONEDNN_CLIPPED_RELU;
}

/* Returns 1 / (1 + exp(-v)). exp() never gets a positive argument, so it cannot overflow. */
static inline double onednn_sigmoid(double v)
{
    double e = exp(-fabs(v));
    return v < 0 ? e / (1 + e) : 1 / (1 + e);
}

/* Returns the probability that a normal variable is at most v, without loss for small results. */
static inline double onednn_normal(double v)
{
    return erfc(v * -0.70710678118654752440) / 2;
}

/* Returns 2 sqrt(2 / pi) (v + 0.044715 v^3). (1 + tanh(u)) / 2 is the sigmoid of 2 u. */
static inline double onednn_gelu_argument(double v)
{
    return 1.59576912160573071176 * (v + 0.044715 * v * v * v);
}

/* Returns 1 for the modes that normalizations beyond the batch and matrix products have. */
static inline int onednn_activation_exists(int32_t mode)
{
    return (mode >= 0 && mode < ONEDNN_ACTIVATION_END) || mode == ONEDNN_GELU ||
           mode == ONEDNN_GELU_TANH;
}

/* Returns the activation of v. The NaN option applies to the two ReLUs only: without it, NaN
 * becomes 0. */
static inline double onednn_activate(const struct onednn_activation *activation, double v)
{
    double positive = v > 0 ? v : 0;

    switch (activation->mode) {
    case ONEDNN_SIGMOID:
        return onednn_sigmoid(v);
    case ONEDNN_TANH:
        return tanh(v);
    case ONEDNN_ELU:
        return v > 0 ? v : activation->coef * expm1(v);
    case ONEDNN_SWISH:
        return v * onednn_sigmoid(activation->coef * v);
    case ONEDNN_GELU:
        return v * onednn_normal(v);
    case ONEDNN_GELU_TANH:
        return v * onednn_sigmoid(onednn_gelu_argument(v));
    case ONEDNN_IDENTITY:
        return v;
    default:
        if (activation->nan_propagate && isnan(v))
            return v;
        return activation->mode == ONEDNN_CLIPPED_RELU && positive > activation->coef
                   ? activation->coef
                   : positive;
    }
}

/* Applies the activation to n values. ReLUs run without branches. */
static inline void onednn_activate_row(const struct onednn_activation *activation, double *v,
                                       int64_t n)
{
    if (!onednn_is_relu(activation) || activation->nan_propagate) {
        for (int64_t i = 0; i < n; i++)
            v[i] = onednn_activate(activation, v[i]);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        v[i] = v[i] > 0 ? v[i] : 0;
    for (int64_t i = 0; i < n && activation->mode == ONEDNN_CLIPPED_RELU; i++)
        v[i] = v[i] > activation->coef ? activation->coef : v[i];
}

/* Returns 1 if the activation passes the gradient at v. The reserve of batch normalization stores
 * this bit. */
static inline int onednn_passes(const struct onednn_activation *activation, double v)
{
    if (!onednn_is_relu(activation))
        return 1;
    return (v > 0) & !(activation->mode == ONEDNN_CLIPPED_RELU && v >= activation->coef);
}

/* Returns dy times the slope. y is the value of the activation; only swish and GELU use its
 * argument x. The result is 0 where a ReLU's slope is 0, whatever dy is. */
static inline double onednn_gradient(const struct onednn_activation *activation, double y,
                                     double dy, double x)
{
    double s;

    switch (activation->mode) {
    case ONEDNN_SIGMOID:
        return y * (1 - y) * dy;
    case ONEDNN_TANH:
        return (1 - y * y) * dy;
    case ONEDNN_ELU:
        return y >= 0 ? dy : (y + activation->coef) * dy;
    case ONEDNN_SWISH:
        s = onednn_sigmoid(activation->coef * x);
        return (s + activation->coef * x * s * (1 - s)) * dy;
    case ONEDNN_GELU:
        return (onednn_normal(x) + x * 0.39894228040143267794 * exp(-x * x / 2)) * dy;
    case ONEDNN_GELU_TANH:
        s = onednn_sigmoid(onednn_gelu_argument(x));
        return (s + x * s * (1 - s) * 1.59576912160573071176 * (1 + 3 * 0.044715 * x * x)) * dy;
    case ONEDNN_IDENTITY:
        return dy;
    default:
        return onednn_passes(activation, y) ? dy : 0;
    }
}

#endif
