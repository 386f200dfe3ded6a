# SPDX-License-Identifier: Apache-2.0
"""Vectors of layer, group, instance and RMS normalization and of matrix products. The oracle is formulas of anydnn.h in
NumPy's long double, with Python's error function. The second computation of check_vectors.py uses loops."""

import math

import numpy as np

from vec_convolution import apart, layout
from vecfile import Case

# case name, dims, kind, axes or (groups, channel axis), dims of scale, of bias (None: absent), layout of x, trait
NORMS = [
    ("layer", (4, 3, 7), "layer", (2,), (1, 1, 7), (1, 1, 7), "nchw", ""),
    ("layer_reals", (3, 2, 12), "layer", (2,), (1, 1, 12), (1, 1, 12), "nchw", "reals"),
    ("layer_channels", (2, 6, 3, 4), "layer", (1,), (1, 6, 1, 1), None, "nhwc", ""),
    ("layer_two_axes_view", (3, 4, 5), "layer", (1, 2), (1, 4, 5), (1, 4, 5), "view", "save"),
    ("layer_axes_apart", (3, 4, 5), "layer", (0, 2), (3, 1, 5), (1, 1, 1), "permuted", "save"),
    ("layer_bias_alone", (5, 9), "layer", (1,), None, (1, 9), "gapped", ""),
    ("layer_per_sample", (4, 3, 6), "layer", (2,), (4, 1, 6), (4, 1, 6), "nchw", "epsilon"),
    ("layer_sets_of_one", (6, 1), "layer", (1,), (1, 1), (1, 1), "nchw", "epsilon"),
    ("layer_centered_gelu", (4, 11), "layer", (1,), (1, 11), (1, 11), "nchw", "centered gelu"),
    ("layer_far_reals", (3, 16), "layer", (1,), (1, 16), None, "nchw", "reals far"),
    ("layer_relu_half_digits", (5, 8), "layer", (1,), (1, 8), (1, 8), "nchw", "relu"),
    ("layer_double_digits", (4, 10), "layer", (1,), (1, 10), (1, 10), "gapped", "save"),
    ("rms", (5, 8), "rms", (1,), (1, 8), None, "nchw", "save"),
    ("rms_reals", (4, 3, 10), "rms", (2,), (1, 1, 10), (1, 1, 10), "view", "reals save"),
    ("rms_centered_gelu_tanh", (6, 7), "rms", (1,), (1, 7), (1, 7), "nchw", "centered gelu_tanh"),
    ("group", (2, 6, 3, 2), "group", (3, 1), (1, 6, 1, 1), (1, 6, 1, 1), "nchw", "save"),
    ("group_swish_nhwc", (2, 8, 3, 3), "group", (2, 1), (1, 8, 1, 1), (1, 8, 1, 1), "nhwc", "swish"),
    ("group_axis_permuted", (3, 2, 10), "group", (5, 2), (1, 1, 10), None, "permuted", "save"),
    ("group_reals", (2, 4, 7), "group", (4, 1), (1, 4, 1), (1, 4, 1), "gapped", "reals"),
    ("instance", (3, 4, 5), "instance", None, (1, 4, 1), (1, 4, 1), "nchw", "save"),
    ("instance_tanh", (2, 3, 6), "instance", None, (1, 3, 1), (1, 3, 1), "view", "tanh"),
]

