# SPDX-License-Identifier: Apache-2.0
"""Spatial transformer vectors. The oracle is PyTorch's affine_grid and grid_sample in double (bilinear, zeros, corners
aligned) and their derivatives. A point that is not finite samples zeros, like a point far outside."""

import numpy as np
import torch
import torch.nn.functional as F

from vec_convolution import apart, finish, layout
from vecfile import Case

# case name, n h w of the grid, layout of theta, of the grid, trait
GRIDS = [
    ("plain", (2, 4, 5), "nchw", "nchw", ""),
    ("reals", (3, 6, 3), "nchw", "nchw", "reals"),
    ("views", (2, 3, 7), "gapped", "view", ""),
    ("permuted", (4, 5, 2), "view", "permuted", ""),
    ("half_digits", (2, 2, 6), "nchw", "gapped", ""),
    ("one_row", (3, 1, 5), "nchw", "nchw", ""),
    ("one_column", (2, 6, 1), "permuted", "nchw", ""),
    ("one_point", (1, 1, 1), "nchw", "nchw", ""),
    ("not_a_number", (3, 2, 4), "nchw", "nchw", "nan"),
]

# case name, dims of x, h w of the grid, layout of x, of the grid, factors of image and grid, trait
SAMPLES = [
    ("plain", (2, 3, 5, 7), (4, 6), "nchw", "nchw", (1, 0, 1, 0), ""),
    ("reals", (2, 2, 6, 5), (5, 4), "nchw", "nchw", (1, 0, 1, 0), "reals"),
    ("enlarges", (1, 4, 3, 3), (8, 9), "nchw", "nchw", (1, 0, 1, 0), ""),
    ("shrinks", (3, 1, 9, 8), (2, 3), "nchw", "nchw", (0.5, 0, -2, 0), ""),
    ("nhwc", (2, 5, 4, 6), (3, 5), "nhwc", "nchw", (1, 0, 1, 0), ""),
    ("views_blend", (2, 3, 5, 4), (4, 3), "view", "gapped", (-0.5, 2, 1.5, -1), ""),
    ("permuted_blend", (3, 2, 4, 7), (5, 2), "permuted", "permuted", (1, 1, 1, 0.5), ""),
    ("half_digits", (2, 3, 5, 6), (3, 4), "nchw", "view", (1, 0, 1, 0), ""),
    ("whole_pixels", (2, 3, 5, 5), (5, 5), "nchw", "nchw", (1, 0, 1, 0), "whole"),
    ("outside", (2, 2, 3, 5), (4, 4), "nchw", "nchw", (1, 0, 1, 0), "outside"),
    ("one_row", (2, 3, 1, 5), (3, 4), "nchw", "nchw", (1, 0, 1, 0), ""),
    ("one_pixel", (3, 2, 1, 1), (2, 2), "nchw", "nchw", (1, 0, 1, 0), ""),
    ("one_point", (2, 5, 4, 3), (1, 1), "nchw", "nchw", (1, 0, 1, 0), ""),
    ("infinite_points", (2, 3, 4, 5), (3, 3), "nchw", "nchw", (1, 0, 1, 0), "infinite"),
    ("not_a_number", (1, 3, 5, 5), (4, 5), "nchw", "nchw", (1, 0, 1, 0), "nan"),
]


def base(size):
    """Returns the coordinates of each point along h and w. A single point has the coordinate 0."""
    v, u = [np.linspace(-1, 1, s) if s > 1 else np.zeros(1) for s in size]
    return np.stack(np.broadcast_arrays(u[None, :], v[:, None], 1.0), -1)


def grid_forward(name, dims, lt, lg, trait):
    c = Case("spatial_grid_forward", name)
    n, h, w = dims
    c.operand("theta", (n, 2, 3), layout(lt, (n, 2, 3)))
    c.operand("grid", dims + (2,), layout(lg, dims + (2,)))
    theta = c.reals((n, 2, 3), None if trait == "reals" else 5)
    if trait == "nan":
        theta[1, 0, 2] = np.nan
    c.feed("theta", theta)
    grid = F.affine_grid(torch.from_numpy(theta), (n, 1, h, w), align_corners=True).numpy()
    # The coordinates before the transform are also rounded, by the unit of 1.
    terms = np.einsum("nrk,hwk->nhwr", np.abs(np.nan_to_num(theta)), np.abs(base((h, w))) + 1)
    c.expect("grid", grid, terms, 3)
    return c


def grid_backward(name, dims, lt, lg, trait):
    c = Case("spatial_grid_backward", name)
    n, h, w = dims
    c.operand("dgrid", dims + (2,), layout(lg, dims + (2,)))
    c.operand("dtheta", (n, 2, 3), layout(lt, (n, 2, 3)))
    dgrid = c.reals(dims + (2,), None if trait == "reals" else 5)
    if trait == "nan":
        dgrid[1, 1, 2, 0] = np.nan
    c.feed("dgrid", dgrid)
    theta = torch.zeros((n, 2, 3), dtype=torch.float64, requires_grad=True)
    F.affine_grid(theta, (n, 1, h, w), align_corners=True).backward(torch.from_numpy(dgrid))
    dtheta = theta.grad.numpy()
    if trait == "nan":  # 0 times NaN is NaN, so the whole row is NaN; a matrix product may give less
        dtheta[1, 0] = np.nan
    terms = np.einsum("nhwr,hwk->nrk", np.abs(np.nan_to_num(dgrid)), np.abs(base((h, w))) + 1)
    c.expect("dtheta", dtheta, terms, h * w)
    return c


