# SPDX-License-Identifier: Apache-2.0
"""Activation vectors. The oracle is PyTorch's functions in double. Backward uses only y and dy, as the specification
requires. Swish reads x instead of y, since its derivative is no function of y."""

import numpy as np
import torch
import torch.nn.functional as F

from vec_convolution import apart, layout, magnitude
from vec_softmax import blended
from vecfile import Case

# case name, dims, mode, coef, nan, layout of x and dx, of y and dy, alpha, beta, trait
CASES = [
    ("sigmoid", (2, 3, 5, 4), "sigmoid", None, None, "nchw", "nchw", 1, 0, ""),
    ("sigmoid_saturating", (3, 2, 4, 5), "sigmoid", None, None, "gapped", "permuted", 1, 0, "saturating"),
    ("sigmoid_in_place_blend", (2, 5, 3, 4), "sigmoid", None, None, "view", "view", 2, -0.5, "alias"),
    ("sigmoid_nan", (2, 3, 4, 5), "sigmoid", None, "ignore", "nchw", "nchw", 1, 0, "nan"),
    ("relu", (3, 2, 5, 4), "relu", None, None, "nchw", "nchw", 1, 0, "reals"),
    ("relu_views", (2, 5, 4, 3), "relu", None, None, "view", "permuted", -0.5, 2, ""),
    ("relu_nan_ignored", (2, 3, 5, 4), "relu", None, "ignore", "gapped", "nchw", 1, 0, "nan"),
    ("relu_nan_propagated", (2, 3, 5, 4), "relu", None, "propagate", "nchw", "gapped", 1, 0, "nan"),
    ("relu_in_place", (4, 3, 2, 5), "relu", None, None, "gapped", "gapped", 1, 0, "alias"),
    ("relu_alpha_zero", (2, 4, 3, 5), "relu", None, "propagate", "nchw", "nchw", 0, -1.5, "nan"),
    ("tanh_nhwc", (2, 5, 3, 4), "tanh", None, None, "nhwc", "nhwc", 1, 0, "reals"),
    ("tanh_volume_gaps", (2, 3, 4, 5, 1), "tanh", None, None, "gapped", "permuted", -1.5, 0.5, ""),
    ("tanh_saturating", (3, 5, 2, 4), "tanh", None, None, "nchw", "nchw", 1, 0, "saturating"),
    ("clipped_relu", (2, 4, 5, 3), "clipped_relu", 1.5, None, "nchw", "nchw", 1, 0, "clipped"),
    ("clipped_relu_permuted", (3, 4, 2, 5), "clipped_relu", 0.75, None, "permuted", "gapped", 1.5, 0, "clipped"),
    ("clipped_relu_nan_ignored", (2, 3, 5, 4), "clipped_relu", 1.0, "ignore", "nchw", "nchw", 1, 0, "nan"),
    ("clipped_relu_nan_propagated", (2, 3, 5, 4), "clipped_relu", 1.0, "propagate", "nchw", "view", 1, 0, "nan"),
    ("elu", (2, 5, 4, 3), "elu", 1.0, None, "nchw", "nchw", 1, 0, ""),
    ("elu_views", (3, 4, 5, 2), "elu", 0.75, None, "view", "permuted", 1, -0.25, ""),
    ("elu_nan_propagated", (2, 3, 4, 5), "elu", 0.5, "propagate", "gapped", "nchw", 1, 0, "nan"),
    ("elu_volume_in_place", (2, 3, 4, 1, 5), "elu", 1.25, None, "nchw", "nchw", 1, 0, "alias"),
    ("half_digits_relu", (2, 3, 5, 4), "relu", None, None, "gapped", "nchw", -1.25, 0, ""),
    ("half_digits_sigmoid", (2, 5, 3, 4), "sigmoid", None, None, "nchw", "view", 1, 0, ""),
    ("integer_relu_ties", (2, 3, 4, 5), "relu", None, None, "nchw", "gapped", 0.5, 0, ""),
    ("integer_relu_ties_blend", (3, 2, 5, 4), "relu", None, "propagate", "view", "nchw", -1.5, 1.5, ""),
    ("integer_relu_in_place", (2, 5, 3, 4), "relu", None, None, "permuted", "permuted", 1, 0, "alias"),
    ("integer_clipped_relu_ties", (2, 3, 5, 4), "clipped_relu", 20.5, None, "nhwc", "nhwc", 1, 0, ""),
    ("integer_sigmoid", (2, 4, 3, 5), "sigmoid", None, None, "nchw", "nchw", 200, 0, ""),
    ("integer_tanh", (3, 5, 2, 4), "tanh", None, None, "gapped", "nchw", -100, 1, ""),
    ("integer_elu", (2, 3, 4, 5), "elu", 30.25, None, "nchw", "permuted", 3, 0, ""),
    ("integer_swish", (2, 3, 1, 4, 5), "swish", 0.25, None, "nchw", "view", 2, -1, ""),
    ("double_digits_relu", (2, 3, 1, 4), "relu", None, None, "nchw", "permuted", 1, 0, ""),
    ("double_digits_tanh", (2, 3, 1, 4), "tanh", None, None, "view", "nchw", 1, 0, ""),
    ("relu_gradient_nan", (3, 2, 4, 5), "relu", None, "ignore", "nchw", "nchw", 1, 0, "gradient_nan"),
    ("relu_gradient_nan_blend", (2, 4, 3, 5), "relu", None, "propagate", "view", "gapped", -0.5, 2, "gradient_nan"),
    ("clipped_relu_gradient_nan", (2, 3, 5, 4), "clipped_relu", 1.0, "propagate", "nchw", "nchw", 1, 0, "gradient_nan"),
    ("elu_gradient_nan", (3, 2, 5, 4), "elu", 0.5, "ignore", "nchw", "nchw", 1, 0, "gradient_nan"),
    ("elu_zeros", (2, 3, 4, 5), "elu", 0.75, None, "nchw", "permuted", 1, 0, "zeros"),
    ("clipped_relu_ceiling", (2, 4, 3, 5), "clipped_relu", 0.75, None, "gapped", "nchw", 1, 0, "ceiling"),
    ("swish", (2, 3, 4, 5), "swish", 1.0, None, "nchw", "nchw", 1, 0, ""),
    ("swish_gaps", (3, 2, 5, 4), "swish", 1.5, None, "gapped", "permuted", 0.5, 1, ""),
    ("swish_negative", (2, 4, 3, 5), "swish", -0.5, None, "nhwc", "nhwc", 1, 0, "reals"),
    ("swish_in_place", (2, 5, 3, 4), "swish", 0.75, None, "view", "view", 1, 0, "alias"),
]


