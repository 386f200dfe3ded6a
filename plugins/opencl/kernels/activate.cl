/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the value and the gradient of the activation functions. */

enum { SIGMOID, RELU, TANH, CLIPPED_RELU, ELU, IDENTITY, SWISH };

/* Returns 1 / (1 + exp(-v)). exp() never gets a positive argument, so it cannot overflow. */
wide sigmoid(wide v)
{
    wide e = exp(-fabs(v));

    return v < 0 ? e / (1 + e) : 1 / (1 + e);
}

/* Returns the activation of v. ReLU and clipped ReLU map NaN to 0 unless NaN propagates. The other functions always
 * propagate NaN. */
wide activate(constant const struct job_activation *f, wide v)
{
    wide coef = NUMBER(f->coef), positive = v > 0 ? v : 0;

    switch (f->mode) {
    case RELU:
    case CLIPPED_RELU:
        if (f->nan_propagate && isnan(v))
            return v;
        return f->mode == CLIPPED_RELU && positive > coef ? coef : positive;
    case SIGMOID:
        return sigmoid(v);
    case TANH:
        return tanh(v);
    case ELU:
        return v > 0 ? v : coef * expm1(v);
    case SWISH:
        return v * sigmoid(coef * v);
    default:
        return v;
    }
}

/* Returns dy times the derivative. y is the value of the function; only swish uses its argument x. Where a ReLU has
 * slope 0 or y is NaN, the result is 0 for every dy. */
wide activation_gradient(constant const struct job_activation *f, wide y, wide dy, wide x)
{
    wide coef = NUMBER(f->coef), s;

    switch (f->mode) {
    case SIGMOID:
        return y * (1 - y) * dy;
    case TANH:
        return (1 - y * y) * dy;
    case ELU:
        return y >= 0 ? dy : (y + coef) * dy;
    case IDENTITY:
        return dy;
    case SWISH:
        s = sigmoid(coef * x);
        return (s + coef * x * s * (1 - s)) * dy;
    default:
        return y > 0 && !(f->mode == CLIPPED_RELU && y >= coef) ? dy : 0;
    }
}
