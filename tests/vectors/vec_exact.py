# SPDX-License-Identifier: Apache-2.0
"""Vectors whose results are exact in float in any order of summation, and have more digits than the 16-bit types. The
single rounding of the store must give the nearest number. The results include ties between two numbers of each type,
overflow of half, and subnormal numbers. The oracle is PyTorch and NumPy in double, which are exact, too."""

import numpy as np
import torch

from vec_convolution import OTHER, Geometry, layout
from vecfile import Case

# suffix of the name, geometry, layouts of x, w, y, reach of the integers, exponents of x and w
CONVOLUTIONS = [
    ("integers", "plain", ("nchw", "nchw", "nchw"), 40, 0, 0),
    ("integers_gaps", "grouped", ("gapped", "nchw", "permuted"), 60, 0, 0),
    ("overflow", "flipped", ("nhwc", "nhwc", "nhwc"), 127, 0, 0),
    ("subnormal", "outer_pad", ("view", "nchw", "nchw"), 40, -14, -13),
    ("subnormal_inputs", "pointwise", ("nchw", "nchw", "gapped"), 40, -20, 3),
]
BIASES = [("integers", (3, 4, 5, 6), "nchw", 127, 0), ("integers_view", (4, 3, 6, 5), "view", 120, -3)]


def whole(c, dims, reach, exponent=0):
    return c.integers(dims, -reach, reach) * 2.0**exponent


def ordinary(v, digits):
    """Returns True if some numbers lie midway between two numbers of that many digits."""
    v = np.abs(v[np.isfinite(v) & (v != 0)])
    unit = np.exp2(np.frexp(v)[1] - float(digits))
    return (v / unit % 1 == 0.5).any()


def convolutions():
    made = {"convolution_forward": [], "convolution_backward_data": [], "convolution_backward_filter": []}
    for suffix, key, words, reach, ex, ew in CONVOLUTIONS:
        g = Geometry(key)
        dims, word = dict(zip("xwy", (g.x, g.w, g.y))), dict(zip("xwy", words))
        for operation, (a, b, out), f in (("convolution_forward", "xwy", g.forward),
                                          ("convolution_backward_data", "wyx", g.backward_data),
                                          ("convolution_backward_filter", "xyw", g.backward_filter)):
            c = Case(operation, "exact_" + suffix)
            role = {r: "d" + r if operation[12] == "b" and r in ("y", out) else r for r in "xwy"}
            for r in (a, b, out):
                c.operand(role[r], dims[r], layout(word[r], dims[r]))
            g.params(c)
            va, vb = whole(c, dims[a], reach, ex), whole(c, dims[b], reach, ew)
            c.feed(role[a], va)
            c.feed(role[b], vb)
            result = f(va, vb)
            assert suffix.startswith("subnormal") or ordinary(result, 11), (operation, suffix)
            c.expect(role[out], result)
            made[operation].append(c)
    return made


def biases():
    cases = []
    for suffix, dims, word, reach, exponent in BIASES:
        c = Case("convolution_backward_bias", "exact_" + suffix)
        small = (1, dims[1], 1, 1)
        c.operand("dy", dims, layout(word, dims))
        c.operand("db", small)
        dy = whole(c, dims, reach, exponent) + 2.0**exponent * 30
        dy = c.short(dy)
        c.feed("dy", dy)
        c.expect("db", dy.sum((0, 2, 3), keepdims=True))
        cases.append(c)
    return cases


