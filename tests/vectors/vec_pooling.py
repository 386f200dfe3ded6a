# SPDX-License-Identifier: Apache-2.0
"""Pooling vectors. The oracle is plain loops over windows. PyTorch lacks pads beyond half a window, negative pads,
arbitrary output sizes and a rule for ties; check_vectors.py compares with PyTorch otherwise. Windows without elements
have cuDNN's results (tests/probes)."""

import itertools

import numpy as np

from vec_convolution import apart, finish, layout
from vecfile import LOWEST, Case

# name: x dims, window, pad, stride, spatial dims of the output, or None for the advised dims
GEOMETRY = {
    "plain": ((2, 3, 6, 7), (4, 5), (1, 2), (2, 3), None),
    "pad_beyond_window": ((2, 3, 5, 4), (2, 3), (3, 4), (1, 2), None),
    "negative_pad": ((3, 2, 9, 8), (4, 3), (-2, -1), (1, 2), None),
    "larger": ((2, 3, 7, 6), (3, 2), (0, 0), (4, 4), (4, 3)),
    "smaller": ((3, 2, 8, 6), (3, 4), (1, 2), (2, 1), (2, 4)),
    "volume": ((2, 3, 2, 6, 5), (2, 5, 3), (1, 0, 1), (1, 2, 3), None),
    "small": ((1, 2, 4, 3), (3, 2), (1, 0), (2, 1), None),
    "long_row": ((1, 1, 3, 141), (2, 4), (1, 2), (2, 1), None),
    "overlap": ((2, 4, 5, 7), (3, 2), (1, 0), (1, 1), None),
    # Some windows are cut by the end of the padded input, others touch it or lie beyond it.
    "beyond": ((2, 3, 7, 6), (4, 3), (1, 2), (3, 4), (4, 4)),
    "beyond_volume": ((2, 3, 4, 2, 5), (2, 3, 1), (1, 0, 2), (2, 1, 3), (4, 3, 2)),
    "vectors": ((1, 32, 3, 4), (2, 2), (1, 0), (1, 2), None),
    "two_vectors": ((1, 64, 2, 3), (2, 2), (0, 1), (2, 1), None),
    "vectors_beyond": ((2, 32, 2, 3), (2, 1), (3, 1), (2, 2), None),
    "cropped": ((2, 3, 9, 8), (4, 3), (-2, -1), (2, 2), (3, 4)),
}

