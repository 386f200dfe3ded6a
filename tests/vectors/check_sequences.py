# SPDX-License-Identifier: Apache-2.0
"""The second computation of check_vectors.py for the spatial transformer and the CTC loss: loops over points, over
pixels, and over the states of a path, without logarithms. Each function returns its outputs by role before they are
blended."""

import math

import numpy as np


def coordinate(at, count):
    return 2 * at / (count - 1) - 1 if count > 1 else 0.0


def grid_forward(p):
    theta, grid = p.values["theta"], np.zeros(p.dims["grid"])
    for n, i, j, r in np.ndindex(*grid.shape):
        u, v = coordinate(j, grid.shape[2]), coordinate(i, grid.shape[1])
        grid[n, i, j, r] = math.fsum((theta[n, r, 0] * u, theta[n, r, 1] * v, theta[n, r, 2]))
    return {"grid": grid}


def grid_backward(p):
    dgrid, dtheta = p.values["dgrid"], np.zeros(p.dims["dtheta"])
    for n, i, j, r in np.ndindex(*dgrid.shape):
        u, v = coordinate(j, dgrid.shape[2]), coordinate(i, dgrid.shape[1])
        dtheta[n, r] += dgrid[n, i, j, r] * np.array([u, v, 1.0])
    return {"dtheta": dtheta}


def pixels(point, height, width):
    """Yields the pixels around a point: row, column, weight, and the derivatives of the weight along both dims."""
    px, py = (point[0] + 1) * (width - 1) / 2, (point[1] + 1) * (height - 1) / 2
    if not (math.isfinite(px) and math.isfinite(py)):
        return
    j, i = math.floor(px), math.floor(py)
    for row, down, fall in ((i, 1 - (py - i), -1), (i + 1, py - i, 1)):
        for column, right, rise in ((j, 1 - (px - j), -1), (j + 1, px - j, 1)):
            if 0 <= row < height and 0 <= column < width:
                yield row, column, right * down, rise * down * (width - 1) / 2, fall * right * (height - 1) / 2


def sampler(p):
    x, grid = p.values["x"], p.values["grid"]
    backward = p.operation.endswith("backward")
    y = np.zeros(x.shape[:2] + grid.shape[1:3])
    dx, dgrid = np.zeros(x.shape), np.zeros(grid.shape)
    for n, i, j in np.ndindex(*grid.shape[:3]):
        for row, column, share, along, down in pixels([float(g) for g in grid[n, i, j]], *x.shape[2:]):
            y[n, :, i, j] += share * x[n, :, row, column]
            if backward:
                dy = p.values["dy"][n, :, i, j]
                dx[n, :, row, column] += share * dy
                dgrid[n, i, j] += np.array([along, down]) * (dy * x[n, :, row, column]).sum()
    return {"dx": dx, "dgrid": dgrid} if backward else {"y": y}


def walk(p, states):
    """Returns for each step the probability of all paths to each state, not as a logarithm."""
    ways = [[0.0] * len(states) for _ in p]
    for t in range(len(p)):
        for s, letter in enumerate(states):
            if t == 0:
                before = float(s < 2)
            else:
                before = ways[t - 1][s] + (ways[t - 1][s - 1] if s > 0 else 0.0)
                if s > 1 and letter != 0 and letter != states[s - 2]:
                    before += ways[t - 1][s - 2]
            ways[t][s] = before * p[t][letter]
    return ways


def sequence(p, label):
    """Returns the probability of a label, and the share of each letter at each step."""
    states = [0]
    for letter in label:
        states += [letter, 0]
    there, back = walk(p, states), walk(p[::-1], states[::-1])[::-1]
    total = sum(there[-1][-2:]) if len(p) else float(not label)
    shares = np.zeros(p.shape)
    for t in range(len(p)):
        for s, letter in enumerate(states):
            if p[t, letter] > 0 and total > 0:
                shares[t, letter] += there[t][s] * back[t][len(states) - 1 - s] / p[t, letter] / total
    return total, shares


def ctc_loss(p):
    x = p.values["x"]
    costs, gradients = np.zeros(x.shape[1]), np.zeros(x.shape)
    first = 0
    for n in range(x.shape[1]):
        steps, count = int(p.values["input_lengths"][n]), int(p.values["label_lengths"][n])
        label = [int(k) for k in p.values["labels"][first:first + count]]
        first += count
        row = x[:steps, n]
        if p.keys.get("normalization") != "none":
            row = np.exp(row - row.max(1, keepdims=True)) if steps else row
            row = row / row.sum(1, keepdims=True)
        total, shares = sequence(row, label)
        costs[n] = -math.log(total) if total > 0 else math.inf
        lost = math.nan if p.keys.get("nan") == "propagate" else 0.0
        gradients[:steps, n] = row - shares if total > 0 else lost
    return {"costs": costs, "gradients": gradients}


SECOND_WAYS = {"spatial_grid_forward": grid_forward, "spatial_grid_backward": grid_backward,
               "spatial_sampler_forward": sampler, "spatial_sampler_backward": sampler, "ctc_loss": ctc_loss}


def expected(p, case):
    outputs = SECOND_WAYS[p.operation](p)
    for role in case["out"]:
        suffix = "_grid" if role == "dgrid" else "_data" if role == "dx" else ""
        alpha, beta = p.real("alpha" + suffix, 1), p.real("beta" + suffix, 0)
        value = alpha * outputs[role]
        yield role, value + beta * p.values[role] if beta != 0 else value