def fused():
    cases = []
    for suffix, key, words, act, alpha1, alpha2 in (
            ("integers", "plain", ("nchw", "nchw", "nchw"), "relu", 1, 0.5),
            ("integers_gaps", "grouped", ("gapped", "nchw", "permuted"), "identity", 0.5, -1),
            ("overflow", "flipped", ("nhwc", "nhwc", "nhwc"), "relu", 2, 1)):
        c, g = Case("convolution_bias_activation_forward", "exact_" + suffix), Geometry(key)
        small = (1, g.y[1], 1, 1)
        for role, dims, word in (("x", g.x, words[0]), ("w", g.w, words[1]), ("z", g.y, OTHER[words[2]]),
                                 ("bias", small, "nchw"), ("y", g.y, words[2])):
            c.operand(role, dims, layout(word, dims))
        g.params(c)
        c.param(activation=act)
        if act == "identity":
            c.param(algo="implicit_precomp_gemm")
        c.param(alpha1=float(alpha1), alpha2=float(alpha2))
        x, w, z, bias = (whole(c, dims, reach) for dims, reach in ((g.x, 90), (g.w, 60), (g.y, 255), (small, 127)))
        for role, v in (("x", x), ("w", w), ("z", z), ("bias", bias)):
            c.feed(role, v)
        y = alpha1 * g.forward(x, w) + alpha2 * z + bias
        c.expect("y", np.maximum(y, 0.0) if act == "relu" else y)
        cases.append(c)
    return cases


