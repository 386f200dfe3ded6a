# SPDX-License-Identifier: Apache-2.0
"""The second computation of check_vectors.py for normalizations, dropout, reductions and folds: scalar loops over the
definitions, and gradients by the product rule where make_vectors.py uses autograd. Each function returns its outputs by
role before they are blended. Outputs in EXACT are never blended."""

import math

import numpy as np

EXACT = ("states", "reserve", "indices", "running_mean", "running_var", "save_mean", "save_inv_var")


def places(shape):
    return np.ndindex(*shape)


# ------------------------------------------------------------------ LRN, divisive normalization


def lrn_windows(p):
    """Returns the window's size, and the elements of each element's window."""
    d, n = p.dims["x"], int(p.keys.get("n", 5))
    first = (n - 1) // 2
    if p.operation.startswith("lrn"):
        return n, {at: [(at[0], c) + at[2:] for c in range(at[1] - first, at[1] - first + n) if 0 <= c < d[1]]
                   for at in places(d)}
    size = len(d) - 2
    windows = {}
    for at in places(d):
        ends = [range(max(0, i - first), min(s, i - first + n)) for i, s in zip(at[2:], d[2:])]
        windows[at] = [at[:2] + tuple(r[k] for r, k in zip(ends, o)) for o in places([len(r) for r in ends])]
    return n**size, windows


def quotient(p):
    """Computes LRN and divisive normalization: x B^-beta with B = k + alpha / count * sum of (x - mean)^2. LRN's mean
    is 0."""
    x = p.values["x"]
    means = p.values.get("means", np.zeros(x.shape))
    alpha, beta, k = p.real("lrn_alpha", 1e-4), p.real("lrn_beta", 0.75), p.real("k", 2.0)
    count, windows = lrn_windows(p)
    base = {i: k + alpha * math.fsum((x[j] - means[i])**2 for j in js) / count for i, js in windows.items()}
    if p.operation.endswith("forward"):
        y = np.zeros(x.shape)
        for i in windows:
            y[i] = x[i] / math.pow(base[i], beta)
        return {"y": y}
    dy, dx, dmeans = p.values["dy"], np.zeros(x.shape), np.zeros(x.shape)
    for i, js in windows.items():
        dx[i] += dy[i] / math.pow(base[i], beta)
        common = -2 * dy[i] * x[i] * beta * alpha / (count * math.pow(base[i], beta + 1))
        for j in js:
            dx[j] += common * (x[j] - means[i])
            dmeans[i] -= common * (x[j] - means[i])
    return {"dx": dx, "dmeans": dmeans}


# ------------------------------------------------------------------ batch normalization


def cells(p, dims):
    """Returns the elements that share a mean, by the position of their parameters."""
    per_activation = p.keys.get("mode") == "per_activation"
    shared = {}
    for at in places(dims):
        cell = (0,) + at[1:] if per_activation else (0, at[1]) + (0,) * (len(at) - 2)
        shared.setdefault(cell, []).append(at)
    return shared


def statistics(values, epsilon):
    mean = math.fsum(values) / len(values)
    var = math.fsum((v - mean)**2 for v in values) / len(values)
    return mean, var, (var + epsilon)**-0.5


def bend(p, v):
    mode, top = p.keys.get("activation", "relu"), p.real("coef", 0)
    if mode == "tanh":
        return math.tanh(v), 1
    if mode == "clipped_relu":
        return min(max(v, 0.0), top), int(0 < v < top)
    return max(v, 0.0), int(v > 0)


def bytes_of(bits):
    return np.array([sum(b << k for k, b in enumerate(bits[i:i + 8])) for i in range(0, len(bits), 8)], float)


def batch_norm_inference(p):
    v, y, epsilon = p.values, np.zeros(p.dims["x"]), p.real("epsilon", 1e-5)
    for cell, members in cells(p, y.shape).items():
        factor = v["scale"][cell] / math.sqrt(v["var"][cell] + epsilon)
        for at in members:
            y[at] = factor * (v["x"][at] - v["mean"][cell]) + v["bias"][cell]
    return {"y": y}


