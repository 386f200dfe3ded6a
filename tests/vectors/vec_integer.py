# SPDX-License-Identifier: Apache-2.0
"""Vectors of integer convolutions. The oracle is PyTorch's convolution in double, which is exact here, with sums
wrapped to 32 bits. `out` is the result before its single rounding to y's type. All numbers are small enough for every
type of a case."""

import numpy as np
import torch
import torch.nn.functional as F

from vec_convolution import OTHER, layout, magnitude
from vecfile import Case, mixes, nearest

# The types of x, w and y. In this list, x and w are within -128..127. C and K are multiples of 32, so that all types
# share the numbers.
SIGNED = ("s8 s8 s8", "s8 s8 f32", "s8x4 s8x4 s8x4", "s8x4 s8x4 f32", "s8x32 s8x32 s8x32")
# Here x is within 0..255 and w within -128..127.
MIXED = ("u8 s8 s8", "u8 s8 f32", "u8x4 s8x4 s8x4", "u8x4 s8x4 u8x4", "u8x4 s8x4 f32")
# Here both are within 0..255.
UNSIGNED = ("u8x4 u8x4 u8x4", "u8x4 u8x4 f32")
PLAIN = SIGNED[:2] + MIXED[:2]
RANGE = {SIGNED: ((-128, 127), (-128, 127)), MIXED: ((0, 255), (-128, 127)), UNSIGNED: ((0, 255), (0, 255)),
         PLAIN: ((0, 127), (-128, 127))}