# case name, batch of a, of b, M K N, bias dims, with c, alpha, beta, layouts of a, b, d, trait
PRODUCTS = [
    ("plain", (), (), (5, 7, 6), None, 0, 1, 0, "nchw", "nchw", "nchw", ""),
    ("reals", (), (), (4, 30, 5), (1, 5), 0, 1, 0, "nchw", "nchw", "nchw", "reals"),
    ("views", (), (), (6, 5, 4), (6, 1), 0, 1, 0, "view", "gapped", "permuted", ""),
    ("transposed", (), (), (7, 6, 5), None, 0, 0.5, 0, "permuted", "permuted", "nchw", ""),
    ("add", (), (), (4, 6, 5), None, 1, -0.5, 2, "nchw", "nchw", "nchw", ""),
    ("batch", (3,), (3,), (4, 5, 2), (1, 1, 2), 0, 1, 0, "gapped", "nchw", "nchw", ""),
    ("broadcast_a", (1,), (4,), (3, 5, 6), (1, 1, 6), 1, 1, 1, "nchw", "view", "nchw", ""),
    ("broadcast_both", (2, 1), (1, 3), (3, 4, 5), None, 0, 1, 0, "nchw", "nchw", "gapped", ""),
    ("row", (), (), (1, 9, 8), (1, 8), 0, 1, 0, "nchw", "nchw", "nchw", ""),
    ("outer", (), (), (6, 1, 7), None, 0, 2, 0, "nchw", "nchw", "nchw", ""),
    ("relu", (), (), (5, 6, 7), (1, 7), 0, 1, 0, "nchw", "nchw", "nchw", "relu"),
    ("gelu", (), (), (5, 6, 7), (1, 7), 0, 0.25, 0, "nchw", "nchw", "nchw", "gelu"),
    ("gelu_tanh", (), (), (4, 5, 6), (1, 6), 1, 0.25, 0.5, "nchw", "nchw", "nchw", "gelu_tanh"),
    ("half_digits", (), (), (4, 5, 6), None, 0, 1, 0, "nchw", "nchw", "nchw", ""),
    ("double_digits", (), (), (4, 5, 6), (1, 6), 1, 1, -1, "nchw", "nchw", "nchw", ""),
]

STEEP = {"elu": 1, "swish": 1.1, "gelu": 1.13, "gelu_tanh": 1.13}
erfc = np.vectorize(math.erfc, otypes=[float])


def activate(mode, v):
    if mode == "relu":
        return np.maximum(v, 0)
    if mode == "tanh":
        return np.tanh(v)
    if mode == "swish":
        return v / (1 + np.exp(-v))
    if mode == "gelu":
        return v * erfc(-v / math.sqrt(2)) / 2
    if mode == "gelu_tanh":
        return v * (1 + np.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))) / 2
    return v


def slope(mode, v):
    if mode == "relu":
        return (v > 0) * 1.0
    if mode == "tanh":
        return 1 - np.tanh(v)**2
    if mode == "swish":
        s = 1 / (1 + np.exp(-v))
        return s + v * s * (1 - s)
    if mode == "gelu":
        return erfc(-v / math.sqrt(2)) / 2 + v * np.exp(-v * v / 2) / math.sqrt(2 * math.pi)
    if mode == "gelu_tanh":
        root = math.sqrt(2 / math.pi)
        t = np.tanh(root * (v + 0.044715 * v**3))
        return (1 + t) / 2 + v * (1 - t * t) * root * (1 + 3 * 0.044715 * v * v) / 2
    return np.ones(v.shape)