# case name, geometry, mode, layout of x and dx, of y and dy, alpha, beta, nan, trait
CASES = [
    ("max", "plain", "max", "nchw", "nchw", 1, 0, None, ""),
    ("max_views", "plain", "max", "view", "permuted", -0.5, 2, None, ""),
    ("max_nhwc", "overlap", "max_deterministic", "nhwc", "nhwc", 1, 0, None, ""),
    ("max_ties", "overlap", "max", "gapped", "nchw", 1, 0, None, "ties"),
    ("max_ties_volume", "volume", "max_deterministic", "nchw", "gapped", 1, 0.5, None, "ties"),
    ("max_pad_beyond_window", "pad_beyond_window", "max", "nchw", "view", 1, 0, None, ""),
    ("max_negative_pad", "negative_pad", "max", "nchw", "nchw", 1.5, 0, None, ""),
    ("max_larger", "larger", "max", "permuted", "nchw", 1, 0, None, ""),
    ("max_smaller", "smaller", "max", "nchw", "nhwc", 1, 0, None, ""),
    ("max_volume", "volume", "max", "permuted", "view", 2, 0, None, "reals"),
    ("max_nan_ignored", "plain", "max", "nchw", "gapped", 1, 0, "ignore", "nan"),
    ("max_nan_propagated", "plain", "max", "gapped", "nchw", 1, 0, "propagate", "nan"),
    ("max_nan_ties", "overlap", "max_deterministic", "nchw", "nchw", 1, 0, "propagate", "nan ties"),
    ("max_none_equal", "overlap", "max", "view", "nchw", 1, 0, None, "foreign"),
    ("include", "plain", "average_include", "nchw", "nchw", 1, 0, None, "reals"),
    ("include_permuted", "overlap", "average_include", "permuted", "nhwc", 0.75, -1, None, ""),
    ("include_pad_beyond_window", "pad_beyond_window", "average_include", "gapped", "nchw", 1, 0, None, ""),
    ("include_negative_pad", "negative_pad", "average_include", "nchw", "view", 1, 0, None, ""),
    ("include_larger", "larger", "average_include", "nchw", "nchw", 2, 0.5, None, ""),
    ("include_volume", "volume", "average_include", "view", "nchw", 1, 0, None, ""),
    ("exclude", "plain", "average_exclude", "nchw", "nchw", 1, 0, None, ""),
    ("exclude_views", "plain", "average_exclude", "view", "gapped", -2, 1, None, "reals"),
    ("exclude_pad_beyond_window", "pad_beyond_window", "average_exclude", "nchw", "nchw", 1, 0, None, ""),
    ("exclude_negative_pad", "negative_pad", "average_exclude", "nhwc", "nhwc", 1, 0, None, ""),
    ("exclude_larger", "larger", "average_exclude", "gapped", "permuted", 1, 0, None, ""),
    ("exclude_smaller", "smaller", "average_exclude", "nchw", "nchw", 1, 0, None, ""),
    ("exclude_volume", "volume", "average_exclude", "nchw", "permuted", 0.5, 0, None, ""),
    ("max_long_row", "long_row", "max", "nchw", "permuted", 1, 0, None, "ties"),
    ("exclude_long_row", "long_row", "average_exclude", "gapped", "nchw", 1, 0, None, "ties"),
    ("half_digits_max", "small", "max", "nchw", "gapped", 1, 0, None, ""),
    ("half_digits_include", "small", "average_include", "nchw", "nchw", 1, 0, None, ""),
    ("double_digits_max", "small", "max", "nchw", "view", 1, 0, None, ""),
    ("double_digits_exclude", "small", "average_exclude", "nchw", "nchw", 1, 0, None, ""),
    ("alpha_zero", "overlap", "average_include", "nchw", "gapped", 0, -1.5, None, ""),
    ("max_beyond", "beyond", "max", "nchw", "gapped", 1, 0, None, ""),
    ("include_beyond", "beyond", "average_include", "nchw", "nchw", 1, 0, None, ""),
    ("exclude_beyond", "beyond", "average_exclude", "view", "nhwc", 1, 0, None, ""),
    ("include_beyond_volume", "beyond_volume", "average_include", "nchw", "permuted", -0.5, 1, None, ""),
    ("exclude_beyond_volume", "beyond_volume", "average_exclude", "gapped", "nchw", 1, 0, None, ""),
    ("max_cropped", "cropped", "max", "gapped", "nchw", 1, 0, None, "forward"),
    ("include_cropped", "cropped", "average_include", "nchw", "nchw", 1, 0, None, "forward"),
    ("exclude_cropped", "cropped", "average_exclude", "nhwc", "view", 1, 0, None, "forward"),
    ("integer_max", "vectors", "max", "nchw", "gapped", 1, 0, None, "forward"),
    ("integer_max_ties_blend", "two_vectors", "max_deterministic", "permuted", "nchw", -1.5, 0.5, None, "forward"),
    ("integer_max_empty", "vectors_beyond", "max", "nchw", "nchw", 1, 0, None, "forward"),
    ("integer_include_ties", "vectors", "average_include", "gapped", "nchw", 1, 0, None, "forward"),
    ("integer_include_ties_blend", "two_vectors", "average_include", "nchw", "permuted", 2, -0.5, None, "forward"),
    ("integer_exclude_ties", "vectors", "average_exclude", "nchw", "nchw", -4, 0, None, "forward"),
    ("integer_exclude_ties_empty", "vectors_beyond", "average_exclude", "nchw", "gapped", 0.5, 0, None, "forward"),
    ("max_nan_alone", "overlap", "max", "nchw", "view", 1, 0, "ignore", "nan block"),
    ("max_nan_alone_propagated", "overlap", "max", "view", "nchw", 1, 0, "propagate", "nan block"),
    ("max_infinite", "overlap", "max", "nchw", "nchw", 1, 0, "ignore", "infinite forward"),
    ("max_infinite_propagated", "overlap", "max_deterministic", "gapped", "nhwc", 1, 0, "propagate", "infinite forward"),
]


class Geometry:
    def __init__(self, key):
        self.x, self.window, self.pad, self.stride, out = GEOMETRY[key]
        self.advised = out is None
        if out is None:
            out = tuple(1 + (i + 2 * p - w) // s
                        for i, w, p, s in zip(self.x[2:], self.window, self.pad, self.stride))
        self.y = self.x[:2] + tuple(out)

    def inside(self, spot):
        """Returns the positions in the input of the window of `spot`, in d, h, w order."""
        axes = []
        for o, n, w, p, s in zip(spot, self.x[2:], self.window, self.pad, self.stride):
            first = o * s - p
            axes.append([i for i in range(first, min(first + w, n + p)) if 0 <= i < n])
        return list(itertools.product(*axes))

    def windows(self):
        for index in np.ndindex(*self.y):
            yield index, [index[:2] + at for at in self.inside(index[2:])]

    def divisor(self, mode, spot):
        """Returns the product of end - begin over the dims of the window. It is 0 or less if the window is empty."""
        product = 1.0
        for o, n, w, p, s in zip(spot, self.x[2:], self.window, self.pad, self.stride):
            begin, end = o * s - p, min(o * s - p + w, n + p)
            product *= end - begin if mode == "average_include" else min(end, n) - max(begin, 0)
        return product