# name, types, dims of x, K, taps, pad, stride, dilation, groups, mode, layouts of x, w, y, alpha, beta, trait.
# `small` draws a few small numbers, so that sums divided by 2 or 4 are often ties and do not saturate.
CASES = [
    ("signed_scaled", SIGNED, (2, 32, 2, 3), 32, (1, 2), (0, 1), (1, 2), (1, 1), 1, "cross", "nchw nchw nchw",
     2.0**-9, 0, ""),
    ("signed_saturated", SIGNED, (1, 64, 2, 3), 32, (1, 1), (0, 0), (1, 1), (1, 1), 1, "cross", "nchw nchw gapped",
     1, 0, ""),
    ("signed_ties", SIGNED, (2, 32, 3, 2), 32, (2, 1), (1, 0), (1, 1), (2, 1), 1, "cross", "gapped nchw nchw",
     0.5, 0, "small"),
    ("signed_grouped", SIGNED, (1, 64, 2, 2), 64, (1, 1), (1, 0), (1, 1), (1, 1), 2, "cross", "nchw nchw nchw",
     -2.0**-8, 0, ""),
    ("signed_flipped_blend", SIGNED, (2, 32, 2, 4), 32, (1, 2), (0, 1), (1, 1), (1, 2), 1, "convolution",
     "permuted nchw gapped", 0.25, -1.5, "small"),
    ("signed_real_factors", SIGNED, (1, 32, 3, 2), 32, (2, 1), (1, 1), (2, 1), (1, 1), 1, "cross", "nchw nchw permuted",
     float(np.float32(0.0013)), float(np.float32(0.7071)), ""),
    ("signed_wrapped", SIGNED, (1, 32, 64, 72), 32, (64, 72), (0, 0), (1, 1), (1, 1), 1, "cross", "nchw nchw nchw",
     1, 0, "wrap"),
    ("signed_wrapped_scaled", SIGNED, (1, 32, 64, 72), 32, (64, 72), (0, 0), (1, 1), (1, 1), 1, "cross",
     "nchw nchw nchw", 2.0**-24, 0, "wrap"),
    ("mixed_scaled", MIXED, (2, 8, 4, 5), 4, (3, 2), (1, 0), (1, 2), (1, 2), 1, "cross", "nchw nchw nchw", 2.0**-9, 0,
     ""),
    ("mixed_saturated", MIXED, (2, 4, 5, 3), 8, (2, 3), (0, 1), (2, 1), (1, 1), 1, "convolution", "gapped nchw nchw", 1,
     0, ""),
    ("mixed_ties", MIXED, (2, 8, 3, 4), 8, (2, 2), (1, 0), (1, 1), (2, 1), 1, "cross", "nchw nchw permuted", 0.5, 0,
     "small"),
    ("mixed_grouped", MIXED, (2, 8, 4, 3), 8, (3, 1), (0, 1), (1, 1), (1, 1), 2, "cross", "permuted nchw gapped",
     -2.0**-8, 2, ""),
    ("mixed_blend", MIXED, (1, 4, 5, 4), 4, (2, 2), (0, 0), (1, 1), (2, 3), 1, "cross", "nchw nchw gapped", -0.25, 0.5,
     "small"),
    ("mixed_real_factors", MIXED, (2, 4, 3, 5), 4, (3, 2), (2, 1), (1, 2), (1, 1), 1, "cross", "gapped nchw nchw",
     float(np.float32(0.0021)), 0, ""),
    ("mixed_wrapped", MIXED, (2, 8, 96, 96), 8, (96, 96), (0, 0), (1, 1), (1, 1), 1, "cross", "nchw nchw nchw",
     -2.0**-24, 0, "wrap"),
    ("unsigned_scaled", UNSIGNED, (2, 8, 4, 5), 4, (3, 2), (1, 0), (1, 2), (1, 2), 1, "cross", "nchw nchw nchw",
     2.0**-12, 0, ""),
    ("unsigned_saturated", UNSIGNED, (2, 4, 3, 4), 8, (2, 3), (0, 1), (2, 1), (1, 1), 1, "cross", "gapped nchw nchw",
     2.0**-10, 0, ""),
    ("unsigned_ties", UNSIGNED, (2, 8, 3, 4), 8, (2, 2), (1, 0), (1, 1), (2, 1), 1, "convolution", "nchw nchw permuted",
     0.5, 0, "small"),
    ("unsigned_grouped_blend", UNSIGNED, (2, 8, 4, 3), 8, (3, 1), (0, 1), (1, 1), (1, 1), 2, "cross",
     "permuted nchw gapped", -2.0**-11, 1, ""),
    ("unsigned_real_factors", UNSIGNED, (2, 4, 3, 5), 4, (3, 2), (2, 1), (1, 2), (1, 1), 1, "cross", "gapped nchw nchw",
     float(np.float32(0.00071)), float(np.float32(-0.3179)), ""),
    ("unsigned_wrapped", UNSIGNED, (2, 8, 64, 80), 4, (64, 80), (0, 0), (1, 1), (1, 1), 1, "cross", "nchw nchw nchw",
     -2.0**-24, 0, "wrap"),
    ("nhwc", PLAIN, (2, 3, 5, 4), 5, (3, 2), (1, 0), (2, 1), (1, 2), 1, "cross", "nhwc nhwc nhwc", 2.0**-7, 0, ""),
    ("depthwise", PLAIN, (2, 3, 4, 5), 6, (2, 3), (1, 1), (1, 2), (1, 1), 3, "convolution", "view nchw view", -0.5, 1,
     "small"),
    ("volume", PLAIN, (2, 3, 3, 2, 4), 2, (2, 1, 3), (1, 0, 1), (2, 1, 1), (1, 1, 1), 1, "cross",
     "nchw nchw permuted", 2.0**-8, 0, ""),
    ("volume_grouped", PLAIN, (1, 4, 4, 3, 3), 6, (2, 2, 1), (0, 1, 0), (1, 2, 1), (2, 1, 1), 2, "cross",
     "permuted nhwc gapped", 0.25, 0, "small"),
]