class Norm:
    """The data that both directions of a case share. In `shape`, groups have a separate axis."""

    def __init__(self, row):
        name, self.dims, self.kind, self.of, self.scale, self.bias, self.layout, trait = row
        self.traits = trait.split()
        self.mode = next((t for t in self.traits if t in ("relu", "tanh", "swish", "gelu", "gelu_tanh")), "identity")
        self.epsilon = 0.5 if "epsilon" in self.traits else 1e-5
        n = len(self.dims)
        if self.kind in ("layer", "rms"):
            self.shape, self.axes = self.dims, self.of
            self.stat = tuple(1 if i in self.of else d for i, d in enumerate(self.dims))
        else:
            groups, axis = self.of or (self.dims[1], 1)
            self.shape = self.dims[:axis] + (groups, self.dims[axis] // groups) + self.dims[axis + 1:]
            self.axes = tuple(i for i in range(1, n + 1) if i != axis)
            self.stat = tuple(groups if i == axis else self.dims[0] if i == 0 else 1 for i in range(n))

    def params(self, c):
        c.param(kind=self.kind)
        if self.kind in ("layer", "rms"):
            c.param(axes=self.of)
        elif self.kind == "group":
            c.param(groups=self.of[0])
            if self.of[1] != 1:
                c.param(channel_axis=self.of[1])
        if "centered" in self.traits:
            c.param(scaling="zero_centered")
        c.param(epsilon=self.epsilon)
        if self.mode != "identity":
            c.param(activation=self.mode)
        if self.mode == "swish":
            c.param(coef=1.0)

    def mean(self, v):
        """Returns the mean of each set, broadcast to its elements."""
        v = np.asarray(v, dtype=np.longdouble).reshape(self.shape)
        return np.broadcast_to(v.mean(self.axes, keepdims=True), self.shape).reshape(self.dims)

    def saved(self, v):
        """Returns one value of each set, with the dims of the statistics."""
        at = tuple(0 if i in self.axes else slice(None) for i in range(len(self.shape)))
        return v.reshape(self.shape)[at].reshape(self.stat)

    def draw(self, c):
        bits = None if "reals" in self.traits else 5
        x = c.reals(self.dims, bits)
        if "far" in self.traits:
            x = x + 1024 - np.remainder(x, 2.0**-8)
        feeds = {"x": x}
        for role, dims in (("scale", self.scale), ("bias", self.bias)):
            if dims is not None:
                feeds[role] = c.reals(dims, bits)
        return feeds

    def normal(self, x):
        x = x.astype(np.longdouble)
        mean = np.zeros(self.dims) if self.kind == "rms" else self.mean(x)
        r = 1 / np.sqrt(self.mean((x - mean)**2) + self.epsilon)
        return mean, r, (x - mean) * r

    def factor(self, feeds):
        return feeds.get("scale", 1.0 - ("centered" in self.traits)) + 1.0 * ("centered" in self.traits)

    def error(self, x, r, n):
        """Returns the error bound of n, in units."""
        return np.abs(n) + (0 if self.kind == "rms" else r * self.mean(np.abs(x)))


def forward(row):
    norm, c = Norm(row), Case("normalization_forward", row[0])
    x_layout = layout(norm.layout, norm.dims)
    feeds = norm.draw(c)
    c.operand("x", norm.dims, x_layout)
    for role in ("scale", "bias"):
        if role in feeds:
            c.operand(role, feeds[role].shape)
    c.operand("y", norm.dims, layout(apart(norm.layout), norm.dims))
    if "save" in norm.traits and norm.kind != "rms":
        c.operand("save_mean", norm.stat, wide=True)
    if "save" in norm.traits:
        c.operand("save_inv_dev", norm.stat, wide=True)
    norm.params(c)
    for role, value in feeds.items():
        c.feed(role, value)
    x = feeds["x"]
    mean, r, n = norm.normal(x)
    factor, bias = norm.factor(feeds), feeds.get("bias", 0.0)
    count = x.size // int(np.prod(norm.stat))
    v = factor * n + bias
    terms = np.abs(factor) * norm.error(x, r, n) + np.abs(bias)
    steep = STEEP.get(norm.mode, 1)
    c.expect("y", activate(norm.mode, v), steep * terms + np.abs(v) * ("gelu" in norm.mode), count)
    if "save" in norm.traits and norm.kind != "rms":
        c.expect("save_mean", norm.saved(mean), norm.saved(norm.mean(np.abs(x))), count)
    if "save" in norm.traits:
        c.expect("save_inv_dev", norm.saved(r),
                 norm.saved(r * (1 + (norm.mean(norm.error(x, r, n)**2) if norm.kind != "rms" else 1))), count)
    return c


def summed(v, dims):
    axes = tuple(i for i, d in enumerate(dims) if d == 1)
    return np.broadcast_to(v, v.shape).sum(axes, keepdims=True)


def backward(row):
    norm, c = Norm(row), Case("normalization_backward", row[0])
    feeds = norm.draw(c)
    c.operand("x", norm.dims, layout(norm.layout, norm.dims))
    c.operand("dy", norm.dims, layout(apart(norm.layout), norm.dims))
    given = [role for role in ("scale", "bias") if role in feeds]
    for role in given:
        c.operand(role, feeds[role].shape)
    if "save" in norm.traits:
        c.operand("dsum", norm.dims, layout(norm.layout, norm.dims))
    c.operand("dx", norm.dims, layout(apart(norm.layout, 2), norm.dims))
    for role in given:
        c.operand("d" + role, feeds[role].shape)
    norm.params(c)
    bits = None if "reals" in norm.traits else 5
    feeds["dy"] = c.reals(norm.dims, bits)
    if "save" in norm.traits:
        feeds["dsum"] = c.reals(norm.dims, bits)
    for role, value in feeds.items():
        c.feed(role, value)
    x, dy, dsum = feeds["x"], feeds["dy"], feeds.get("dsum", 0.0)
    _, r, n = norm.normal(x)
    factor = norm.factor(feeds)
    g = dy * slope(norm.mode, factor * n + feeds.get("bias", 0.0))
    w = factor * g
    mean_w = 0 if norm.kind == "rms" else norm.mean(w)
    most = STEEP.get(norm.mode, 1) * np.abs(dy) * np.ones(norm.dims)
    size, error = np.abs(factor) * most, norm.error(x, r, n)
    terms = r * (size + norm.mean(size) + error * norm.mean(size * np.abs(n)) + np.abs(n) * norm.mean(size * error))
    c.expect("dx", r * (w - mean_w - n * norm.mean(w * n)) + dsum, terms + np.abs(dsum), x.size)
    for role in given:
        part = g * n if role == "scale" else g
        c.expect("d" + role, summed(part, feeds[role].shape),
                 summed(most * error if role == "scale" else most, feeds[role].shape), x.size)
    return c


def product(row):
    name, batch_a, batch_b, (m, k, n), bias, with_c, alpha, beta, la, lb, ld, trait = row
    c = Case("matmul", name)
    a_dims, b_dims = batch_a + (m, k), batch_b + (k, n)
    d_dims = tuple(max(p) for p in zip(batch_a, batch_b)) + (m, n)
    bits = None if trait == "reals" else 5
    feeds = {"a": c.reals(a_dims, bits), "b": c.reals(b_dims, bits)}
    if with_c:
        feeds["c"] = c.reals(d_dims, bits)
    if bias:
        feeds["bias"] = c.reals(bias, bits)
    for role, word in (("a", la), ("b", lb), ("c", apart(ld)), ("bias", "nchw")):
        if role in feeds:
            c.operand(role, feeds[role].shape, layout(word, feeds[role].shape))
    c.operand("d", d_dims, layout(ld, d_dims))
    c.blend(alpha, beta)
    if trait not in ("", "reals"):
        c.param(activation=trait)
    for role, value in feeds.items():
        c.feed(role, value)
    a, b = (feeds[role].astype(np.longdouble) for role in "ab")
    added = beta * feeds.get("c", 0.0)
    v = alpha * np.matmul(a, b) + added + feeds.get("bias", 0.0)
    terms = abs(alpha) * np.matmul(np.abs(a), np.abs(b)) + np.abs(added) + np.abs(feeds.get("bias", 0.0))
    c.expect("d", activate(trait, v), STEEP.get(trait, 1) * terms + np.abs(v) * ("gelu" in trait), k + 2)
    return c


def make():
    return {"normalization_forward": [forward(row) for row in NORMS],
            "normalization_backward": [backward(row) for row in NORMS],
            "matmul": [product(row) for row in PRODUCTS]}