def draw_grid(c, dims, size, trait):
    """Returns points on a grid of 1/16, whose positions in the image are exact in every type."""
    grid = c.integers((dims[0],) + size + (2,), -20, 20) / 16
    if trait == "whole":
        grid = c.integers(grid.shape, -3, 3) / 2
    if trait == "outside":
        grid = c.integers(grid.shape, -80, 80) / 16
        grid[0, 0] = 1000.0
    if trait == "reals":
        c.types = ("f64", "f32")
        grid = c.integers(grid.shape, -1200, 1200) / 1024
    if trait == "infinite":
        grid[0, 1, 1, 0], grid[0, 2, 0, 1], grid[1, 0, 0, 1], grid[1, 2, 2] = np.inf, -np.inf, np.nan, np.nan
    return grid


def around(g, x):
    """Returns the coordinates of a point, and its pixels in the image with their shares along w and h."""
    px, py = [(g[k] + 1) * (x.shape[3 - k] - 1) / 2 for k in (0, 1)]
    if not (np.isfinite(px) and np.isfinite(py)):
        return []
    j, i = int(np.floor(px)), int(np.floor(py))
    return [(r, s, 1 - abs(px - s), 1 - abs(py - r)) for r in (i, i + 1) for s in (j, j + 1)
            if 0 <= r < x.shape[2] and 0 <= s < x.shape[3]]


def terms_of(x, grid, dy):
    """Returns the sums of absolute terms of y, dx and dgrid, and the largest number of points that share a pixel."""
    y, dx, dgrid = np.zeros(dy.shape), np.zeros(x.shape), np.zeros(grid.shape)
    met = np.zeros((x.shape[0],) + x.shape[2:])
    x, dy = np.abs(np.nan_to_num(x)), np.abs(np.nan_to_num(dy))
    for n, i, j in np.ndindex(*grid.shape[:3]):
        for r, s, right, down in around(grid[n, i, j], x):
            y[n, :, i, j] += x[n, :, r, s] * right * down
            dx[n, :, r, s] += dy[n, :, i, j] * right * down
            met[n, r, s] += 1
            both = (x[n, :, r, s] * dy[n, :, i, j]).sum()
            dgrid[n, i, j] += both * np.array([down * (x.shape[3] - 1), right * (x.shape[2] - 1)]) / 2
    return y, dx, dgrid, int(met.max())


def settled(grid):
    """Returns the grid with finite points far outside in place of points that are not finite."""
    lost = ~np.isfinite(grid).all(-1, keepdims=True)
    return np.where(lost, 1000.0, grid)


def sampler(name, dims, size, lx, lg, factors, trait):
    forward, backward = Case("spatial_sampler_forward", name), Case("spatial_sampler_backward", name)
    out = dims[:2] + size
    data = {}
    for c, roles in ((forward, ("x", "grid", "y")), (backward, ("x", "grid", "dy", "dx", "dgrid"))):
        for k, role in enumerate(roles):
            d = {"x": dims, "dx": dims}.get(role, out if role[-1] == "y" else dims[:1] + size + (2,))
            own = lg if "grid" in role else lx
            c.operand(role, d, layout(apart(own) if k > 1 else own, d))
        x, grid = c.reals(dims, None if trait == "reals" else 5), draw_grid(c, dims, size, trait)
        if trait == "nan":
            x[0, 1, 2, 2] = np.nan
        c.feed("x", x)
        c.feed("grid", grid)
        dy = c.reals(out, None if trait == "reals" else 5)
        data[c] = x, grid, dy
    x, grid, dy = data[forward]
    forward.blend(*factors[:2])
    y = F.grid_sample(torch.from_numpy(x), torch.from_numpy(settled(grid)), align_corners=True).numpy()
    finish(forward, "y", y, terms_of(x, grid, dy)[0], 4, *factors[:2])
    x, grid, dy = data[backward]
    backward.feed("dy", dy)
    for key, value, plain in zip(("alpha_data", "beta_data", "alpha_grid", "beta_grid"), factors, (1, 0, 1, 0)):
        if value != plain:
            backward.param(**{key: float(value)})
    image, points = [torch.from_numpy(v).requires_grad_() for v in (x, settled(grid))]
    F.grid_sample(image, points, align_corners=True).backward(torch.from_numpy(dy))
    _, dx, dgrid, met = terms_of(x, grid, dy)
    finish(backward, "dx", image.grad.numpy(), dx, met, *factors[:2])
    finish(backward, "dgrid", points.grad.numpy(), dgrid, 4 * dims[1], *factors[2:])
    return forward, backward


def make():
    pairs = [sampler(*row) for row in SAMPLES]
    return {"spatial_grid_forward": [grid_forward(*row) for row in GRIDS],
            "spatial_grid_backward": [grid_backward(*row) for row in GRIDS],
            "spatial_sampler_forward": [p[0] for p in pairs], "spatial_sampler_backward": [p[1] for p in pairs]}