# name, types, dims of x, K, taps, layouts of x, w, y, alpha1, alpha2, activation, trait
FUSED = [
    ("signed_relu", SIGNED, (2, 32, 1, 3), 32, (1, 2), "nchw nchw nchw", 2.0**-9, 0, "relu", ""),
    ("signed_relu_z", SIGNED, (1, 32, 3, 2), 32, (2, 1), "gapped nchw nchw", -2.0**-9, 0.5, "relu", ""),
    ("signed_identity_ties", SIGNED, (2, 32, 2, 3), 32, (1, 1), "nchw nchw permuted", 0.5, 0.5, "identity", "small"),
    ("signed_identity", SIGNED, (1, 64, 2, 2), 32, (1, 1), "nchw nchw gapped", 2.0**-8, -1, "identity", ""),
    ("signed_without_z", SIGNED, (2, 32, 3, 1), 32, (2, 1), "permuted nchw nchw", 0.25, 0, "relu", "small without_z"),
    ("signed_wrapped", SIGNED, (1, 32, 64, 72), 32, (64, 72), "nchw nchw nchw", 2.0**-25, 1, "identity", "wrap"),
    ("mixed_relu", MIXED, (2, 8, 3, 4), 4, (2, 3), "nchw nchw nchw", 2.0**-9, 0, "relu", ""),
    ("mixed_relu_z", MIXED, (1, 4, 5, 3), 8, (3, 2), "gapped nchw permuted", -2.0**-8, 0.5, "relu", ""),
    ("mixed_identity_ties", MIXED, (2, 8, 2, 3), 8, (1, 2), "nchw nchw gapped", 0.5, -0.5, "identity", "small"),
    ("mixed_identity", MIXED, (2, 4, 3, 4), 4, (2, 2), "permuted nchw nchw", 2.0**-8, -1, "identity", ""),
    ("mixed_without_z", MIXED, (2, 8, 4, 3), 4, (2, 1), "nchw nchw nchw", 0.25, 0, "relu", "small without_z"),
    ("mixed_wrapped", MIXED, (2, 8, 96, 96), 4, (96, 96), "nchw nchw nchw", -2.0**-25, 1, "relu", "wrap"),
    ("unsigned_relu", UNSIGNED, (2, 8, 3, 4), 4, (2, 3), "nchw nchw nchw", 2.0**-13, 0, "relu", ""),
    ("unsigned_relu_z", UNSIGNED, (1, 4, 5, 3), 8, (3, 2), "gapped nchw permuted", 2.0**-11, -1.5, "relu", ""),
    ("unsigned_identity_ties", UNSIGNED, (2, 8, 2, 3), 8, (1, 2), "nchw nchw gapped", 0.5, 0.5, "identity", "small"),
    ("unsigned_identity", UNSIGNED, (2, 4, 3, 4), 4, (2, 2), "permuted nchw nchw", 2.0**-12, -1, "identity", ""),
    ("unsigned_without_z", UNSIGNED, (2, 8, 4, 3), 4, (2, 1), "nchw nchw nchw", 0.25, 0, "relu", "small without_z"),
    ("unsigned_wrapped", UNSIGNED, (2, 8, 64, 80), 4, (64, 80), "nchw nchw nchw", -2.0**-25, 1, "identity", "wrap"),
    ("relu_nhwc", PLAIN, (2, 3, 4, 5), 5, (2, 3), "nhwc nhwc nhwc", 2.0**-8, -1, "relu", ""),
]


def wrapped(total):
    """Returns exact sums, which double represents, wrapped to 32 bits."""
    return (total + 2.0**31) % 2.0**32 - 2.0**31


def draw(c, dims, low, high, trait):
    if "wrap" in trait:  # one number per image or filter
        ends = [low or high, high, 1, low or 2, high - 1, 3]
        return np.broadcast_to(np.resize(ends, dims[0]).reshape((-1,) + (1,) * (len(dims) - 1)), dims).astype(float)
    if "small" in trait:
        v = c.integers(dims, max(low, -2), 2)
        return v * c.integers(dims, 0, 1)
    return c.integers(dims, low, high)


def exact_in_float(*parts):
    return all(np.array_equal(p, nearest("f32", p)) for p in parts)


