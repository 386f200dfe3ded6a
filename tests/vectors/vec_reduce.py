# SPDX-License-Identifier: Apache-2.0
"""Reduction vectors. The oracle is NumPy's reductions in double, and its argmin and argmax over the reduced dimensions
as one axis. NaN has cuDNN's results (tests/probes)."""

import numpy as np

from vec_convolution import finish, layout, magnitude
from vecfile import Case

# case name, dims, reduced dims, op, width of indices or None, layout of a, of c, factors, nan, trait
CASES = [
    ("add", (2, 3, 5, 4), (0, 2, 3), "add", None, "nchw", "nchw", 1, 0, None, "reals"),
    ("add_gaps", (3, 2, 4, 5), (1, 3), "add", None, "gapped", "gapped", -0.5, 2, None, ""),
    ("add_all", (2, 5, 3, 4), (0, 1, 2, 3), "add", None, "permuted", "nchw", 1, 1, None, ""),
    ("add_nothing", (2, 3, 4, 5), (), "add", None, "view", "permuted", 1.5, 0, None, ""),
    ("add_nan", (2, 3, 4, 5), (1,), "add", None, "nchw", "nchw", 1, 0, "ignore", "nan"),
    ("mul", (2, 3, 4, 5), (2,), "mul", None, "view", "nchw", 1, 0, None, ""),
    ("mul_rows", (3, 5, 2, 4), (0, 2), "mul", None, "nchw", "gapped", 2, -1, None, ""),
    ("mul_no_zeros", (2, 4, 3, 5), (1, 2), "mul_no_zeros", None, "nhwc", "nchw", 1, 0, None, "zeros"),
    ("mul_zeros", (2, 4, 3, 5), (0, 2), "mul", None, "nchw", "nchw", 1, 0, None, "zeros"),
    ("avg", (2, 3, 5, 4), (2, 3), "avg", None, "nchw", "nchw", 1, 0, None, "reals"),
    ("avg_gaps", (4, 3, 2, 5), (0,), "avg", None, "permuted", "view", 1.25, 0.5, None, ""),
    ("norm1", (2, 3, 4, 5), (1, 2, 3), "norm1", None, "view", "nchw", 1, 0, None, ""),
    ("norm1_nothing", (3, 2, 5, 4), (), "norm1", None, "nchw", "nhwc", 1, 0, None, ""),
    ("norm2", (3, 2, 4, 5), (0, 3), "norm2", None, "gapped", "nchw", 1, 0, None, ""),
    ("norm2_blend", (2, 5, 3, 4), (2,), "norm2", None, "nchw", "permuted", -2, 0.25, None, ""),
    ("norm2_nan", (2, 3, 4, 5), (3,), "norm2", None, "nchw", "nchw", 1, 0, "ignore", "nan"),
    ("min", (2, 3, 4, 5), (1, 3), "min", None, "nchw", "nchw", 1, 0, None, ""),
    ("max", (2, 5, 4, 3), (0, 2), "max", None, "gapped", "view", 1, 0, None, ""),
    ("amax_blend", (3, 2, 5, 4), (1,), "amax", None, "permuted", "nchw", -0.5, 1, None, ""),
    ("min_indices_32", (2, 3, 4, 5), (0, 3), "min", "u32", "nchw", "nchw", 1, 0, None, "ties"),
    ("max_indices_32_gaps", (3, 4, 2, 5), (1, 2), "max", "u32", "gapped", "permuted", 1, 0, None, "ties"),
    ("amax_indices_32", (2, 5, 4, 3), (1, 3), "amax", "u32", "view", "nchw", 1, 0, None, "ties"),
    ("max_indices_32_blend", (2, 3, 5, 4), (2, 3), "max", "u32", "nchw", "gapped", 1.5, -1, None, "ties"),
    ("max_indices_8", (4, 2, 5, 3), (0,), "max", "u8", "permuted", "nchw", 1, 0, None, "ties"),
    ("min_indices_16", (2, 3, 5, 4), (1, 2, 3), "min", "u16", "nchw", "nchw", 1, 0, None, "ties"),
    ("amax_indices_64", (3, 2, 4, 5), (0, 2), "amax", "u64", "gapped", "view", 1, 0, None, "ties"),
    ("max_indices_nothing", (2, 3, 4, 5), (), "max", "u32", "nchw", "nchw", 1, 0, None, ""),
    ("max_indices_all", (2, 3, 4, 5), (0, 1, 2, 3), "max", "u32", "permuted", "nchw", 1, 0, None, "ties"),
    ("min_nan_ignored", (2, 3, 5, 4), (0, 2), "min", "u32", "nchw", "nchw", 1, 0, "ignore", "nan"),
    ("max_nan_propagated", (2, 3, 5, 4), (1, 2), "max", "u32", "gapped", "nchw", 1, 0, "propagate", "nan"),
    ("amax_nan_ignored", (3, 2, 4, 5), (1, 3), "amax", "u64", "view", "nchw", 1, 0, "ignore", "nan"),
    ("amax_nan_propagated", (3, 2, 4, 5), (1, 3), "amax", "u16", "nchw", "nchw", 1, 0, "propagate", "nan"),
    ("max_infinite", (2, 3, 4, 5), (0, 1), "max", "u32", "nchw", "nchw", 1, 0, None, "infinite"),
    ("min_infinite", (2, 3, 4, 5), (0, 1), "min", "u32", "nchw", "nchw", 1, 0, None, "infinite"),
    ("volume_max", (2, 3, 4, 2, 3), (0, 3), "max", "u32", "permuted", "nchw", 1, 0, None, "ties"),
    ("volume_avg", (2, 3, 4, 1, 5), (2, 4), "avg", None, "gapped", "nchw", 1, 0, None, ""),
    ("three_dims_add", (4, 3, 5), (0, 2), "add", None, "view", "nchw", 1, 0, None, ""),
    ("half_digits_add", (3, 2, 4, 5), (0, 2), "add", None, "gapped", "nchw", 1, 0, None, ""),
    ("half_digits_max", (2, 3, 4, 5), (1,), "max", "u32", "nchw", "view", 1, 0, None, ""),
    ("double_digits_norm2", (2, 3, 1, 4), (1,), "norm2", None, "nchw", "view", 1, 0, None, ""),
    ("double_digits_max", (2, 3, 1, 4), (1,), "max", "u32", "nchw", "nchw", 1, 0, None, ""),
    ("alpha_zero", (2, 3, 4, 5), (2,), "add", None, "nchw", "gapped", 0, -2, None, ""),
    # The query to cuDNN 9.19: a reduction of 2,1,2,3 to 2,1,1,1.
    ("cudnn_min_ignored", (2, 1, 2, 3), (2, 3), "min", "u32", "nchw", "nchw", 1, 0, "ignore", "cudnn"),
    ("cudnn_max_ignored", (2, 1, 2, 3), (2, 3), "max", "u32", "nchw", "nchw", 1, 0, "ignore", "cudnn"),
    ("cudnn_amax_ignored", (2, 1, 2, 3), (2, 3), "amax", "u32", "nchw", "nchw", 1, 0, "ignore", "cudnn"),
    ("cudnn_min_propagated", (2, 1, 2, 3), (2, 3), "min", "u32", "nchw", "nchw", 1, 0, "propagate", "cudnn"),
    ("cudnn_max_propagated", (2, 1, 2, 3), (2, 3), "max", "u32", "nchw", "nchw", 1, 0, "propagate", "cudnn"),
    ("cudnn_amax_propagated", (2, 1, 2, 3), (2, 3), "amax", "u32", "nchw", "nchw", 1, 0, "propagate", "cudnn"),
    ("cudnn_add", (2, 1, 2, 3), (2, 3), "add", None, "nchw", "nchw", 1, 0, None, "cudnn"),
    ("cudnn_mul_no_zeros", (2, 1, 2, 3), (2, 3), "mul_no_zeros", None, "nchw", "nchw", 1, 0, None, "cudnn"),
    ("cudnn_norm2", (2, 1, 2, 3), (2, 3), "norm2", None, "nchw", "nchw", 1, 0, "propagate", "cudnn"),
]

