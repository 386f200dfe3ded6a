# SPDX-License-Identifier: Apache-2.0
"""Vectors of transforms of integers and between types. The oracle is NumPy in double. `out` is the result before its
single rounding, so that one set of numbers serves every combination of types."""

import numpy as np

from vec_convolution import layout
from vec_transform import folded, padded, unfolded
from vecfile import Case, FLOATS, mixes, nearest

SHORT_FLOATS = ["f32", "f16", "bf16"]
SIGNED = ["s8", "s8x4", "s8x32"]
UNSIGNED = ["u8", "u8x4"]


def pairs(sources, targets):
    """Returns the words of a types line, except for one floating type on both sides, which needs no word."""
    return mixes("x y", *("%s %s" % (s, t) for s in sources for t in targets if s != t or s not in FLOATS))


TRANSFORMS = pairs(SHORT_FLOATS + SIGNED, SHORT_FLOATS + SIGNED)
UNSIGNED_TRANSFORMS = pairs(UNSIGNED, UNSIGNED)
NARROWING = pairs(SHORT_FLOATS, SHORT_FLOATS + SIGNED)
FILTERS = pairs(SHORT_FLOATS + ["s8"], SHORT_FLOATS + ["s8"])
INTEGERS = SIGNED + UNSIGNED + ["s32"]
REAL = float(np.float32(0.3719))  # a factor without ties


def whole(c, dims, ends):
    return c.integers(dims, *ends)


def exact_in_float(*parts):
    return all(np.array_equal(p, nearest("f32", p), equal_nan=True) for p in parts)


def blended(c, role, r, alpha, beta, ends):
    """Adds the expected values alpha r + beta y, with their terms unless they are exact in float. 32-bit integers are
    scaled in double."""
    out, terms = alpha * r, np.abs(alpha * r)
    exact = exact_in_float(alpha, out) or beta == 0 and alpha == 1
    if beta != 0:
        prior = whole(c, r.shape, ends)
        c.prior(role, prior)
        out, terms = out + beta * prior, terms + np.abs(beta * prior)
        exact = exact and exact_in_float(out, beta * prior)
    c.expect(role, out, None if exact or c.all_kinds(role) == {"s32"} else terms)


# name, types, dims, ends of x's integers, layouts of x, y, factors
COPIES = [
    ("signed", TRANSFORMS, (2, 32, 1, 3), (-128, 127), "nchw", "nchw", 1, 0),
    ("signed_ties", TRANSFORMS, (1, 32, 3, 2), (-128, 127), "gapped", "nchw", 0.5, 0),
    ("signed_ties_blend", TRANSFORMS, (2, 32, 2, 1), (-128, 127), "nchw", "permuted", -1.5, 0.5),
    ("signed_saturated", TRANSFORMS, (1, 64, 1, 2), (-128, 127), "permuted", "gapped", 3, 0),
    ("signed_real_factors", TRANSFORMS, (1, 32, 2, 2), (-128, 127), "nchw", "gapped", REAL, -REAL),
    ("signed_volume_ties", TRANSFORMS, (1, 32, 2, 1, 2), (-128, 127), "gapped", "permuted", 1.25, 1),
    ("unsigned", UNSIGNED_TRANSFORMS, (2, 8, 3, 2), (0, 255), "nchw", "gapped", 1, 0),
    ("unsigned_ties", UNSIGNED_TRANSFORMS, (2, 4, 2, 3), (0, 255), "permuted", "nchw", 0.5, 0),
    ("unsigned_ties_blend", UNSIGNED_TRANSFORMS, (1, 8, 3, 4), (0, 255), "nchw", "nchw", -1, 1.5),
    ("unsigned_saturated", UNSIGNED_TRANSFORMS, (3, 4, 2, 2), (0, 255), "gapped", "permuted", 1.5, 0),
    ("unsigned_real_factors", UNSIGNED_TRANSFORMS, (1, 12, 2, 3), (0, 255), "nchw", "gapped", REAL, REAL),
    ("unsigned_volume", UNSIGNED_TRANSFORMS, (2, 4, 2, 1, 3), (0, 255), "nchw", "nchw", 2, -1),
    ("int32", pairs(["s32"], ["s32"]), (2, 3, 4, 5), (-2**31, 2**31 - 1), "nchw", "gapped", 1, 0),
    ("int32_ties", pairs(["s32"], ["s32"]), (3, 2, 5, 4), (-2**31, 2**31 - 1), "permuted", "nchw", 0.5, 0),
    ("int32_saturated", pairs(["s32"], ["s32"]), (2, 5, 3, 4), (-2**31, 2**31 - 1), "gapped", "view", -3, 1),
    ("int32_small_ties", pairs(["s32"], ["s32"]), (2, 4, 3, 5), (-9, 9), "nhwc", "nchw", 0.25, 0.5),
    ("int32_blend", pairs(["s32"], ["s32"]), (2, 3, 5, 4), (-2**20, 2**20), "nchw", "permuted", -1, 2),
    ("int32_volume", pairs(["s32"], ["s32"]), (2, 3, 2, 1, 4), (-1000, 1000), "view", "nchw", 1.5, 0),
]