def convolved(x, w, pad, stride, dilation, groups, mode):
    w = np.flip(w, tuple(range(2, w.ndim))).copy() if mode == "convolution" else w
    f = F.conv2d if w.ndim == 4 else F.conv3d
    return wrapped(f(torch.from_numpy(x), torch.from_numpy(w), None, stride, pad, dilation, groups).numpy())


def within(c, role, low, high):
    """Returns the range of an operand that every type of the case has."""
    kinds = c.all_kinds(role)
    return (0 if any(k[0] == "u" for k in kinds) else low), min(high, 127 if any(k[0] == "s" for k in kinds) else 255)


def forward_case(name, types, dims, k, taps, pad, stride, dilation, groups, mode, words, alpha, beta, trait):
    c = Case("convolution_forward", "integer_" + name, mixes("x w y", *types))
    wd, (lx, lw, ly) = (k, dims[1] // groups) + taps, words.split()
    x, w = (draw(c, d, *r, trait) for d, r in zip((dims, wd), RANGE[types]))
    r = convolved(x, w, pad, stride, dilation, groups, mode)
    c.operand("x", dims, layout(lx, dims))
    c.operand("w", wd, layout(lw, wd))
    c.operand("y", r.shape, layout(ly, r.shape))
    c.param(pad=pad, stride=stride, dilation=dilation, groups=groups, mode=mode)
    c.blend(alpha, beta)
    c.feed("x", x)
    c.feed("w", w)
    out, terms = alpha * r, np.abs(alpha * r)
    if beta != 0:
        prior = c.integers(r.shape, *within(c, "y", -100, 100))
        c.prior("y", prior)
        out, terms = out + beta * prior, terms + np.abs(beta * prior)
    c.expect("y", out, None if alpha == 1 or exact_in_float(alpha * r, out) else terms)
    return c


def fused_case(name, types, dims, k, taps, words, alpha1, alpha2, act, trait):
    with_z = "without_z" not in trait
    roles = "x w z y" if with_z else "x w y"
    kinds = [" ".join(t.split()[:2] + [t.split()[2]] * (1 + with_z)) for t in types]
    c = Case("convolution_bias_activation_forward", "integer_" + name, mixes(roles, *kinds))
    wd, (lx, lw, ly) = (k, dims[1]) + taps, words.split()
    x, w = (draw(c, d, *r, trait) for d, r in zip((dims, wd), RANGE[types]))
    one = (1,) * len(taps)
    r = convolved(x, w, (0,) * len(taps), one, one, 1, "cross")
    small = (1, k) + one
    for role, d, word, wide in (("x", dims, lx, 0), ("w", wd, lw, 0), ("z", r.shape, OTHER[ly], 0),
                                ("bias", small, "nchw", 1), ("y", r.shape, ly, 0)):
        if role != "z" or with_z:
            c.operand(role, d, layout(word, d), wide=wide)
    c.param(activation=act, alpha1=float(alpha1), alpha2=float(alpha2))
    if act == "identity":
        c.param(algo="implicit_precomp_gemm")
    if not with_z:
        c.params.append("without=z")
    bias = c.integers(small, -40, 40) / 4
    c.feed("x", x)
    c.feed("w", w)
    out, terms = alpha1 * r + bias, np.abs(alpha1 * r) + magnitude(bias)
    if with_z:
        z = c.integers(r.shape, *within(c, "y", -100, 100))
        c.feed("z", z)
        out, terms = out + alpha2 * z, terms + np.abs(alpha2 * z)
    c.feed("bias", bias)
    exact = exact_in_float(alpha1 * r, alpha1 * r + bias, out)
    c.expect("y", np.maximum(out, 0.0) if act == "relu" else out, None if exact else terms)
    return c


def make():
    return {"convolution_forward": [forward_case(*row) for row in CASES],
            "convolution_bias_activation_forward": [fused_case(*row) for row in FUSED]}