def pooling():
    forward, backward = [], []
    for suffix, mode, dims, lx, ly in (("include", "average_include", (2, 3, 6, 4), "nchw", "nchw"),
                                       ("exclude_gaps", "average_exclude", (3, 2, 4, 6), "gapped", "view")):
        small = dims[:2] + (dims[2] // 2, dims[3] // 2)
        c = Case("pooling_forward", "exact_" + suffix)
        c.operand("x", dims, layout(lx, dims))
        c.operand("y", small, layout(ly, small))
        c.param(mode=mode, window=(2, 2), stride=(2, 2))
        x = whole(c, dims, 255)
        c.feed("x", x)
        c.expect("y", torch.nn.functional.avg_pool2d(torch.from_numpy(x), 2).numpy())
        forward.append(c)

        # Windows of 2 x 2 overlap, so an element gets a quarter of the gradient of each window that covers it.
        c = Case("pooling_backward", "exact_" + suffix)
        small = dims[:2] + (dims[2] - 1, dims[3] - 1)
        for role, d, word in (("y", small, ly), ("dy", small, ly), ("x", dims, lx), ("dx", dims, lx)):
            c.operand(role, d, layout(word, d))
        c.param(mode=mode, window=(2, 2))
        y, dy, x = whole(c, small, 9), whole(c, small, 255), whole(c, dims, 9)
        for role, v in (("y", y), ("dy", dy), ("x", x)):
            c.feed(role, v)
        t = torch.zeros(dims, dtype=torch.float64, requires_grad=True)
        torch.nn.functional.avg_pool2d(t, 2, 1).backward(torch.from_numpy(dy))
        c.expect("dx", t.grad.numpy())
        backward.append(c)
    return {"pooling_forward": forward, "pooling_backward": backward}


def scale():
    """x has 8 digits, and alpha has so many that products lie midway between two numbers of a type."""
    cases = []
    for name, dims, word, alpha, exponent, types in (
            ("ties_bf16", (2, 3, 4, 5), "gapped", 1.5, -6, None),
            ("ties_f16", (3, 2, 5, 4), "nchw", 17 / 16, -6, None),
            ("ties_f32", (2, 3, 5, 4), "view", 1 + 2.0**-17, -6, None),
            ("subnormal_f16", (2, 4, 3, 5), "permuted", 2.0**-5, -20, None),
            ("subnormal_bf16", (2, 5, 3, 4), "nchw", 2.0**-4, -130, ("f64", "f32", "bf16")),
            ("subnormal_inputs_f16", (2, 3, 5, 4), "gapped", 1.5, -24, None),
            ("subnormal_inputs_bf16", (2, 4, 3, 5), "view", 1.5 * 2.0**20, -133, ("f64", "f32", "bf16")),
            ("overflow_half", (3, 4, 2, 5), "nhwc", 1 + 2.0**-6, 8, None)):
        c = Case("scale_tensor", name)
        c.types = types or c.types
        c.operand("y", dims, layout(word, dims))
        c.param(alpha=alpha)
        y = c.integers(dims, *((64, 127) if "inputs" in name else (128, 255))) * 2.0**exponent
        y *= 1 - 2 * c.integers(dims, 0, 1)
        c.prior("y", y)
        c.expect("y", alpha * y)
        cases.append(c)
    return cases


# Pairs of 8 digits whose sums are near 65504, the largest half, and near 65520, which rounds to infinity.
LARGE = [(65280, 224), (65280, 232), (65280, 239), (65280, 240), (65280, 241), (61440, 4064), (61440, 4096),
         (65280, 255), (32640, 32640), (33024, 33024), (65280, -255), (65280, 2), (65280, 16), (65280, 17)]


def sums():
    made = {"add_tensor": [], "op_tensor": [], "transform_tensor": []}
    pairs = np.array(LARGE, dtype=float)
    pairs = np.concatenate([pairs, -pairs])
    dims = (2, 7, 1, 2)
    first, second = (pairs[:, i].reshape(dims) for i in range(2))
    for operation, roles in (("add_tensor", "xy"), ("transform_tensor", "xy"), ("op_tensor", "abc")):
        c = Case(operation, "overflow_half")
        for role in roles:
            c.operand(role, dims, layout("gapped" if role == "x" else "nchw", dims))
        if operation == "op_tensor":
            c.param(op="add")
        else:
            c.param(beta=1.0)
        c.feed(roles[0], first)
        (c.feed if operation == "op_tensor" else c.prior)(roles[1], second)
        c.expect(roles[-1], first + second)
        made[operation].append(c)
    for name, word, exponent in (("overflow_mul", "view", 0), ("subnormal_mul", "permuted", -13)):
        dims = (2, 3, 5, 4)
        c = Case("op_tensor", name)
        for role in "abc":
            c.operand(role, dims, layout(word, dims))
        c.param(op="mul")
        a, b = whole(c, dims, 255, exponent), whole(c, dims, 255, exponent + 1)
        c.feed("a", a)
        c.feed("b", b)
        c.expect("c", a * b)
        made["op_tensor"].append(c)
    return made


def sets():
    """Makes cases in which the value must be rounded to the tensor's type."""
    cases = []
    for name, value in (("rounded", 0.1), ("rounded_tie", 2049.0), ("rounded_subnormal", 3 * 2.0**-25),
                        ("overflow_half", 65520.0), ("largest_half", 65519.0)):
        c = Case("set_tensor", name)
        c.operand("y", (2, 3, 1, 4), layout("gapped", (2, 3, 1, 4)))
        c.param(value=value)
        c.expect("y", np.full((2, 3, 1, 4), value))
        cases.append(c)
    return cases


def reductions():
    cases = []
    for suffix, op, dims, over, exponent in (
            ("add", "add", (2, 3, 6, 5), (0, 2), 0), ("avg", "avg", (4, 3, 2, 5), (0, 2), 0),
            ("norm1", "norm1", (3, 2, 5, 4), (0, 3), -2), ("overflow_add", "add", (3, 4, 5, 6), (0, 2, 3), 3)):
        c = Case("reduce_tensor", "exact_" + suffix)
        small = tuple(1 if i in over else d for i, d in enumerate(dims))
        c.operand("a", dims, layout("view", dims))
        c.operand("c", small)
        c.param(op=op)
        a = c.integers(dims, -100 if exponent < 3 else 50, 255) * 2.0**exponent
        c.feed("a", a)
        c.expect("c", {"add": np.sum, "avg": np.mean, "norm1": lambda v, *_, **k: np.abs(v).sum(**k)}[op](
            a, axis=over, keepdims=True))
        cases.append(c)
    return cases


def make():
    made = convolutions()
    made.update(pooling())
    made.update(sums())
    made.update({"convolution_backward_bias": biases(), "convolution_bias_activation_forward": fused(),
                 "scale_tensor": scale(), "set_tensor": sets(), "reduce_tensor": reductions()})
    return made