def forward(mode, coef, propagate, x):
    """Returns the activation, and the terms whose rounding bounds its error."""
    t = torch.from_numpy(x)
    if mode == "sigmoid":
        y = torch.sigmoid(t).numpy()
        return y, np.abs(y)
    if mode == "tanh":
        y = torch.tanh(t).numpy()
        return y, np.abs(y)
    if mode == "elu":
        low = abs(coef) * (np.exp(np.minimum(np.nan_to_num(x), 0.0)) + 1)
        return F.elu(t, coef).numpy(), np.where(x > 0, np.abs(x), low)
    if mode == "swish":
        s = torch.sigmoid(coef * t).numpy()
        y = x * s
        return y, np.abs(y) * (1 + np.abs(coef * x) * (1 - s))
    y = torch.clamp(t, min=0.0, max=coef if mode == "clipped_relu" else None).numpy()
    y = np.where(np.isnan(x), np.nan if propagate else 0.0, y)
    return y, np.abs(np.nan_to_num(y))


def slope(mode, coef, y, x):
    """Returns the derivative of the activation, a factor of dy, and the terms whose rounding bounds its error."""
    if mode == "sigmoid":
        return y * (1 - y), np.abs(y * (1 - y))
    if mode == "tanh":
        return 1 - y * y, 1 + y * y
    if mode == "elu":
        return np.where(y >= 0, 1.0, y + coef), np.where(y >= 0, 1.0, np.abs(y) + abs(coef))
    if mode == "swish":
        t = coef * x
        s = torch.sigmoid(torch.from_numpy(t)).numpy()
        d = s * (1 - s)
        return s + t * d, s + np.abs(t) * d * (1 + 2 + np.abs(t * (1 - 2 * s)))
    ceiling = coef if mode == "clipped_relu" else np.inf
    g = np.where((y > 0) & (y < ceiling), 1.0, 0.0)  # 0 where y is NaN, for both NaN options
    return g, g