# op and NaN option: the values and indices of cuDNN
CUDNN = {
    "cudnn_min_ignored": ([-9, 1], [3, 2]), "cudnn_max_ignored": ([5, 4], [1, 3]),
    "cudnn_amax_ignored": ([9, 4], [3, 3]), "cudnn_min_propagated": ([-9, np.nan], [3, 1]),
    "cudnn_max_propagated": ([5, np.nan], [1, 1]), "cudnn_amax_propagated": ([9, np.nan], [3, 1]),
    "cudnn_add": ([4, np.nan], None), "cudnn_mul_no_zeros": ([-450, np.nan], None),
    "cudnn_norm2": ([11.6619034, np.nan], None)}


def draw(c, dims, trait):
    if trait == "cudnn":
        return np.array([1, 5, 5, -9, 2, 0, 3, np.nan, 1, 4, np.nan, 2.0]).reshape(dims)
    if trait == "ties":
        return c.integers(dims, -3, 3) / 2
    a = c.reals(dims, None if trait == "reals" else 5)
    if trait == "nan":
        a.ravel()[1::7] = np.nan
    if trait == "zeros":
        a.ravel()[::4] = 0.0
    if trait == "infinite":
        a.ravel()[::6], a.ravel()[5::7] = -np.inf, np.inf
    return a


