# SPDX-License-Identifier: Apache-2.0
"""Vectors of transforms with pads and folds, and of im2col. The oracle is NumPy's pad, reshape and transpose. For
im2col it is PyTorch's unfold if it supports the dimensions, otherwise padded slices."""

import numpy as np
import torch
import torch.nn.functional as F

from vec_convolution import layout
from vecfile import Case

# case name, dims of x, fold, pad before, pad after, direction, layout of x, of y
TRANSFORMS = [
    ("copy", (2, 3, 4, 5), (1, 1), (0, 0, 0, 0), (0, 0, 0, 0), "fold", "nchw", "nhwc"),
    ("fold", (2, 3, 4, 6), (2, 3), (0, 0, 0, 0), (0, 0, 0, 0), "fold", "nchw", "nchw"),
    ("fold_rounded_up", (2, 3, 5, 7), (2, 3), (0, 0, 0, 0), (0, 0, 0, 0), "fold", "nchw", "nhwc"),
    ("fold_gaps", (3, 2, 4, 5), (2, 1), (0, 0, 0, 0), (0, 0, 0, 0), "fold", "gapped", "nchw"),
    ("fold_view", (2, 4, 3, 6), (1, 2), (0, 0, 0, 0), (0, 0, 0, 0), "fold", "view", "nhwc"),
    ("fold_permuted_padded", (2, 3, 4, 5), (3, 2), (0, 0, 1, 2), (0, 0, 1, 0), "fold", "permuted", "nchw"),
    ("pad", (2, 3, 4, 5), (1, 1), (0, 0, 1, 2), (0, 0, 3, 1), "fold", "nchw", "nchw"),
    ("pad_channels", (2, 3, 4, 5), (1, 1), (1, 2, 0, 0), (0, 3, 0, 0), "fold", "nhwc", "nchw"),
    ("pad_channels_fold", (2, 3, 4, 6), (2, 2), (0, 1, 0, 0), (0, 0, 0, 0), "fold", "nchw", "nhwc"),
    ("cut", (3, 4, 5, 6), (1, 1), (-1, 0, -2, 1), (0, -1, 1, -3), "fold", "gapped", "nchw"),
    ("cut_fold", (2, 3, 6, 7), (2, 3), (0, 0, -1, -2), (0, 0, -1, 1), "fold", "nchw", "nchw"),
    ("cut_fold_rounded_up", (2, 2, 6, 7), (2, 3), (0, 0, -1, 0), (0, 0, -2, -2), "fold", "nchw", "nhwc"),
    ("unfold", (2, 12, 3, 2), (2, 3), (0, 0, 0, 0), (0, 0, 0, 0), "unfold", "nchw", "nchw"),
    ("unfold_nhwc", (2, 12, 2, 3), (3, 2), (0, 0, 0, 0), (0, 0, 0, 0), "unfold", "nhwc", "nhwc"),
    ("unfold_gaps_padded", (2, 8, 3, 2), (2, 2), (0, 0, 1, 0), (0, 1, 0, 2), "unfold", "gapped", "nchw"),
    ("unfold_cut", (2, 6, 3, 4), (2, 3), (0, 0, -1, 0), (0, 0, 0, -2), "unfold", "permuted", "nchw"),
    ("not_a_number", (2, 3, 4, 5), (2, 2), (0, 0, 0, 1), (0, 0, 0, 0), "fold", "view", "nchw"),
    ("double_digits", (2, 3, 2, 4), (2, 2), (0, 0, 0, 0), (0, 0, 0, 0), "fold", "nchw", "nchw"),
    ("cudnn_fold", (1, 2, 4, 4), (2, 2), (0, 0, 0, 0), (0, 0, 0, 0), "fold", "nchw", "nchw"),
    ("cudnn_unfold", (1, 8, 2, 2), (2, 2), (0, 0, 0, 0), (0, 0, 0, 0), "unfold", "nchw", "nchw"),
]
CUDNN = {
    "cudnn_fold": [0, 2, 8, 10, 16, 18, 24, 26, 1, 3, 9, 11, 17, 19, 25, 27, 4, 6, 12, 14, 20, 22, 28, 30, 5, 7,
                   13, 15, 21, 23, 29, 31],
    "cudnn_unfold": [0, 8, 1, 9, 16, 24, 17, 25, 2, 10, 3, 11, 18, 26, 19, 27, 4, 12, 5, 13, 20, 28, 21, 29, 6,
                     14, 7, 15, 22, 30, 23, 31]}

