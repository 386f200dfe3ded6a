# SPDX-License-Identifier: Apache-2.0
"""The second computation of check_vectors.py for convolutions: every product by its indices, integers in Python's
type."""

import numpy as np


def products(p, x_dims, w_dims, y_dims):
    """Yields every (x index, w index, y index) whose product a convolution adds."""
    n = len(w_dims) - 2
    pad, stride = p.ints("pad", [0] * n), p.ints("stride", [1] * n)
    dilation, groups = p.ints("dilation", [1] * n), int(p.keys.get("groups", 1))
    flip = p.keys.get("mode") == "convolution"
    for y in np.ndindex(*y_dims):
        first = y[1] // (w_dims[0] // groups) * w_dims[1]
        for c in range(w_dims[1]):
            for tap in np.ndindex(*w_dims[2:]):
                at = tuple(o * s - q + t * d for o, s, q, t, d in zip(y[2:], stride, pad, tap, dilation))
                if all(0 <= a < size for a, size in zip(at, x_dims[2:])):
                    if flip:
                        tap = tuple(f - 1 - t for f, t in zip(w_dims[2:], tap))
                    yield (y[0], first + c) + at, (y[1], c) + tap, y


def integers(p):
    return any("s8" in word or "u8" in word for word in p.case["types"])


def wrap(total):
    """Returns an integer wrapped to 32 bits."""
    return ((int(total) + 2**31) & 0xFFFFFFFF) - 2**31


def convolution(p):
    """Computes in Python's integers, which have any length, and wraps the results to 32 bits."""
    if not integers(p):
        return products_added(p)
    if p.dims["w"][2:] == p.dims["x"][2:] and not any(p.ints("pad", [0])):  # sums long enough to wrap
        x, w = (p.values[r].astype(np.int64).reshape(p.dims[r][0], -1) for r in "xw")
        total = (x @ w.T).reshape(p.dims["y"])
    else:
        total = products_added(p)
    return np.vectorize(wrap, otypes=[float])(total)


def products_added(p):
    v, d = p.values, p.dims
    grad = {"convolution_backward_data": "dx", "convolution_backward_filter": "dw"}.get(p.operation)
    y = "dy" if grad else "y"
    names = {r: ("d" + r if "d" + r == grad else r) for r in "xw"}
    target = grad or "y"
    out = np.zeros(d[target])
    for xi, wi, yi in products(p, d[names["x"]], d[names["w"]], d[y]):
        if target == "y":
            out[yi] += v["x"][xi] * v["w"][wi]
        elif target == "dx":
            out[xi] += v["dy"][yi] * v["w"][wi]
        else:
            out[wi] += v["dy"][yi] * v["x"][xi]
    return out


def bias_gradient(p):
    out = np.zeros(p.dims["db"])
    for at in np.ndindex(*p.dims["dy"]):
        out[(0, at[1]) + (0,) * (len(at) - 2)] += p.values["dy"][at]
    return out


def bias_activation(p):
    out = p.real("alpha1", 1) * convolution(p)
    if "z" in p.values:
        out = out + p.real("alpha2", 0) * p.values["z"]
    out = out + p.values["bias"]
    return np.where(out < 0, 0.0, out) if p.keys["activation"] == "relu" else out