def describe(c, mode, coef, nan, alpha, beta):
    c.param(activation=mode)
    if nan:
        c.param(nan=nan)
    if coef is not None:
        c.param(coef=float(coef))
    c.blend(alpha, beta)


def draw(c, mode, dims, coef, trait):
    if mode in ("sigmoid", "tanh", "elu", "swish"):
        c.spread = 2.0
    x = c.reals(dims, None if trait == "reals" else 5, 1.5)
    if trait == "saturating":
        x *= 8
        x.ravel()[:6] = [np.inf, -np.inf, 1000.0, -1000.0, 80.0, -80.0]
    if trait == "clipped":
        x.ravel()[:4] = [0.75, 1.5, 0.0, np.inf]
    if trait == "nan":
        x.ravel()[2::7] = np.nan
    if trait == "zeros":
        x.ravel()[1::4] = 0.0
    if trait == "ceiling":
        x.ravel()[::3] = coef
    return x


def plain(mode, alpha, beta):
    """Returns True if nothing is rounded before the store, so that the result must be equal."""
    return mode in ("relu", "clipped_relu") and beta == 0 and alpha == 1


def forward_case(name, dims, mode, coef, nan, lx, ly, alpha, beta, trait):
    c = Case("activation_forward", name)
    c.operand("x", dims, layout(lx, dims))
    c.operand("y", dims, layout(ly, dims))
    describe(c, mode, coef, nan, alpha, beta)
    if trait == "alias":
        c.param(alias="y:x")
    x = draw(c, mode, dims, coef, trait)
    c.feed("x", x)
    y, terms = forward(mode, coef, nan == "propagate", x)
    if plain(mode, alpha, beta):
        c.expect("y", y)
    else:
        blended(c, "y", y, terms, 1, alpha, beta, x if trait == "alias" else None)
    return c


def backward_case(name, dims, mode, coef, nan, lx, ly, alpha, beta, trait):
    c = Case("activation_backward", name)
    in_place = trait == "alias"
    ldy, ldx = apart(ly), apart(ly) if in_place else apart(lx)
    for role, word in (("y", ly), ("dy", ldy), ("x", lx), ("dx", ldx)):
        c.operand(role, dims, layout(word, dims))
    describe(c, mode, coef, nan, alpha, beta)
    if in_place:
        c.param(alias="dx:dy")
    x = draw(c, mode, dims, coef, trait)
    y = c.short(forward(mode, coef, True, x)[0], 12)
    dy = c.reals(dims, None if trait == "reals" else 5)
    if trait == "gradient_nan":
        dy.ravel()[1::3] = np.nan
    c.feed("y", y)
    c.feed("dy", dy)
    if mode == "swish":
        c.feed("x", x)
    else:
        # The contents of x must have no effect: only y and dy may be used.
        c.feed("x", c.reals(dims, 3))
    g, terms = slope(mode, coef, y, x)
    dx = np.where(g == 0, 0.0, dy * g) if "relu" in mode else dy * g
    if plain(mode, alpha, beta):
        c.expect("dx", dx)
    else:
        blended(c, "dx", dx, magnitude(dy) * terms, 1, alpha, beta, dy if in_place else None)
    return c


def make():
    return {"activation_forward": [forward_case(*row) for row in CASES],
            "activation_backward": [backward_case(*row) for row in CASES if row[0][:7] != "integer"]}
