# SPDX-License-Identifier: Apache-2.0
"""Vectors of the tensor operations. The oracle is NumPy's broadcasting arithmetic in double."""

import itertools

import numpy as np

from vec_convolution import finish, layout, magnitude
from vecfile import Case


def transform_tensor():
    cases = []
    for name, dims, lx, ly, alpha, beta in (
            ("nchw_to_nhwc", (2, 3, 5, 4), "nchw", "nhwc", 1, 0),
            ("nhwc_to_nchw", (3, 5, 2, 4), "nhwc", "nchw", 1, 0),
            ("view_to_packed", (2, 4, 3, 5), "view", "nchw", 1, 0),
            ("packed_to_view", (5, 2, 4, 3), "nchw", "view", -0.5, 0),
            ("permuted_to_gapped", (2, 3, 4, 7), "permuted", "gapped", 1.25, -2),
            ("gapped_to_nhwc", (3, 4, 5, 2), "gapped", "nhwc", 1, 1),
            ("volume", (2, 3, 4, 1, 5), "nchw", "nhwc", 1, 0),
            ("volume_permuted", (2, 5, 3, 4, 2), "gapped", "permuted", 3, 0.5),
            ("three_dims", (4, 3, 5), "permuted", "view", 1, 0),
            ("six_dims", (2, 3, 1, 4, 2, 3), "permuted", "view", 1, 0),
            ("double_digits", (2, 3, 1, 4), "view", "nhwc", 1, 0),
            ("half_digits", (2, 3, 5, 4), "gapped", "nhwc", -1, 1.5),
            ("alpha_zero", (2, 3, 5, 4), "nchw", "gapped", 0, 0.75),
            ("not_a_number", (2, 3, 4, 5), "gapped", "permuted", 1, 0)):
        c = Case("transform_tensor", name)
        c.operand("x", dims, layout(lx, dims))
        c.operand("y", dims, layout(ly, dims))
        c.blend(alpha, beta)
        x = c.reals(dims, None if name.startswith("nchw_") else 5)
        if name == "not_a_number":
            x.ravel()[:3] = [np.nan, np.inf, -np.inf]
        c.feed("x", x)
        if beta == 0:
            c.expect("y", alpha * x)
        else:
            finish(c, "y", x, np.abs(x), 1, alpha, beta)
        cases.append(c)
    return cases


def add_tensor():
    cases = []
    for name, dims, shared, lx, ly, alpha, beta in (
            ("same", (2, 3, 5, 4), (), "nchw", "nchw", 1, 1),
            ("bias", (2, 5, 3, 4), (0, 2, 3), "nchw", "nchw", 1, 1),
            ("bias_views", (3, 4, 2, 5), (0, 2, 3), "gapped", "view", -0.5, 2),
            ("image", (4, 2, 3, 5), (0, 1), "nchw", "permuted", 1.5, 1),
            ("batch_shared", (3, 2, 4, 5), (0,), "view", "gapped", 1, -0.75),
            ("column", (2, 3, 4, 5), (0, 1, 3), "permuted", "nhwc", 1, 1),
            ("scalar", (2, 5, 4, 3), (0, 1, 2, 3), "nchw", "nchw", 2, 0.5),
            ("beta_zero", (3, 5, 2, 4), (1, 2), "nchw", "gapped", 0.5, 0),
            ("beta_zero_same", (2, 4, 3, 5), (), "view", "nhwc", 1, 0),
            ("volume_bias", (2, 3, 4, 1, 5), (0, 2, 3, 4), "nchw", "permuted", 1, 1),
            ("volume", (2, 3, 5, 4, 2), (2, 4), "gapped", "nchw", -1, 0.25),
            ("double_digits", (2, 3, 1, 4), (0,), "nchw", "permuted", 1, 1),
            ("alpha_zero", (2, 3, 4, 5), (0, 2, 3), "nchw", "nchw", 0, -2),
            ("not_a_number", (2, 3, 5, 4), (0, 2, 3), "nchw", "gapped", 0, 1)):
        c = Case("add_tensor", name)
        small = tuple(1 if i in shared else d for i, d in enumerate(dims))
        c.operand("x", small, layout(lx, small))
        c.operand("y", dims, layout(ly, dims))
        c.blend(alpha, beta)
        x = c.reals(small)
        if name == "not_a_number":
            x.ravel()[1] = np.nan
        c.feed("x", x)
        wide = np.broadcast_to(x, dims)
        if beta == 0:
            c.expect("y", alpha * wide)
        else:
            finish(c, "y", wide, magnitude(wide), 1, alpha, beta)
        cases.append(c)
    return cases


