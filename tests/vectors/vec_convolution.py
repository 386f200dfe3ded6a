# SPDX-License-Identifier: Apache-2.0
"""Convolution vectors. The oracle is PyTorch's convolutions in double and their autograd."""

import numpy as np
import torch
import torch.nn.functional as F

from vecfile import Case, gapped, view

# name, x dims, K, filter, keywords. N, C, H, W, K, R, S differ pairwise where the case allows it.
GEOMETRY = {
    "plain": ((2, 3, 7, 8), 4, (5, 6), dict(pad=(1, 2))),
    "stepped": ((2, 3, 11, 10), 5, (4, 6), dict(pad=(2, 3), stride=(3, 2), dilation=(3, 2))),
    "flipped": ((3, 2, 5, 8), 5, (4, 6), dict(pad=(2, 3), stride=(1, 2), mode="convolution")),
    "grouped": ((2, 6, 5, 8), 9, (3, 4), dict(pad=(1, 2), stride=(2, 1), dilation=(1, 2), groups=3)),
    "depthwise_twice": ((3, 5, 6, 7), 10, (4, 2), dict(pad=(0, 1), stride=(1, 3), groups=5, mode="convolution")),
    "depthwise": ((2, 4, 9, 6), 4, (5, 3), dict(pad=(2, 0), stride=(2, 1), dilation=(1, 2), groups=4)),
    "pointwise": ((3, 7, 4, 5), 6, (1, 1), dict(stride=(2, 3))),
    "fully_connected": ((4, 3, 5, 2), 6, (5, 2), dict()),
    "outer_pad": ((2, 3, 4, 5), 6, (1, 7), dict(pad=(3, 8), stride=(2, 3))),
    "volume": ((2, 3, 5, 4, 7), 4, (2, 3, 1), dict(pad=(1, 2, 0), stride=(1, 2, 3), dilation=(2, 1, 1))),
    "volume_grouped": (
        (2, 4, 6, 3, 5), 6, (3, 1, 2),
        dict(pad=(0, 1, 2), stride=(3, 2, 1), dilation=(1, 1, 3), groups=2, mode="convolution")),
    "volume_depthwise": ((3, 2, 2, 4, 5), 2, (1, 3, 2), dict(pad=(0, 2, 1), dilation=(1, 2, 1), groups=2)),
}

# case name, geometry, layout of x, w, y (a key of LAYOUTS), alpha, beta, trait
CASES = [
    ("plain", "plain", "nchw", "nchw", "nchw", 1, 0, ""),
    ("plain_views", "plain", "view", "nchw", "permuted", -0.5, 2, ""),
    ("stepped_nhwc", "stepped", "nhwc", "nhwc", "nhwc", 1, 0, ""),
    ("stepped_permuted", "stepped", "permuted", "nhwc", "view", 1.25, 0, ""),
    ("flipped_krsc", "flipped", "nchw", "nhwc", "nhwc", 1, -0.75, ""),
    ("grouped", "grouped", "nchw", "nchw", "nchw", 2, 0, ""),
    ("grouped_gaps", "grouped", "gapped", "nchw", "gapped", 1, 1, ""),
    ("depthwise_twice_nhwc", "depthwise_twice", "nhwc", "nhwc", "nhwc", 0.75, 0, ""),
    ("depthwise_views", "depthwise", "view", "nchw", "view", 1, 0, ""),
    ("pointwise_gaps", "pointwise", "gapped", "nchw", "permuted", 1, 0.5, "reals"),
    ("fully_connected", "fully_connected", "nchw", "nchw", "nchw", 1, 0, "reals"),
    ("outer_pad", "outer_pad", "nchw", "nchw", "view", 1, 0, ""),
    ("volume", "volume", "nchw", "nchw", "nchw", 1, 0, ""),
    ("volume_grouped_permuted", "volume_grouped", "permuted", "nhwc", "gapped", -1.5, 0.25, ""),
    ("volume_depthwise_nhwc", "volume_depthwise", "nhwc", "nhwc", "nhwc", 1, 0, ""),
    ("half_digits", "outer_pad", "nhwc", "nhwc", "gapped", 1.5, 0, ""),
    ("alpha_zero", "pointwise", "nchw", "nchw", "nchw", 0, -2, ""),
    ("not_a_number", "pointwise", "gapped", "nchw", "nchw", 0, 0, "nan"),
]


# The layout of z, which differs from y's.
OTHER = {"nchw": "gapped", "gapped": "permuted", "permuted": "nchw", "view": "gapped", "nhwc": "permuted"}