def copies():
    cases = []
    for name, types, dims, ends, lx, ly, alpha, beta in COPIES:
        c = Case("transform_tensor", "mixed_" + name, types)
        c.operand("x", dims, layout(lx, dims))
        c.operand("y", dims, layout(ly, dims))
        c.blend(alpha, beta)
        x = whole(c, dims, ends)
        c.feed("x", x)
        blended(c, "y", x, alpha, beta, ends)
        cases.append(c)
    cases.append(fractions("mixed_reals_ties", (2, 32, 1, 3), "nchw", "nchw", 1))
    cases.append(fractions("mixed_reals_ties_gaps", (1, 32, 2, 2), "gapped", "permuted", -2))
    return cases + [narrowed("narrowed_ties"), narrowed("narrowed_overflow")]


def odd_reals(c, dims):
    """Returns halves, infinities, NaN, and numbers beyond the range of small integers."""
    x = c.integers(dims, -255, 255) / 2
    few = x.ravel()[::11]
    few[:] = np.resize([np.nan, np.inf, -np.inf, 400, -400, 0.5, -0.5, 1.5, 2.5, 127.5, -128.5], few.size)
    return c.short(x)


def fractions(name, dims, lx, ly, alpha):
    c = Case("transform_tensor", name, NARROWING)
    c.operand("x", dims, layout(lx, dims))
    c.operand("y", dims, layout(ly, dims))
    c.blend(alpha, 0)
    x = odd_reals(c, dims)
    c.feed("x", x)
    c.expect("y", alpha * x)
    return c


def narrowed(name):
    """Makes a case that converts floats of 24 digits to 16-bit types."""
    c = Case("transform_tensor", name, mixes("x y", "f32 f16", "f32 bf16"))
    dims = (2, 3, 4, 5)
    c.operand("x", dims)
    c.operand("y", dims, layout("gapped", dims))
    x = c.integers(dims, 2**23, 2**24) * 2.0**-20 * (1 - 2 * c.integers(dims, 0, 1))
    special = [65519, 65520, 65521, -65519.996, 2049, 2051, 257, 259, 2.0**-25, 1.5 * 2.0**-25, 3 * 2.0**-25,
               2.0**-24, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-11 + 2.0**-23, 1 + 2.0**-8, 1 + 3 * 2.0**-8,
               1 + 2.0**-8 - 2.0**-23, np.nan, np.inf, -np.inf, 2.0**-14 - 2.0**-25, 2.0**-14 - 2.0**-26]
    if c.overflows:
        special += [3.4e38, -3.4e38, 3.3961775e38, 3.3895314e38, 1e5, -7e4, 131008, 1e-45, -1e-40]
        x *= 2.0**12
    x.ravel()[:len(special)] = nearest("f32", special)
    x = x if c.overflows else np.where(np.abs(x) > 65000, 1.0, x)
    c.feed("x", x)
    c.expect("y", x)
    return c


# name, dims, fold, pad before, pad after, direction, layouts of x, y; the channels of every tensor are a multiple of 32
FOLDS = [
    ("reals_ties", (1, 32, 2, 3), (1, 3), (0, 0, 0, 1), (0, 0, 0, 0), "fold", "nchw", "nchw"),
    ("copy", (2, 32, 1, 3), (1, 1), (0, 0, 0, 0), (0, 0, 0, 0), "fold", "gapped", "nchw"),
    ("fold", (1, 32, 2, 2), (1, 2), (0, 0, 0, 0), (0, 0, 0, 0), "fold", "nchw", "nchw"),
    ("fold_rounded_up", (1, 32, 3, 1), (2, 1), (0, 0, 0, 0), (0, 0, 0, 0), "fold", "permuted", "nchw"),
    ("pad", (1, 32, 1, 2), (1, 1), (0, 0, 1, 0), (1, 0, 0, 1), "fold", "nchw", "nchw"),
    ("pad_channels", (1, 32, 2, 1), (1, 1), (0, 32, 0, 0), (0, 0, 0, 1), "fold", "nchw", "nchw"),
    ("cut", (2, 64, 2, 2), (1, 1), (-1, -32, 0, -1), (0, 0, 1, 0), "fold", "nchw", "nchw"),
    ("unfold", (1, 128, 1, 2), (2, 1), (0, 0, 0, 0), (0, 0, 0, 0), "unfold", "nchw", "nchw"),
]


def folds(operation, types):
    cases = []
    for name, dims, fold, before, after, direction, lx, ly in FOLDS:
        if operation == "transform_filter":
            dims = (dims[0] + 1, dims[1] // 8) + dims[2:]
            before, after = ((b[0], b[1] // 8) + b[2:] for b in (before, after))
            lx = ly = "nhwc" if lx == "gapped" else "nchw"
        c = Case(operation, "mixed_" + name, types)
        x = whole(c, dims, (0, 127))
        if name == "reals_ties":
            c.types = tuple(w for w in types if w.startswith(("x=f", "x=b")))
            x = odd_reals(c, dims)
        y = folded(padded(x, before, after), fold) if direction == "fold" else padded(unfolded(x, fold), before, after)
        c.operand("x", dims, layout(lx, dims))
        c.operand("y", y.shape, layout(ly, y.shape))
        c.param(pad_before=before, pad_after=after, fold=fold, direction=direction)
        c.feed("x", x)
        c.expect("y", y)
        cases.append(c)
    return cases


def make():
    return {"transform_tensor": copies(),
            "transform_filter": folds("transform_filter", FILTERS + pairs(["u8"], ["u8"])),
            "transform_tensor_ex": folds("transform_tensor_ex",
                                         TRANSFORMS + UNSIGNED_TRANSFORMS + pairs(["s32"], ["s32"]))}