def reduced(op, rows, propagate):
    """Returns value, terms of the bound (None: exact) and index for rows along axis 1."""
    size = magnitude(rows)
    if op in ("min", "max", "amax"):
        v = np.abs(rows) if op == "amax" else rows
        lost = np.isnan(v)
        worst = np.inf if op == "min" else -np.inf
        clean = np.where(lost, worst, v)
        index = clean.argmin(1) if op == "min" else clean.argmax(1)
        value = clean.min(1) if op == "min" else clean.max(1)
        assert not lost.all(1).any()
        if propagate:
            value = np.where(lost.any(1), np.nan, value)
            index = np.where(lost.any(1), lost.argmax(1), index)
        return value, None, index
    n = rows.shape[1]
    if op in ("mul", "mul_no_zeros"):
        value = (np.where(rows == 0, 1.0, rows) if op == "mul_no_zeros" else rows).prod(1)
        return value, n * magnitude(value), None
    if op == "norm2":
        return np.sqrt((rows * rows).sum(1)), np.sqrt((size * size).sum(1)), None
    if op == "norm1":
        return np.abs(rows).sum(1), size.sum(1), None
    scale = n if op == "avg" else 1
    return rows.sum(1) / scale, size.sum(1) / scale, None


def one_case(name, dims, over, op, width, la, lc, alpha, beta, nan, trait):
    c = Case("reduce_tensor", name)
    small = tuple(1 if i in over else d for i, d in enumerate(dims))
    c.operand("a", dims, layout(la, dims))
    c.operand("c", small, layout(lc, small))
    if width:
        c.operand("indices", small, kind=width)
    c.param(op=op)
    if nan:
        c.param(nan=nan)
    c.blend(alpha, beta)
    a = draw(c, dims, trait)
    c.feed("a", a)
    kept = [i for i in range(len(dims)) if i not in over]
    rows = a.transpose(kept + list(over)).reshape(int(np.prod([dims[i] for i in kept])), -1)
    value, terms, index = reduced(op, rows, nan == "propagate")
    if name in CUDNN:
        assert np.allclose(value, CUDNN[name][0], 1e-6, equal_nan=True), name
        assert index is None or (index == CUDNN[name][1]).all(), name
    value = value.reshape(small)
    if terms is None and alpha == 1 and beta == 0:
        c.expect("c", value)
    else:
        terms = magnitude(value) if terms is None else terms.reshape(small)
        finish(c, "c", value, terms, rows.shape[1], alpha, beta)
    if width:
        c.expect("indices", index.reshape(small))
    return c


def make():
    return {"reduce_tensor": [one_case(*row) for row in CASES]}