OPS = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "sqrt": lambda a, b: np.sqrt(a),
    "not": lambda a, b: 1 - a,
}


def op_terms(op, a, b, r):
    a, b = magnitude(a), magnitude(b)
    return {"add": a + b, "not": 1 + a}.get(op, magnitude(r))


def op_case(name, dims, shared, op, la, lb, lc, scales, nan=None, trait=""):
    alpha1, alpha2, beta = scales
    c = Case("op_tensor", name)
    small = tuple(1 if i in shared else d for i, d in enumerate(dims))
    c.operand("a", dims, layout(la, dims))
    c.operand("b", small, layout(lb, small))
    c.operand("c", dims, layout(lc, dims))
    c.param(op=op)
    if nan:
        c.param(nan=nan)
    for key, value, default in (("alpha1", alpha1, 1), ("alpha2", alpha2, 1), ("beta", beta, 0)):
        if value != default:
            c.param(**{key: float(value)})
    if trait == "alias":
        c.param(alias="c:a")
    a, b = c.reals(dims), c.reals(small)
    if op == "sqrt":
        a = np.abs(a)
        a.ravel()[:4] = [0.0, 4.0, -1.0, np.inf]
    if trait == "nan":
        a.ravel()[1::6] = np.nan
        b.ravel()[2::5] = np.nan
    c.feed("a", a)
    c.feed("b", b)
    sa, sb = alpha1 * a, np.broadcast_to(alpha2 * b, dims)
    ops = dict(OPS)
    ops["min"] = (lambda p, q: np.minimum(p, q)) if nan == "propagate" else np.fmin
    ops["max"] = (lambda p, q: np.maximum(p, q)) if nan == "propagate" else np.fmax
    with np.errstate(invalid="ignore"):
        r = ops[op](sa, sb)
    terms = op_terms(op, sa, sb, r)
    if beta == 0 and op in ("min", "max") and alpha1 == alpha2 == 1:
        c.expect("c", r)
    elif trait == "alias":
        c.expect("c", r + beta * a, terms + np.abs(beta * a))
    else:
        finish(c, "c", r, terms, 1, 1, beta)
    return c


