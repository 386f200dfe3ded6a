# SPDX-License-Identifier: Apache-2.0
"""Vectors of tensor arithmetic on integers and between types: add, set, scale, op, reduce. The oracle is NumPy in
double. `out` is the result before its single rounding."""

import numpy as np

from vec_convolution import layout
from vec_mixed import INTEGERS, REAL, SIGNED, UNSIGNED, blended, exact_in_float, whole
from vec_reduce import reduced
from vec_tensor import op_terms
from vecfile import Case, mixes

ARITHMETIC = ["f32 f16", "f32 bf16", "f32 s8", "f16 f32", "bf16 f32", "s8 f32", "s8 s8"]


# name, types, dims, shared dims of x, ends, layouts of x, y, factors
SUMS = [
    ("same", INTEGERS, (2, 32, 1, 3), (), (0, 127), "nchw", "nchw", 1, 1),
    ("bias_ties", INTEGERS, (2, 32, 2, 2), (0, 2, 3), (0, 127), "nchw", "gapped", 0.5, 1),
    ("image_ties", INTEGERS, (2, 64, 1, 2), (0,), (0, 127), "gapped", "nchw", -1, 0.5),
    ("saturated", INTEGERS, (1, 32, 3, 2), (2,), (0, 127), "nchw", "permuted", 3, -1),
    ("beta_zero_ties", INTEGERS, (2, 32, 1, 2), (0, 3), (0, 127), "permuted", "nchw", 1.5, 0),
    ("real_factors", INTEGERS, (1, 32, 2, 3), (0, 2, 3), (0, 127), "nchw", "gapped", REAL, -0.7071),
    ("volume_ties", INTEGERS, (1, 32, 2, 1, 2), (2,), (0, 127), "nchw", "nchw", 2.5, -1),
    ("signed_ties", SIGNED, (2, 32, 1, 3), (0,), (-128, 127), "nchw", "gapped", 0.5, 1),
    ("signed_saturated", SIGNED, (1, 32, 2, 3), (), (-128, 127), "gapped", "nchw", -2, 1.5),
    ("scalar_ties", ["s8", "u8", "s32"], (2, 3, 4, 5), (0, 1, 2, 3), (0, 127), "nchw", "nhwc", 1, 0.5),
    ("channels_shared", ["s8", "u8", "s32"], (3, 5, 2, 4), (1, 3), (0, 127), "view", "view", 1, 1),
    ("int32_large", ["s32"], (2, 3, 5, 4), (0, 2), (-2**31, 2**31 - 1), "nchw", "gapped", 1, 1),
    ("int32_large_ties", ["s32"], (2, 5, 3, 4), (), (-2**31, 2**31 - 1), "nchw", "nchw", -0.5, 0.5),
]


def sums():
    cases = []
    for name, types, dims, shared, ends, lx, ly, alpha, beta in SUMS:
        c = Case("add_tensor", "integer_" + name, mixes("x y", *types))
        small = tuple(1 if i in shared else d for i, d in enumerate(dims))
        alpha, beta = float(np.float32(alpha)), float(np.float32(beta))
        c.operand("x", small, layout(lx, small))
        c.operand("y", dims, layout(ly, dims))
        c.blend(alpha, beta)
        x = whole(c, small, ends)
        c.feed("x", x)
        blended(c, "y", np.broadcast_to(x, dims), alpha, beta, ends)
        cases.append(c)
    return cases


def sets():
    cases = []
    for name, word, value in (("7", "nchw", 7.0), ("100", "gapped", 100.0), ("0", "permuted", 0.0),
                              ("tie_2", "gapped", 2.5), ("tie_0", "nchw", 0.5), ("tie_100", "permuted", 99.5),
                              ("negative", "gapped", -1.75), ("large", "nchw", 300.0), ("not_a_number", "nchw", np.nan),
                              ("infinite", "gapped", -np.inf)):
        c = Case("set_tensor", "integer_" + name, mixes("y", *INTEGERS))
        dims = (2, 32, 1, 3)
        c.operand("y", dims, layout(word, dims))
        if value != 0:
            c.param(value=value)
        c.expect("y", np.full(dims, value))
        cases.append(c)
    return cases


def scales():
    cases = []
    for name, types, dims, ends, word, alpha in (
            ("ties", INTEGERS, (2, 32, 1, 3), (0, 127), "nchw", 0.5),
            ("ties_gaps", INTEGERS, (1, 64, 2, 1), (0, 127), "gapped", -1.25),
            ("saturated", INTEGERS, (1, 32, 2, 3), (0, 127), "permuted", 3.0),
            ("by_one", INTEGERS, (1, 32, 2, 2), (0, 127), "gapped", 1.0),
            ("real_factor", INTEGERS, (2, 32, 1, 2), (0, 127), "nchw", REAL),
            ("volume_ties", INTEGERS, (1, 32, 2, 1, 2), (0, 127), "nchw", 2.5),
            ("signed_ties", SIGNED, (1, 32, 3, 2), (-128, 127), "gapped", -0.5),
            ("signed_saturated", SIGNED, (1, 64, 1, 2), (-128, 127), "nchw", -1.0),
            ("unsigned_ties", UNSIGNED, (2, 8, 2, 3), (0, 255), "permuted", 0.75),
            ("int32_large_ties", ["s32"], (2, 3, 4, 5), (-2**31, 2**31 - 1), "view", 0.5),
            ("int32_large", ["s32"], (2, 5, 3, 4), (-2**31, 2**31 - 1), "nchw", -1.0)):
        c = Case("scale_tensor", "integer_" + name, mixes("y", *types))
        c.operand("y", dims, layout(word, dims))
        if alpha != 1:
            c.param(alpha=alpha)
        y = whole(c, dims, ends)
        c.prior("y", y)
        exact = exact_in_float(alpha * y) or types == ["s32"]
        c.expect("y", alpha * y, None if exact else np.abs(alpha * y))
        cases.append(c)
    return cases