# case name, dims of x, window, pad, stride, dilation, mode, layout of x
COLUMNS = [
    ("plain", (2, 3, 5, 6), (2, 3), (0, 0), (1, 1), (1, 1), "cross", "nchw"),
    ("flipped", (2, 3, 6, 5), (3, 2), (0, 0), (1, 1), (1, 1), "convolution", "nchw"),
    ("padded_gaps", (3, 2, 4, 5), (3, 2), (1, 2), (1, 1), (1, 1), "cross", "gapped"),
    ("stepped_view", (2, 4, 7, 6), (2, 3), (1, 0), (3, 2), (1, 1), "cross", "view"),
    ("dilated_nhwc", (2, 3, 7, 8), (3, 2), (2, 1), (2, 3), (2, 3), "cross", "nhwc"),
    ("flipped_permuted", (3, 2, 6, 7), (2, 4), (1, 3), (2, 1), (3, 1), "convolution", "permuted"),
    ("pointwise", (2, 5, 3, 4), (1, 1), (0, 0), (2, 3), (1, 1), "cross", "nchw"),
    ("beyond_the_border", (2, 3, 3, 4), (2, 2), (4, 3), (2, 3), (1, 1), "cross", "gapped"),
    ("not_a_number", (2, 2, 4, 5), (2, 2), (1, 1), (2, 2), (1, 1), "cross", "nchw"),
    ("double_digits", (1, 2, 4, 3), (2, 3), (0, 1), (1, 1), (1, 1), "cross", "view"),
    ("volume", (2, 2, 3, 5, 4), (2, 1, 3), (0, 1, 1), (1, 2, 2), (1, 1, 1), "cross", "nchw"),
    ("volume_flipped_gaps", (1, 2, 4, 3, 6), (2, 2, 3), (1, 0, 2), (2, 1, 3), (1, 2, 1), "convolution", "gapped"),
    ("cudnn", (1, 2, 3, 3), (2, 2), (0, 0), (1, 1), (1, 1), "cross", "nchw"),
    ("cudnn_flipped", (1, 2, 3, 3), (2, 2), (0, 0), (1, 1), (1, 1), "convolution", "nchw"),
    ("cudnn_two_images", (2, 1, 3, 3), (2, 2), (0, 0), (1, 1), (1, 1), "cross", "nchw"),
]
CUDNN_COLUMNS = {
    "cudnn": [0, 1, 3, 4, 1, 2, 4, 5, 3, 4, 6, 7, 4, 5, 7, 8, 9, 10, 12, 13, 10, 11, 13, 14, 12, 13, 15, 16, 13,
              14, 16, 17],
    "cudnn_flipped": [4, 5, 7, 8, 3, 4, 6, 7, 1, 2, 4, 5, 0, 1, 3, 4, 13, 14, 16, 17, 12, 13, 15, 16, 10, 11, 13,
                      14, 9, 10, 12, 13],
    "cudnn_two_images": [0, 1, 3, 4, 9, 10, 12, 13, 1, 2, 4, 5, 10, 11, 13, 14, 3, 4, 6, 7, 12, 13, 15, 16, 4, 5,
                         7, 8, 13, 14, 16, 17]}


