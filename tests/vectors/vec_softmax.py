# SPDX-License-Identifier: Apache-2.0
"""Softmax vectors. The oracle is PyTorch's softmax and log_softmax in double and their derivatives. Rows that contain
only -Inf have cuDNN's results (tests/probes)."""

import numpy as np
import torch

from vec_convolution import apart, layout, magnitude
from vecfile import Case

# case name, dims, algorithm, mode, layout of x, of y, alpha, beta, trait
CASES = [
    ("accurate", (3, 5, 2, 4), "accurate", "channel", "nchw", "nchw", 1, 0, ""),
    ("accurate_views", (2, 7, 3, 4), "accurate", "channel", "view", "permuted", -0.5, 2, ""),
    ("accurate_instance", (3, 4, 2, 5), "accurate", "instance", "nchw", "nchw", 1, 0, "reals"),
    ("accurate_instance_gaps", (4, 2, 3, 5), "accurate", "instance", "gapped", "nhwc", 1.5, 0, ""),
    ("accurate_large", (2, 6, 3, 4), "accurate", "channel", "nchw", "gapped", 1, 0, "large"),
    ("accurate_far_apart", (3, 5, 4, 2), "accurate", "channel", "nchw", "permuted", 1, 0, "apart"),
    ("half_digits_accurate", (2, 3, 4, 5), "accurate", "instance", "view", "nchw", 1, 0, ""),
    ("accurate_infinite", (2, 5, 3, 4), "accurate", "channel", "permuted", "nchw", 1, 0, "infinite"),
    ("accurate_in_place", (3, 6, 2, 4), "accurate", "channel", "gapped", "gapped", 1, 0, "alias"),
    ("accurate_in_place_blend", (2, 3, 4, 5), "accurate", "instance", "nchw", "nchw", 2, -0.5, "alias"),
    ("accurate_volume", (2, 5, 3, 4, 1), "accurate", "channel", "view", "nchw", 1, 0, ""),
    ("accurate_volume_instance", (3, 2, 4, 1, 5), "accurate", "instance", "permuted", "gapped", 1, 1, ""),
    ("accurate_one_channel", (3, 1, 4, 2), "accurate", "channel", "nchw", "nchw", 1, 0, ""),
    ("fast", (3, 5, 4, 2), "fast", "channel", "nchw", "nchw", 1, 0, ""),
    ("fast_nhwc", (2, 6, 5, 3), "fast", "channel", "nhwc", "nhwc", 0.75, 0.5, ""),
    ("fast_instance_views", (2, 3, 5, 4), "fast", "instance", "view", "view", 1, 0, ""),
    ("log", (3, 7, 4, 2), "log", "channel", "nchw", "nchw", 1, 0, "reals"),
    ("log_permuted", (2, 5, 4, 3), "log", "channel", "permuted", "gapped", -1, 0.25, ""),
    ("log_instance", (4, 3, 2, 5), "log", "instance", "nchw", "view", 1, 0, ""),
    ("log_large", (2, 4, 3, 5), "log", "channel", "gapped", "nchw", 1, 0, "large"),
    ("log_far_apart", (2, 5, 3, 4), "log", "channel", "nchw", "gapped", 1, 0, "apart"),
    ("half_digits_log", (2, 5, 4, 3), "log", "channel", "gapped", "nchw", 1, 0, ""),
    ("integer_accurate", (2, 5, 3, 4), "accurate", "channel", "nchw", "gapped", 200, 0, ""),
    ("integer_accurate_rounds_to_0", (2, 5, 4, 3), "accurate", "channel", "permuted", "nchw", 1, 0, ""),
    ("integer_accurate_instance", (3, 2, 3, 2), "accurate", "instance", "nchw", "nchw", -500, 0, ""),
    ("integer_fast_blend", (2, 4, 3, 5), "fast", "channel", "view", "nhwc", 90, 3, ""),
    ("integer_log", (2, 5, 3, 4), "log", "channel", "nchw", "nchw", 1, 0, ""),
    ("integer_log_blend", (3, 4, 2, 5), "log", "instance", "gapped", "permuted", -10, -2, ""),
    ("log_infinite", (2, 5, 4, 3), "log", "channel", "nchw", "nchw", 1, 0, "infinite"),
    ("log_volume_in_place", (2, 3, 4, 5, 2), "log", "channel", "nchw", "nchw", 1, 0, "alias"),
    ("not_a_number", (2, 3, 4, 5), "accurate", "channel", "nchw", "nchw", 0, 0, "nan"),
    ("alpha_zero", (2, 5, 3, 4), "fast", "channel", "nchw", "gapped", 0, -2, ""),
    ("accurate_infinite_instance", (3, 2, 4, 5), "accurate", "instance", "gapped", "nhwc", 1, 0, "infinite"),
    ("accurate_infinite_blend", (2, 5, 3, 4), "accurate", "channel", "nchw", "view", -0.5, 2, "infinite"),
    ("fast_infinite", (2, 5, 3, 4), "fast", "channel", "nchw", "permuted", 1, 0, "infinite"),
    ("log_infinite_instance", (3, 4, 2, 5), "log", "instance", "view", "nchw", 1, 0, "infinite"),
]