def apart(word, turns=1):
    """Returns another layout with gaps for one of several operands. A packed layout is returned unchanged."""
    words = ["gapped", "permuted", "view"]
    return words[(words.index(word) + turns) % 3] if word in words else word


def layout(word, dims):
    if word in ("nchw", "nhwc"):
        return word
    if word == "gapped":
        return gapped(dims, unit=2)
    if word == "view":
        return view([d + 1 + i % 3 for i, d in enumerate(dims)])
    order = [1] + list(range(2, len(dims)))[::-1] + [0]
    return gapped(dims, order=order)


class Geometry:
    def __init__(self, key):
        self.x, k, taps, kw = GEOMETRY[key]
        n = len(taps)
        self.pad, self.stride = kw.get("pad", (0,) * n), kw.get("stride", (1,) * n)
        self.dilation, self.groups = kw.get("dilation", (1,) * n), kw.get("groups", 1)
        self.mode = kw.get("mode", "cross")
        self.w = (k, self.x[1] // self.groups) + tuple(taps)
        self.y = (self.x[0], k) + tuple(
            1 + (i + 2 * p - ((f - 1) * d + 1)) // s
            for i, p, f, d, s in zip(self.x[2:], self.pad, taps, self.dilation, self.stride))

    def apply(self, x, w):
        if self.mode == "convolution":
            w = torch.flip(w, list(range(2, w.dim())))
        f = F.conv2d if w.dim() == 4 else F.conv3d
        y = f(x, w, None, self.stride, self.pad, self.dilation, self.groups)
        assert tuple(y.shape) == self.y
        return y

    def forward(self, x, w):
        return self.apply(torch.from_numpy(x), torch.from_numpy(w)).numpy()

    def backward_data(self, w, dy):
        x = torch.zeros(self.x, dtype=torch.float64, requires_grad=True)
        self.apply(x, torch.from_numpy(w)).backward(torch.from_numpy(dy))
        return x.grad.numpy()

    def backward_filter(self, x, dy):
        w = torch.zeros(self.w, dtype=torch.float64, requires_grad=True)
        self.apply(torch.from_numpy(x), w).backward(torch.from_numpy(dy))
        return w.grad.numpy()

    def params(self, c):
        c.param(pad=self.pad, stride=self.stride, dilation=self.dilation, groups=self.groups, mode=self.mode)


def magnitude(v):
    return np.abs(np.nan_to_num(v))


def finish(c, role, result, terms, kred, alpha, beta, rounds=None):
    """Blends `result` with prior contents, and adds the expected values of `role`."""
    out, total = alpha * result, abs(alpha) * terms
    if beta != 0:
        prior = c.reals(result.shape, 3)
        c.prior(role, prior)
        out, total = out + beta * prior, total + np.abs(beta * prior)
    c.expect(role, out, total, kred, None if rounds is None else abs(alpha) * rounds)


def three_directions():
    made = {"convolution_forward": [], "convolution_backward_data": [], "convolution_backward_filter": []}
    for name, key, lx, lw, ly, alpha, beta, trait in CASES:
        g = Geometry(key)
        taps = int(np.prod(g.w[2:]))
        spots = int(np.prod(g.y[2:]))
        for operation, (a, b, out), f, kred in (
                ("convolution_forward", "xwy", g.forward, g.w[1] * taps),
                ("convolution_backward_data", "wyx", g.backward_data, g.w[0] // g.groups * taps),
                ("convolution_backward_filter", "xyw", g.backward_filter, g.x[0] * spots)):
            c = Case(operation, name)
            dims = {"x": g.x, "w": g.w, "y": g.y}
            lay = {"x": lx, "w": lw, "y": ly}
            grad = operation != "convolution_forward"
            role = {r: ("d" + r if grad and (r == "y" or r == out) else r) for r in "xwy"}
            for r in (a, b, out):
                c.operand(role[r], dims[r], layout(lay[r], dims[r]))
            g.params(c)
            c.blend(alpha, beta)
            bits = None if trait == "reals" else 4
            va, vb = c.reals(dims[a], bits), c.reals(dims[b], bits)
            if trait == "nan":
                spoilt = va if a == "x" else vb
                spoilt.flat[spoilt.size // 2] = np.nan
            c.feed(role[a], va)
            c.feed(role[b], vb)
            finish(c, role[out], f(va, vb), f(magnitude(va), magnitude(vb)), kred, alpha, beta)
            made[operation].append(c)
    return made


def backward_bias():
    cases = []
    for name, dims, word, alpha, beta, bits in (
            ("plain", (2, 3, 5, 4), "nchw", 1, 0, 5),
            ("reals", (4, 3, 5, 6), "nchw", 1, 0, None),
            ("nhwc_blend", (3, 5, 4, 2), "nhwc", -0.5, 2, 5),
            ("gapped", (2, 5, 3, 4), "gapped", 1.5, 0, 5),
            ("view", (5, 2, 3, 6), "view", 1, 1, 5),
            ("permuted", (3, 4, 2, 7), "permuted", 1, -0.25, 5),
            ("volume", (2, 3, 4, 5, 6), "nchw", 1, 0, 5),
            ("volume_permuted", (2, 4, 3, 1, 5), "permuted", 0.5, 0, 5),
            ("alpha_zero", (3, 2, 4, 5), "nchw", 0, 3, 5),
            ("not_a_number", (2, 4, 3, 5), "gapped", 0, 0, 5),
            ("one_channel", (3, 1, 2, 5), "nchw", 1, 0, 5)):
        c = Case("convolution_backward_bias", name)
        db = (1, dims[1]) + (1,) * (len(dims) - 2)
        c.operand("dy", dims, layout(word, dims))
        c.operand("db", db)
        c.blend(alpha, beta)
        dy = c.reals(dims, bits)
        if name == "not_a_number":
            dy[1, 2, 1, 3] = np.nan
        c.feed("dy", dy)
        axes = (0,) + tuple(range(2, len(dims)))
        total = torch.from_numpy(dy).sum(axes, keepdim=True).numpy()
        finish(c, "db", total, magnitude(dy).sum(axes, keepdims=True), dy.size // dims[1], alpha, beta)
        cases.append(c)
    return cases


def bias_activation():
    cases = []
    for name, key, lx, lw, ly, alpha1, alpha2, act, options in (
            ("relu", "plain", "nchw", "nchw", "nchw", 1, 0, "relu", ""),
            ("relu_z", "plain", "nchw", "nchw", "nchw", 1, 1, "relu", ""),
            ("identity_z_views", "stepped", "view", "nchw", "permuted", 0.5, -1.5, "identity", ""),
            ("relu_without_z", "flipped", "nhwc", "nhwc", "nhwc", 1, 0, "relu", "without=z"),
            ("relu_grouped_gaps", "grouped", "gapped", "nchw", "gapped", -1, 0.5, "relu", ""),
            ("identity_depthwise", "depthwise_twice", "nhwc", "nhwc", "nhwc", 1, 2, "identity", ""),
            ("relu_z_in_place", "pointwise", "nchw", "nchw", "view", 1, 1, "relu", "alias=y:z"),
            ("identity_fully_connected", "fully_connected", "nchw", "nchw", "nchw", 1, 0, "identity", "without=z"),
            ("relu_volume", "volume", "nchw", "nchw", "permuted", 1, 0.25, "relu", ""),
            ("alpha_zero", "depthwise", "permuted", "nhwc", "gapped", 0, 1, "relu", ""),
            ("outer_pad", "outer_pad", "nchw", "nchw", "view", -0.75, -2, "relu", "")):
        c = Case("convolution_bias_activation_forward", name)
        g = Geometry(key)
        bias_dims = (1, g.y[1]) + (1,) * (len(g.y) - 2)
        c.operand("x", g.x, layout(lx, g.x))
        c.operand("w", g.w, layout(lw, g.w))
        with_z = options != "without=z"
        if with_z:
            c.operand("z", g.y, layout(ly if name in ("relu_z", "relu_z_in_place") else OTHER[ly], g.y))
        c.operand("bias", bias_dims)
        c.operand("y", g.y, layout(ly, g.y))
        g.params(c)
        c.param(activation=act)
        if act == "identity":
            c.param(algo="implicit_precomp_gemm")
        if alpha1 != 1:
            c.param(alpha1=float(alpha1))
        if alpha2 != 0:
            c.param(alpha2=float(alpha2))
        if "=" in options:
            c.params.append(options)
        x, w, bias = c.reals(g.x, 4), c.reals(g.w, 4), c.reals(bias_dims, 4)
        z = c.reals(g.y, 4) if with_z else np.zeros(g.y)
        c.feed("x", x)
        c.feed("w", w)
        if with_z:
            c.feed("z", z)
        c.feed("bias", bias)
        y = alpha1 * g.forward(x, w) + alpha2 * z + bias
        s = abs(alpha1) * g.forward(np.abs(x), np.abs(w)) + np.abs(alpha2 * z) + np.abs(bias)
        if act == "relu":
            y = np.maximum(y, 0.0)
        c.expect("y", y, s, g.w[1] * int(np.prod(g.w[2:])))
        cases.append(c)
    return cases


def make():
    made = three_directions()
    made["convolution_backward_bias"] = backward_bias()
    made["convolution_bias_activation_forward"] = bias_activation()
    return made