def largest(values, propagate):
    best = LOWEST
    for v in values:
        if np.isnan(v):
            if propagate:
                return np.nan
        elif v > best:
            best = v
    return best


def forward(g, mode, x, propagate):
    y, terms = np.zeros(g.y), np.zeros(g.y)
    for o, positions in g.windows():
        values = [x[p] for p in positions]
        if mode.startswith("max"):
            y[o] = largest(values, propagate)
            terms[o] = abs(y[o])
        elif positions:
            y[o] = sum(values) / g.divisor(mode, o[2:])
            terms[o] = sum(abs(v) for v in values) / g.divisor(mode, o[2:])
        else:
            y[o] = np.nan if g.divisor(mode, o[2:]) == 0 else 0.0
    return y, terms


def backward(g, mode, y, dy, x):
    dx, terms, count = np.zeros(g.x), np.zeros(g.x), np.zeros(g.x, dtype=int)
    for o, positions in g.windows():
        if mode.startswith("max"):
            equal = [p for p in positions if x[p] == y[o] or (np.isnan(x[p]) and np.isnan(y[o]))]
            shares = [(p, dy[o]) for p in equal[:1]]
        else:
            shares = [(p, dy[o] / g.divisor(mode, o[2:])) for p in positions]
        for p, share in shares:
            dx[p] += share
            terms[p] += abs(share)
            count[p] += 1
    return dx, terms, max(1, int(count.max()))


def draw_x(c, g, trait):
    if "ties" in trait:
        x = c.integers(g.x, -1, 1)
    else:
        x = c.reals(g.x, None if trait == "reals" else 5)
    if "block" in trait:
        x[:, 1:, :4, 2:5] = np.nan  # whole windows
    elif "nan" in trait:
        x.ravel()[1::11] = np.nan
    if "infinite" in trait:
        x[:, :, :4, 1:4] = -np.inf  # whole windows, one of them with NaN
        x[0, :, 1, 2] = np.nan
        x[1, ::2, 4, 5] = np.inf
    return x


def describe(c, g, mode, alpha, beta, nan):
    c.param(mode=mode, window=g.window, pad=g.pad, stride=g.stride)
    if nan:
        c.param(nan=nan)
    c.blend(alpha, beta)


def make():
    made = {"pooling_forward": [], "pooling_backward": []}
    for name, key, mode, lx, ly, alpha, beta, nan, trait in CASES:
        g = Geometry(key)
        c = Case("pooling_forward", name)
        c.operand("x", g.x, layout(lx, g.x))
        c.operand("y", g.y, layout(ly, g.y))
        describe(c, g, mode, alpha, beta, nan)
        x = draw_x(c, g, trait)
        c.feed("x", x)
        y, terms = forward(g, mode, x, nan == "propagate")
        if mode.startswith("max") and alpha == 1 and beta == 0:
            c.expect("y", y)
        else:
            finish(c, "y", y, terms, int(np.prod(g.window)), alpha, beta)
        made["pooling_forward"].append(c)
        if "forward" in trait:
            continue

        c = Case("pooling_backward", name)
        for role, dims, word in (("y", g.y, ly), ("dy", g.y, apart(ly)), ("x", g.x, lx), ("dx", g.x, apart(lx))):
            c.operand(role, dims, layout(word, dims))
        describe(c, g, mode, alpha, beta, nan)
        x, dy = draw_x(c, g, trait), c.reals(g.y, 2 if key == "long_row" else 4)
        y = forward(g, mode, x, nan == "propagate")[0] if mode.startswith("max") else c.integers(g.y, -9, 9)
        if not mode.startswith("max"):
            x = c.integers(g.x, -9, 9)  # averages do not need y and x
        if trait == "foreign":
            y[:, ::2] = c.short(y[:, ::2] + 64.0)
        c.feed("y", y)
        c.feed("dy", dy)
        c.feed("x", x)
        dx, terms, kred = backward(g, mode, y, dy, x)
        finish(c, "dx", dx, terms, kred, alpha, beta)
        made["pooling_backward"].append(c)
    return made