def rows(v, mode):
    """Returns a 3-D array whose axis 1 is the dimension of softmax."""
    return v.reshape(v.shape[0], -1, 1) if mode == "instance" else v.reshape(v.shape[0], v.shape[1], -1)


def blended(c, role, result, terms, kred, alpha, beta, own):
    """Works like vec_convolution.finish, but in place the prior contents are the input `own`."""
    out, total = alpha * result, abs(alpha) * terms
    if beta != 0:
        prior = own
        if own is None:
            prior = c.reals(result.shape, 5)
            c.prior(role, prior)
        out, total = out + beta * prior, total + np.abs(beta * prior)
    c.expect(role, out, total, kred)


def describe(c, algorithm, mode, alpha, beta):
    if algorithm != "accurate":
        c.param(softmax=algorithm)
    if mode != "channel":
        c.param(mode=mode)
    c.blend(alpha, beta)


def probabilities(v, algorithm):
    """Returns softmax or its logarithm along axis 1. A row that contains only -Inf is NaN in PyTorch and with FAST. The
    other algorithms give the limit of each element."""
    if algorithm == "fast":
        with np.errstate(invalid="ignore"):
            return np.exp(v) / np.exp(v).sum(1, keepdims=True)
    f, limit = (torch.log_softmax, -np.inf) if algorithm == "log" else (torch.softmax, 0.0)
    return np.where((v == -np.inf).all(1, keepdims=True), limit, f(torch.from_numpy(v), 1).numpy())


def draw(c, dims, mode, trait):
    c.spread = 1.0
    x = c.reals(dims, None if trait == "reals" else 5, 2.0)
    if trait == "large":
        x += c.integers(dims, -2, 2) * 1024.0
        c.types = ("f64", "f32")
    if trait == "apart":
        x = c.short(x + c.integers(dims, -2, 2) * 64.0)
    if trait == "infinite":
        if mode == "instance":
            x[0] = -np.inf
            x[1, 1, 1, 1:3] = -np.inf
            x[2, 1, 0, 3] = np.inf
        else:
            x[0, :, 0, 0] = -np.inf  # a whole row
            x[1, 2, :, 1] = -np.inf  # one element of a row: probability 0
            x[1, 1, 1, 2] = np.inf
    if trait == "nan":
        x[1, 2, 1, 3] = np.nan
    return x


def forward_case(name, dims, algorithm, mode, lx, ly, alpha, beta, trait):
    c = Case("softmax_forward", name)
    c.operand("x", dims, layout(lx, dims))
    c.operand("y", dims, layout(ly, dims))
    describe(c, algorithm, mode, alpha, beta)
    if trait == "alias":
        c.param(alias="y:x")
    x = draw(c, dims, mode, trait)
    c.feed("x", x)
    v = rows(x, mode)
    p = torch.softmax(torch.from_numpy(v), 1).numpy()
    y = probabilities(v, algorithm)
    with np.errstate(invalid="ignore", divide="ignore"):
        top = 0.0 if algorithm == "fast" else v.max(1, keepdims=True)
        distance = np.abs(v - top)
        spread = np.where(p > 0, p * distance, 0.0).sum(1, keepdims=True)
        if algorithm == "log":
            terms = distance + np.abs(np.log(np.exp(v - top).sum(1, keepdims=True))) + 1 + spread
        else:
            terms = p * (1 + distance + spread)
    terms = np.where(np.isfinite(terms), terms, 0.0)
    blended(c, "y", y.reshape(dims), terms.reshape(dims), v.shape[1], alpha, beta, x if trait == "alias" else None)
    return c


def backward_case(name, dims, algorithm, mode, lx, ly, alpha, beta, trait):
    c = Case("softmax_backward", name)
    in_place = trait == "alias"
    c.operand("y", dims, layout(ly, dims))
    c.operand("dy", dims, layout(lx, dims))
    c.operand("dx", dims, layout(lx if in_place else apart(lx), dims))
    describe(c, algorithm, mode, alpha, beta)
    if in_place:
        c.param(alias="dx:dy")
    x = draw(c, dims, mode, trait) if trait == "infinite" else c.reals(dims, 5, 2.0)
    y = c.short(probabilities(rows(x, mode), algorithm), 12)
    dy = c.reals(dims, None if trait == "reals" else 5)
    if trait == "nan":
        dy[1, 2, 1, 3] = np.nan
    c.feed("y", y)
    c.feed("dy", dy)
    g = rows(dy, mode)
    derive = torch._log_softmax_backward_data if algorithm == "log" else torch._softmax_backward_data
    dx = derive(torch.from_numpy(g), torch.from_numpy(y), 1, torch.float64).numpy()
    if algorithm == "log":
        spread = np.where(np.isinf(y), 0.0, np.exp(y) * (1 + magnitude(y)))
        terms = magnitude(g) + spread * magnitude(g).sum(1, keepdims=True)
    else:
        terms = y * (magnitude(g) + (magnitude(g) * y).sum(1, keepdims=True))
    blended(c, "dx", dx.reshape(dims), terms.reshape(dims), g.shape[1], alpha, beta, dy if in_place else None)
    return c


def make():
    backward = [row for row in CASES if row[-1] not in ("large", "apart") and row[0][:7] != "integer"]
    return {"softmax_forward": [forward_case(*row) for row in CASES],
            "softmax_backward": [backward_case(*row) for row in backward]}