def batch_norm_training(p):
    v, d = p.values, p.dims["x"]
    y, bits = np.zeros(d), np.zeros(d, int)
    out = {role: np.zeros(p.dims[role]) for role in EXACT[3:] if role in p.dims}
    factor = p.real("average_factor", 1)
    for cell, members in cells(p, d).items():
        mean, var, inv = statistics([float(v["x"][at]) for at in members], p.real("epsilon", 1e-5))
        sample = var * len(members) / (len(members) - 1) if len(members) > 1 else math.nan
        for role, new in (("running_mean", mean), ("running_var", sample)):
            if role in out:
                out[role][cell] = v[role][cell] + factor * (new - v[role][cell])
        for role, new in (("save_mean", mean), ("save_inv_var", inv)):
            if role in out:
                out[role][cell] = new
        for at in members:
            y[at] = v["scale"][cell] * inv * (v["x"][at] - mean) + v["bias"][cell]
            if "ops" in p.keys:
                y[at], bits[at] = bend(p, y[at] + (v["z"][at] if "z" in v else 0.0))
    out["y"] = y
    if "reserve" in p.dims:
        out["reserve"] = bytes_of(list(bits.ravel()))
    return out


def batch_norm_backward(p):
    v, d = p.values, p.dims["x"]
    g = v["dy"].copy()
    if "reserve" in v:
        for i, at in enumerate(places(d)):
            if not int(v["reserve"][i // 8]) >> i % 8 & 1:
                g[at] = 0.0
            elif p.keys.get("activation") == "tanh":
                g[at] -= g[at] * v["y"][at]**2
    dx, dscale, dbias = np.zeros(d), np.zeros(p.dims["dscale"]), np.zeros(p.dims["dbias"])
    for cell, members in cells(p, d).items():
        mean, _, inv = statistics([float(v["x"][at]) for at in members], p.real("epsilon", 1e-5))
        if "save_mean" in v:
            mean, inv = float(v["save_mean"][cell]), float(v["save_inv_var"][cell])
        m = len(members)
        dbias[cell] = math.fsum(g[at] for at in members)
        dscale[cell] = math.fsum(g[at] * (v["x"][at] - mean) for at in members) * inv
        for at in members:
            normal = (v["x"][at] - mean) * inv
            dx[at] = v["scale"][cell] * inv / m * (m * g[at] - dbias[cell] - normal * dscale[cell])
    return {"dx": dx, "dz": g, "dscale": dscale, "dbias": dbias}


# ------------------------------------------------------------------ dropout


def philox_words(seed, first, count):
    """Returns the words of Philox4x32-10 for the counters first, first + 1, ..."""
    at = np.arange(first, first + count, dtype=np.uint64)
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    x = [at & low, at >> shift, np.zeros_like(at), np.zeros_like(at)]
    for r in range(10):
        key = [np.uint64((k + r * weyl) & 0xFFFFFFFF)
               for k, weyl in ((seed & 0xFFFFFFFF, 0x9E3779B9), (seed >> 32, 0xBB67AE85))]
        left, right = x[0] * np.uint64(0xD2511F53), x[2] * np.uint64(0xCD9E8D57)
        x = [(right >> shift) ^ x[1] ^ key[0], right & low, (left >> shift) ^ x[3] ^ key[1], left & low]
    return np.stack(x, 1).ravel()


def dropout_forward(p):
    x, probability = p.values["x"], p.real("p", 0.5)
    words = [int.from_bytes(bytes(int(b) for b in p.values["states"][i:i + 8]), "little") for i in range(0, 32, 8)]
    assert words[:2] == [int.from_bytes(b"anydrop", "little"), 1]
    skip = words[3] % 4
    drawn = philox_words(words[2], words[3] // 4, (x.size + skip + 3) // 4)[skip:skip + x.size]
    keep = [int(int(r) >= probability * 4294967296.0) for r in drawn]
    y = [v * (1 / (1 - probability)) if k else 0.0 for v, k in zip(x.ravel().tolist(), keep)]
    words[3] += x.size + -x.size % 4
    after = [b for w in words for b in w.to_bytes(8, "little")]
    return {"y": np.array(y).reshape(x.shape), "reserve": bytes_of(keep), "states": np.array(after, float)}


def dropout_backward(p):
    dy, dx = p.values["dy"], np.zeros(p.dims["dy"])
    for i, at in enumerate(places(dy.shape)):
        if int(p.values["reserve"][i // 8]) >> i % 8 & 1:
            dx[at] = dy[at] * (1 / (1 - p.real("p", 0.5)))
    return {"dx": dx}


# ------------------------------------------------------------------ reductions


def better(op, new, old):
    return new < old if op == "min" else new > old


def chosen(op, row, propagate):
    """Returns the first best value and its index. NaN is skipped, or wins if it propagates."""
    best, index = None, None
    for i, v in enumerate(row):
        v = abs(v) if op == "amax" else v
        if math.isnan(v):
            if propagate:
                return v, i
            continue
        if best is None or better(op, v, best):
            best, index = v, i
    return best, index


def reduce_tensor(p):
    a, small, op = p.values["a"], p.dims["c"], p.keys["op"]
    rows = {}
    for at in places(a.shape):
        rows.setdefault(tuple(0 if s == 1 else i for i, s in zip(at, small)), []).append(float(a[at]))
    c, indices = np.zeros(small), np.zeros(small)
    for at, row in rows.items():
        if op in ("min", "max", "amax"):
            c[at], indices[at] = chosen(op, row, p.keys.get("nan") == "propagate")
        else:
            c[at] = {"add": lambda r: math.fsum(r), "avg": lambda r: math.fsum(r) / len(r),
                     "norm1": lambda r: math.fsum(map(abs, r)), "norm2": lambda r: math.hypot(*r),
                     "mul": lambda r: math.prod(r), "mul_no_zeros": lambda r: math.prod(v for v in r if v != 0)}[op](row)
    return {"c": c, "indices": indices}


# ------------------------------------------------------------------ folds, columns


def transform(p):
    """Computes each element of the folded tensor from its source."""
    x, y = p.values["x"], np.zeros(p.dims["y"])
    before, after, fold = p.ints("pad_before", [0] * 4), p.ints("pad_after", [0] * 4), p.ints("fold", [1, 1])
    for at in places(y.shape):
        if p.keys.get("direction") == "fold":
            padded = [sum(d) for d in zip(x.shape, before, after)]
            block, c = divmod(at[1], padded[1])
            i, j = divmod(block, fold[1])
            source = (at[0], c, at[2] * fold[0] + i, at[3] * fold[1] + j)
            if any(s >= d for s, d in zip(source, padded)):
                continue  # this part of a block lies beyond the padded tensor
            source = tuple(s - b for s, b in zip(source, before))
        else:
            n, c, h, w = (s - b for s, b in zip(at, before))
            block = h % fold[0] * fold[1] + w % fold[1]
            channels = x.shape[1] // (fold[0] * fold[1])
            if not 0 <= c < channels:
                continue
            source = (n, block * channels + c, h // fold[0], w // fold[1])
        if all(0 <= s < d for s, d in zip(source, x.shape)):
            y[at] = x[source]
    return {"y": y}


def im2col(p):
    x, col = p.values["x"], np.zeros(p.dims["col"])
    n = x.ndim - 2
    window, pad = p.ints("window", [1] * n), p.ints("pad", [0] * n)
    stride, dilation = p.ints("stride", [1] * n), p.ints("dilation", [1] * n)
    size = [(s + 2 * q - (k - 1) * d - 1) // t + 1
            for s, q, k, d, t in zip(x.shape[2:], pad, window, dilation, stride)]
    for row, (c, *tap) in enumerate(places([x.shape[1]] + window)):
        if p.keys.get("mode") == "convolution":
            tap = [k - 1 - t for k, t in zip(window, tap)]
        for column, (image, *o) in enumerate(places([x.shape[0]] + size)):
            at = [i * t + k * d - q for i, t, k, d, q in zip(o, stride, tap, dilation, pad)]
            if all(0 <= i < s for i, s in zip(at, x.shape[2:])):
                col[row, column] = x[(image, c) + tuple(at)]
    return {"col": col}


SECOND_WAYS = {
    "lrn_forward": quotient, "lrn_backward": quotient, "divisive_normalization_forward": quotient,
    "divisive_normalization_backward": quotient, "batch_normalization_inference": batch_norm_inference,
    "batch_normalization_training": batch_norm_training, "batch_normalization_backward": batch_norm_backward,
    "dropout_forward": dropout_forward, "dropout_backward": dropout_backward, "reduce_tensor": reduce_tensor,
    "transform_tensor_ex": transform, "transform_filter": transform, "im2col": im2col}


def expected(p, case):
    """Returns the outputs that the case lists, blended."""
    made = SECOND_WAYS[p.operation](p)
    for role in case["out"]:
        suffix = "" if p.operation != "batch_normalization_backward" else (
            "_param" if role in ("dscale", "dbias") else "_data")
        alpha, beta = p.real("alpha" + suffix, 1), p.real("beta" + suffix, 0)
        if role in EXACT:
            yield role, made[role]
        else:
            yield role, alpha * made[role] + (beta * p.values[role] if beta != 0 else 0.0)
