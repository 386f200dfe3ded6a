# SPDX-License-Identifier: Apache-2.0
"""The second computation of check_vectors.py for the other normalizations and for matrix products: loops over the
elements, with exact sums. Each function returns its outputs by role."""

import math

import numpy as np


def part(p, role, at, otherwise):
    """Returns an element of an operand, which is broadcast along dims of 1."""
    if role not in p.dims:
        return otherwise
    return float(p.values[role][tuple(0 if d == 1 else i for i, d in zip(at, p.dims[role]))])


def curve(p, v):
    """Returns the activation at v, and its slope."""
    mode = p.keys.get("activation", "identity")
    if mode == "relu":
        return max(v, 0.0), float(v > 0)
    if mode == "tanh":
        return math.tanh(v), 1 / math.cosh(v)**2
    if mode == "swish":
        e = math.exp(-v)
        return v / (1 + e), (1 + e + v * e) / (1 + e)**2
    if mode == "gelu":
        below = (1 + math.erf(v / math.sqrt(2))) / 2 if v > -1 else math.erfc(-v / math.sqrt(2)) / 2
        return v * below, below + v * math.exp(-v * v / 2) / math.sqrt(2 * math.pi)
    if mode == "gelu_tanh":
        root = math.sqrt(8 / math.pi)
        e = math.exp(-root * (v + 0.044715 * v * v * v))
        return v / (1 + e), 1 / (1 + e) + v * e / (1 + e)**2 * root * (1 + 0.134145 * v * v)
    return v, 1.0


def set_of(p, at):
    kind = p.keys["kind"]
    if kind in ("layer", "rms"):
        axes = [int(i) for i in p.keys["axes"].split(",")]
        return tuple(0 if i in axes else k for i, k in enumerate(at))
    axis = int(p.keys.get("channel_axis", 1))
    channels = p.dims["x"][axis]
    groups = channels if kind == "instance" else int(p.keys["groups"])
    return tuple(k if i == 0 else k // (channels // groups) if i == axis else 0 for i, k in enumerate(at))


def statistics(p):
    sets = {}
    for at in np.ndindex(*p.dims["x"]):
        sets.setdefault(set_of(p, at), []).append(float(p.values["x"][at]))
    made = {}
    for key, values in sets.items():
        mean = 0.0 if p.keys["kind"] == "rms" else math.fsum(values) / len(values)
        # A mean far from zero is the sum of two numbers.
        rest = 0.0 if p.keys["kind"] == "rms" else math.fsum(v - mean for v in values) / len(values)
        variance = math.fsum((v - mean - rest)**2 for v in values) / len(values)
        made[key] = mean, rest, 1 / math.sqrt(variance + float(p.keys["epsilon"])), len(values)
    return made


def elements(p):
    """Yields for each element its index, its set, n, the factor and the argument of the activation."""
    centered = p.keys.get("scaling") == "zero_centered"
    sets = statistics(p)
    for at in np.ndindex(*p.dims["x"]):
        mean, rest, r, _ = sets[set_of(p, at)]
        n = (float(p.values["x"][at]) - mean - rest) * r
        factor = centered + part(p, "scale", at, 1.0 - centered)
        yield at, n, factor, factor * n + part(p, "bias", at, 0.0)


def normalization_forward(p):
    sets = statistics(p)
    out = {"y": np.zeros(p.dims["y"])}
    for role, k in (("save_mean", 0), ("save_inv_dev", 2)):
        if role in p.dims:
            out[role] = np.zeros(p.dims[role])
            for key, values in sets.items():
                out[role][key] = values[k] + (values[1] if k == 0 else 0)
    for at, _, _, v in elements(p):
        out["y"][at] = curve(p, v)[0]
    return out


def normalization_backward(p):
    sets, rows, sums = statistics(p), list(elements(p)), {}
    out = {role: np.zeros(p.dims[role]) for role in ("dx", "dscale", "dbias") if role in p.dims}
    for at, n, factor, v in rows:
        g = float(p.values["dy"][at]) * curve(p, v)[1]
        sums.setdefault(set_of(p, at), []).append((factor * g, factor * g * n))
        for role, value in (("dscale", g * n), ("dbias", g)):
            if role in out:
                out[role][tuple(0 if d == 1 else i for i, d in zip(at, p.dims[role]))] += value
    for at, n, factor, v in rows:
        _, _, r, count = sets[set_of(p, at)]
        w, wn = (math.fsum(pair[k] for pair in sums[set_of(p, at)]) / count for k in (0, 1))
        own = factor * float(p.values["dy"][at]) * curve(p, v)[1]
        out["dx"][at] = r * (own - (0 if p.keys["kind"] == "rms" else w) - n * wn) + part(p, "dsum", at, 0.0)
    return out


def matmul(p):
    out = np.zeros(p.dims["d"])
    inner = p.dims["a"][-1]
    for at in np.ndindex(*out.shape):
        total = math.fsum(part(p, "a", at[:-1] + (k,), 0) * part(p, "b", at[:-2] + (k, at[-1]), 0) for k in range(inner))
        total = p.real("alpha", 1) * total + p.real("beta", 0) * part(p, "c", at, 0.0) + part(p, "bias", at, 0.0)
        out[at] = curve(p, total)[0]
    return {"d": out}


SECOND_WAYS = {"normalization_forward": normalization_forward, "normalization_backward": normalization_backward,
               "matmul": matmul}


def expected(p, case):
    outputs = SECOND_WAYS[p.operation](p)
    for role in case["out"]:
        yield role, outputs[role]