# name, dims, shared dims of b, op, layouts of a, b, c, alpha1, alpha2, beta, nan
OPS = [
    ("add_ties", (2, 3, 4, 5), (0, 2, 3), "add", "nchw nchw nchw", 0.5, 1, 0),
    ("add_blend", (3, 2, 5, 4), (1,), "add", "gapped view permuted", -1, 2, 0.5),
    ("mul_ties", (2, 5, 3, 4), (), "mul", "nchw permuted gapped", 0.25, 0.25, 0),
    ("mul_saturated", (2, 3, 5, 4), (0, 1), "mul", "view nchw nchw", 1, 1, 0),
    ("min_blend_ties", (4, 3, 2, 5), (3,), "min", "nhwc nhwc nhwc", 1, -0.5, 1),
    ("max", (2, 4, 5, 3), (0, 3), "max", "permuted nchw gapped", 1, 1, 0),
    ("sqrt", (3, 4, 5, 2), (0, 1, 2, 3), "sqrt", "nchw nchw view", 2, 1, 0),
    ("not_ties", (2, 3, 4, 5), (), "not", "gapped nchw nchw", 1.5, 1, -1),
    ("add_volume", (2, 3, 1, 4, 3), (2, 4), "add", "nchw gapped permuted", 1, 1, 1),
]


def ops():
    cases = []
    for name, dims, shared, op, words, alpha1, alpha2, beta in OPS:
        c = Case("op_tensor", "mixed_" + name, mixes("a b c", *(k.split()[0] + " " + k for k in ARITHMETIC)))
        small = tuple(1 if i in shared else d for i, d in enumerate(dims))
        for role, d, word in zip("abc", (dims, small, dims), words.split()):
            c.operand(role, d, layout(word, d))
        c.param(op=op)
        for key, value, default in (("alpha1", alpha1, 1), ("alpha2", alpha2, 1), ("beta", beta, 0)):
            if value != default:
                c.param(**{key: float(value)})
        a, b = whole(c, dims, (-128, 127)), whole(c, small, (-128, 127))
        c.feed("a", a)
        c.feed("b", b)
        p, q = alpha1 * a, np.broadcast_to(alpha2 * b, dims)
        with np.errstate(invalid="ignore"):
            r = {"add": p + q, "mul": p * q, "min": np.fmin(p, q), "max": np.fmax(p, q), "sqrt": np.sqrt(p),
                 "not": 1 - p}[op]
        if op == "sqrt":
            c.expect("c", r, op_terms(op, p, q, r))
        else:
            blended(c, "c", r, 1, beta, (-100, 100))
        cases.append(c)
    return cases


# name, dims, reduced dims, op, width of indices, layouts of a, c, alpha, beta
REDUCTIONS = [
    ("add", (2, 3, 2, 4), (0, 2), "add", None, "nchw", "nchw", 1, 0),
    ("add_ties_blend", (3, 4, 2, 5), (3,), "add", None, "gapped", "permuted", 0.25, -1),
    ("avg_ties", (2, 5, 4, 3), (0, 2), "avg", None, "nchw", "gapped", 2, 0),
    ("avg_all", (2, 4, 2, 4), (0, 1, 2, 3), "avg", None, "permuted", "nchw", 8, 0),
    ("mul", (2, 3, 5, 4), (0,), "mul", None, "view", "nchw", 1, 0),
    ("mul_no_zeros", (3, 2, 4, 5), (1,), "mul_no_zeros", None, "nchw", "nchw", -1, 0),
    ("min_ties", (2, 3, 4, 5), (1, 3), "min", "u32", "nchw", "nchw", 0.5, 0),
    ("max_indices_8", (4, 5, 2, 3), (0, 2), "max", "u8", "gapped", "view", 1, 0),
    ("amax_saturated", (2, 5, 3, 4), (2, 3), "amax", "u16", "nhwc", "nchw", -3, 1),
    ("norm1", (2, 6, 2, 3), (3,), "norm1", None, "permuted", "nchw", 1, 0),
    ("norm2", (3, 2, 4, 5), (0, 3), "norm2", None, "nchw", "nchw", 0.375, 0),
    ("volume_max", (2, 3, 2, 2, 3), (1, 4), "max", "u64", "nchw", "permuted", 1, 0),
]


def reductions():
    cases = []
    for name, dims, over, op, width, la, lc, alpha, beta in REDUCTIONS:
        c = Case("reduce_tensor", "mixed_" + name, mixes("a c", *ARITHMETIC))
        small = tuple(1 if i in over else d for i, d in enumerate(dims))
        c.operand("a", dims, layout(la, dims))
        c.operand("c", small, layout(lc, small))
        if width:
            c.operand("indices", small, kind=width)
        c.param(op=op)
        c.blend(alpha, beta)
        a = whole(c, dims, (-20, 20) if op == "mul_no_zeros" else (-128, 127))
        c.feed("a", a)
        kept = [i for i in range(len(dims)) if i not in over]
        rows = a.transpose(kept + list(over)).reshape(int(np.prod([dims[i] for i in kept])), -1)
        value, terms, index = reduced(op, rows, False)
        if op == "norm2":
            c.expect("c", alpha * value.reshape(small), alpha * terms.reshape(small), rows.shape[1])
        else:
            blended(c, "c", value.reshape(small), alpha, beta, (-100, 100))
        if width:
            c.expect("indices", index.reshape(small))
        cases.append(c)
    return cases


def make():
    return {"add_tensor": sums(), "set_tensor": sets(), "scale_tensor": scales(), "op_tensor": ops(),
            "reduce_tensor": reductions()}