def padded(v, before, after):
    """Adds zeros around the tensor. A negative pad removes elements."""
    v = np.pad(v, [(max(b, 0), max(a, 0)) for b, a in zip(before, after)])
    return v[tuple(slice(max(-b, 0), n - max(-a, 0)) for b, a, n in zip(before, after, v.shape))]


def folded(v, fold):
    """Folds blocks into channels. Positions in a block, outermost first, are the slowest index of the new channels."""
    n, c, h, w = v.shape
    p, q = fold
    v = padded(v, (0,) * 4, (0, 0, -h % p, -w % q))
    v = v.reshape(n, c, v.shape[2] // p, p, v.shape[3] // q, q).transpose(0, 3, 5, 1, 2, 4)
    return v.reshape(n, c * p * q, v.shape[4], v.shape[5])


def unfolded(v, fold):
    n, c, h, w = v.shape
    p, q = fold
    v = v.reshape(n, p, q, c // (p * q), h, w).transpose(0, 3, 4, 1, 5, 2)
    return v.reshape(n, c // (p * q), h * p, w * q)


def transform_case(operation, name, dims, fold, before, after, direction, lx, ly):
    c = Case(operation, name)
    x = c.reals(dims)
    if name == "not_a_number":
        x.ravel()[:3] = [np.nan, np.inf, -np.inf]
    if name in CUDNN:
        x = np.arange(float(x.size)).reshape(dims)
    y = folded(padded(x, before, after), fold) if direction == "fold" else padded(unfolded(x, fold), before, after)
    assert name not in CUDNN or (y.ravel() == CUDNN[name]).all()
    c.operand("x", dims, layout(lx, dims))
    c.operand("y", y.shape, layout(ly, y.shape))
    c.param(pad_before=before, pad_after=after, fold=fold, direction=direction)
    c.feed("x", x)
    c.expect("y", y)
    return c


def filters():
    """Filters are packed, so views are omitted."""
    return [row for row in TRANSFORMS if row[6] in ("nchw", "nhwc") and not row[0].startswith("cudnn")]


def columns(x, window, pad, stride, dilation):
    spatial = x.ndim - 2
    if spatial == 2:
        rows = F.unfold(torch.from_numpy(x), window, dilation, pad, stride).numpy()
        return rows.transpose(1, 0, 2).reshape(rows.shape[1], -1)
    wide = np.pad(x, [(0, 0), (0, 0)] + [(p, p) for p in pad])
    size = [(n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(wide.shape[2:], window, dilation, stride)]
    rows = []
    for c in range(x.shape[1]):
        for tap in np.ndindex(*window):
            box = tuple(slice(t * d, t * d + (m - 1) * s + 1, s) for t, d, m, s in zip(tap, dilation, size, stride))
            rows.append(wide[(slice(None), c) + box].ravel())
    return np.array(rows)


def im2col_case(name, dims, window, pad, stride, dilation, mode, lx):
    c = Case("im2col", name)
    x = c.reals(dims)
    if name == "not_a_number":
        x.ravel()[:3] = [np.nan, np.inf, -np.inf]
    if name in CUDNN_COLUMNS:
        x = np.arange(float(x.size)).reshape(dims)
    col = columns(x, window, pad, stride, dilation)
    if mode == "convolution":
        taps = int(np.prod(window))
        col = col.reshape(dims[1], taps, -1)[:, ::-1].reshape(col.shape)
    assert name not in CUDNN_COLUMNS or (col.ravel() == CUDNN_COLUMNS[name]).all()
    c.operand("x", dims, layout(lx, dims))
    c.operand("col", col.shape)
    c.param(pad=pad, stride=stride, dilation=dilation, window=window, mode=mode)
    c.feed("x", x)
    c.expect("col", col)
    return c


def make():
    return {"transform_tensor_ex": [transform_case("transform_tensor_ex", *row) for row in TRANSFORMS],
            "transform_filter": [transform_case("transform_filter", *row) for row in filters()],
            "im2col": [im2col_case(*row) for row in COLUMNS]}