def op_tensor():
    cases = []
    words = ["nchw", "gapped", "view", "permuted", "nhwc"]
    ops = ["add", "mul", "min", "max"]
    scales = [(1, 1, 0), (-0.5, 2, 0), (1.5, -1, 0.5), (1, 0.25, -1)]
    # The cases have every combination of broadcast dimensions of b; the other choices rotate.
    for i, shared in enumerate(itertools.chain.from_iterable(
            itertools.combinations(range(4), k) for k in range(5))):
        name = "%s_over_%s" % (ops[i % 4], "".join("nchw"[d] for d in shared) or "nothing")
        cases.append(op_case(name, (2, 3, 4, 5), shared, ops[i % 4], words[i % 5], words[(2 * i + 1) % 5],
                             words[(3 * i) % 5], scales[(i + i // 4) % 4]))
    cases += [
        op_case("sqrt", (2, 3, 5, 4), (), "sqrt", "nchw", "nchw", "nchw", (1, 1, 0)),
        op_case("sqrt_gaps", (3, 2, 4, 5), (0, 1), "sqrt", "gapped", "nchw", "permuted", (2, 1, -0.5)),
        op_case("not", (2, 5, 3, 4), (), "not", "nchw", "nchw", "nchw", (1, 1, 0)),
        op_case("not_views", (4, 2, 3, 5), (0, 2, 3), "not", "view", "nchw", "gapped", (-1.5, 1, 2)),
        op_case("min_nan_ignored", (2, 3, 4, 5), (0,), "min", "nchw", "nchw", "nchw", (1, 1, 0), "ignore", "nan"),
        op_case("max_nan_propagated", (2, 3, 5, 4), (1,), "max", "gapped", "nchw", "view", (1, 1, 0),
                "propagate", "nan"),
        op_case("max_nan_ignored", (3, 2, 5, 4), (), "max", "nchw", "gapped", "nchw", (1, 1, 0), "ignore", "nan"),
        op_case("min_nan_propagated", (3, 2, 4, 5), (3,), "min", "nchw", "nchw", "permuted", (1, 1, 0),
                "propagate", "nan"),
        op_case("add_nan", (2, 4, 3, 5), (2,), "add", "nchw", "nchw", "nchw", (0, 1, 0), None, "nan"),
        op_case("add_in_place", (3, 4, 2, 5), (0, 2, 3), "add", "view", "nchw", "view", (2, -1, 0.5), None, "alias"),
        op_case("mul_in_place", (2, 5, 4, 3), (), "mul", "nchw", "gapped", "nchw", (1, 1, 0), None, "alias"),
        op_case("double_digits_add", (2, 1, 3, 4), (0,), "add", "view", "nchw", "nchw", (1, 1, 0)),
        op_case("double_digits_max", (2, 1, 3, 4), (), "max", "nchw", "nchw", "nchw", (1, 1, 0)),
        op_case("add_volume", (2, 3, 1, 4, 5), (0, 3), "add", "permuted", "nchw", "gapped", (1, 1, 1)),
        op_case("mul_volume", (2, 3, 4, 2, 5), (1, 4), "mul", "nchw", "view", "nhwc", (0.5, 1, 0)),
    ]
    return cases


def set_tensor():
    cases = []
    for name, dims, word, value in (
            ("packed", (2, 3, 5, 4), "nchw", -1.5), ("nhwc", (3, 5, 2, 4), "nhwc", 0.25),
            ("view", (2, 4, 3, 5), "view", 7.0), ("gapped", (3, 2, 5, 4), "gapped", 0.0),
            ("permuted", (5, 2, 3, 4), "permuted", -0.125), ("volume", (2, 3, 4, 1, 5), "nchw", 3.0),
            ("volume_view", (2, 3, 2, 4, 5), "view", 1.0), ("three_dims", (4, 3, 5), "gapped", 2.0),
            ("infinite", (2, 3, 4, 5), "gapped", -np.inf), ("double_digits", (2, 1, 3, 4), "view", 0.1),
            ("one_element", (1, 1, 1, 1), "nchw", 9.0)):
        c = Case("set_tensor", name)
        c.operand("y", dims, layout(word, dims))
        if value != 0:
            c.param(value=value)
        c.expect("y", np.full(dims, value))
        cases.append(c)
    return cases


def scale_tensor():
    cases = []
    for name, dims, word, alpha in (
            ("packed", (2, 3, 5, 4), "nchw", -1.5), ("nhwc", (3, 5, 2, 4), "nhwc", 0.25),
            ("view", (2, 4, 3, 5), "view", 3.0), ("gapped", (3, 2, 5, 4), "gapped", -0.5),
            ("permuted", (5, 2, 3, 4), "permuted", 1.25), ("volume", (2, 3, 4, 1, 5), "nchw", 2.5),
            ("volume_permuted", (2, 4, 3, 5, 2), "permuted", -0.75), ("three_dims", (4, 3, 5), "view", 0.5),
            ("double_digits", (2, 3, 1, 4), "view", -0.1),
            ("by_zero", (2, 3, 4, 5), "gapped", 0.0), ("by_one", (2, 5, 3, 4), "nchw", 1.0),
            ("not_a_number", (2, 3, 4, 5), "nchw", 0.0)):
        c = Case("scale_tensor", name)
        c.operand("y", dims, layout(word, dims))
        if alpha != 1:
            c.param(alpha=alpha)
        y = c.reals(dims)
        if name == "not_a_number":
            y.ravel()[::9] = np.nan
        c.prior("y", y)
        c.expect("y", alpha * y)
        cases.append(c)
    return cases


def make():
    return {"transform_tensor": transform_tensor(), "add_tensor": add_tensor(), "op_tensor": op_tensor(),
            "set_tensor": set_tensor(), "scale_tensor": scale_tensor()}
