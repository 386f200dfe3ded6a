#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the .vec files and computes every expected value a second time: by scalar loops with Python's math where
make_vectors.py uses PyTorch or NumPy, and by PyTorch where it uses loops. Prints one line per file. The exit status is
1 if a value differs. With --count, it prints the number of cases of each operation and type instead, and the exit
status is 1 if there are too few. An argument names the folder of the files."""

import glob
import math
import os
import sys

import numpy as np
import torch
import torch.nn.functional as F

import check_convolution
import check_count
import check_kinds
import check_layers
import check_sequences
from vecread import LOWEST, RANGES, Problem, read

TOLERANCE = 4e-15


def first_equal(p, window, pad, stride):
    """Computes max backward where PyTorch's rule differs (ties, NaN, y that is no maximum of x). Each element of x gets
    the gradients of the windows in which it is the first that equals y."""
    x, y, dy = (p.values[r] for r in ("x", "y", "dy"))
    out = np.zeros(x.shape)
    for at in np.ndindex(*x.shape):
        for o in np.ndindex(*y.shape[2:]):
            corner = [a * s - q for a, s, q in zip(o, stride, pad)]
            if not all(k <= i < k + w for k, i, w in zip(corner, at[2:], window)):
                continue
            box = tuple(slice(max(k, 0), k + w) for k, w in zip(corner, window))
            seen, top = x[at[:2]][box], y[at[:2] + o]
            equal = np.argwhere(np.isnan(seen) if math.isnan(top) else seen == top)
            if len(equal) and tuple(equal[0] + [max(k, 0) for k in corner]) == at[2:]:
                out[at] += dy[at[:2] + o]
    return out


def touches(mode, o, stride, pad, window, size):
    """Returns True if a window of average pooling only touches the counted area; cuDNN then divides by 0. Beyond that
    it divides 0 by a negative number."""
    begin = o * stride - pad
    if mode == "average_include":
        return begin == size + pad
    return begin + window == 0 or begin == size + min(pad, 0)


def pooling(p):
    """Computes pooling by PyTorch. An explicit border permits any pad. Output sizes must be those that anydnn
    advises."""
    n = len(p.dims["x"]) - 2
    window, pad, stride = p.ints("window", None), p.ints("pad", [0] * n), p.ints("stride", [1] * n)
    x = torch.from_numpy(p.values["x"].copy()).requires_grad_()
    size = p.dims["y"][2:]
    pads, beyond = [], []
    for i in reversed(range(n)):
        pads += [pad[i], pad[i]]
        beyond += [0, (size[i] - 1) * stride[i] + window[i] - 2 * pad[i] - x.shape[2 + i]]
    mode = p.keys["mode"]
    unfold = F.max_pool2d if n == 2 else F.max_pool3d
    if mode.startswith("max"):
        z = x if p.keys.get("nan") == "propagate" else torch.where(torch.isnan(x), torch.full_like(x, LOWEST), x)
        padded = F.pad(F.pad(z, pads, value=LOWEST), beyond, value=LOWEST)
        y = unfold(padded.clamp(min=LOWEST), window, stride)
    else:
        average = F.avg_pool2d if n == 2 else F.avg_pool3d

        def total(v, value):
            v = F.pad(F.pad(v, pads, value=value), beyond)
            return average(v, window, stride) * float(np.prod(window))

        one = torch.ones_like(x)
        count = torch.round(total(one, 1.0 if mode == "average_include" else 0.0))
        y = total(x, 0.0) / count.clamp(min=1.0)
        for o in np.ndindex(*size):
            at = (slice(None), slice(None)) + o
            if (count[at] == 0).all() and any(touches(mode, *t) for t in zip(o, stride, pad, window, x.shape[2:])):
                y[at] = y[at] * math.nan
    if p.operation == "pooling_forward":
        return y.detach().numpy()
    if any(t in p.name for t in ("ties", "nan", "none_equal")) or (p.values["y"] == LOWEST).any():
        return first_equal(p, window, pad, stride)
    y.backward(torch.from_numpy(p.values["dy"]))
    return x.grad.numpy()


def each_row(p, role):
    d = p.dims[role]
    if p.keys.get("mode", "channel") == "instance":
        return [[(n,) + at for at in np.ndindex(*d[1:])] for n in range(d[0])]
    return [[(n, c) + at for c in range(d[1])] for n in range(d[0]) for at in np.ndindex(*d[2:])]


def softmax(p):
    algorithm = p.keys.get("softmax", "accurate")
    forward = p.operation == "softmax_forward"
    out = np.zeros(p.dims["y"])
    for row in each_row(p, "y"):
        if forward:
            x = [float(p.values["x"][at]) for at in row]
            out_of_range = any(math.isnan(v) or v == math.inf for v in x)
            lost = max(x) == -math.inf  # in IEEE arithmetic, 0 / 0
            if algorithm == "fast" and not out_of_range and not lost:
                total = math.fsum(math.exp(v) for v in x)
                result = [math.exp(v) / total for v in x]
            elif algorithm == "fast":
                result = [math.nan if math.isnan(v) or v == math.inf or lost else 0.0 for v in x]
            elif lost:
                result = [-math.inf if algorithm == "log" else 0.0 for v in x]
            elif out_of_range:
                result = [math.nan for v in x]
            else:
                top = max(x)
                total = math.fsum(math.exp(v - top) for v in x)
                result = [(v - top) - math.log(total) if algorithm == "log" else math.exp(v - top) / total for v in x]
        else:
            y, dy = [[float(p.values[r][at]) for at in row] for r in ("y", "dy")]
            if algorithm == "log":
                total = sum(dy)
                result = [b - math.exp(a) * total for a, b in zip(y, dy)]
            else:
                total = sum(a * b for a, b in zip(y, dy))
                result = [a * (b - total) for a, b in zip(y, dy)]
        for at, v in zip(row, result):
            out[at] = v
    return out


def sigmoid(t):
    return 1 / (1 + math.exp(-t)) if t >= 0 else math.exp(max(t, -700.0)) / (1 + math.exp(max(t, -700.0)))


def activation(p):
    mode, coef, keep = p.keys["activation"], p.real("coef", 0), p.keys.get("nan") == "propagate"

    def forward(x):
        if math.isnan(x):
            return 0.0 if "relu" in mode and not keep else math.nan
        if mode == "sigmoid":
            return 0.0 if x < -740 else sigmoid(x)
        return {"relu": lambda: x if x > 0 else 0.0, "clipped_relu": lambda: min(max(x, 0.0), coef),
                "tanh": lambda: math.tanh(x), "elu": lambda: x if x > 0 else coef * math.expm1(x),
                "swish": lambda: x * sigmoid(coef * x)}[mode]()

    def backward(y, dy, x):
        if math.isnan(y):
            return 0.0 if "relu" in mode else math.nan
        if mode == "swish":
            s = sigmoid(coef * x)
            return dy * (s + coef * x * s - coef * x * s * s)
        return {"sigmoid": lambda: dy * y - dy * y * y, "relu": lambda: dy if y > 0 else 0.0,
                "clipped_relu": lambda: dy if 0 < y < coef else 0.0, "tanh": lambda: dy - dy * y * y,
                "elu": lambda: dy if y >= 0 else dy * y + dy * coef}[mode]()

    roles = ("x",) if p.operation == "activation_forward" else ("y", "dy", "x")
    f = forward if len(roles) == 1 else backward
    out = np.zeros(p.dims[roles[0]])
    for at in np.ndindex(*out.shape):
        out[at] = f(*[float(p.values[r][at]) for r in roles])
    return out


def spread(p, role, dims):
    out = np.zeros(dims)
    small = p.dims[role]
    for at in np.ndindex(*dims):
        out[at] = p.values[role][tuple(0 if s == 1 else i for i, s in zip(at, small))]
    return out


def op_tensor(p):
    op, keep = p.keys["op"], p.keys.get("nan") == "propagate"
    a, b = p.real("alpha1", 1) * p.values["a"], p.real("alpha2", 1) * spread(p, "b", p.dims["a"])

    def choose(u, v, pick):
        if math.isnan(u) or math.isnan(v):
            return math.nan if keep or (math.isnan(u) and math.isnan(v)) else (v if math.isnan(u) else u)
        return pick(u, v)

    f = {"add": lambda u, v: u + v, "mul": lambda u, v: u * v, "not": lambda u, v: 1 - u,
         "sqrt": lambda u, v: math.nan if u < 0 else math.sqrt(u),
         "min": lambda u, v: choose(u, v, min), "max": lambda u, v: choose(u, v, max)}[op]
    out = np.zeros(p.dims["c"])
    for at in np.ndindex(*out.shape):
        out[at] = f(float(a[at]), float(b[at]))
    return out


def expected(p, case):
    """Returns every output that the case lists."""
    if p.operation in check_layers.SECOND_WAYS:
        return check_layers.expected(p, case)
    if p.operation in check_sequences.SECOND_WAYS:
        return check_sequences.expected(p, case)
    if p.operation in check_kinds.SECOND_WAYS:
        return check_kinds.expected(p, case)
    return [only_output(p, case)]


def only_output(p, case):
    role = next(iter(case["out"]))
    name = p.operation
    if name == "set_tensor":
        return role, np.full(p.dims["y"], p.real("value", 0))
    if name == "scale_tensor":
        return role, p.real("alpha", 1) * p.values["y"]
    f = {"convolution_backward_bias": check_convolution.bias_gradient,
         "convolution_bias_activation_forward": check_convolution.bias_activation,
         "op_tensor": op_tensor, "transform_tensor": lambda q: q.values["x"],
         "add_tensor": lambda q: spread(q, "x", q.dims["y"])}.get(name)
    if f is None:
        f = {"conv": check_convolution.convolution, "pool": pooling, "soft": softmax, "acti": activation}[name[:4]]
    result = f(p)
    alpha = 1.0 if name in ("op_tensor", "convolution_bias_activation_forward") else p.real("alpha", 1)
    beta = p.real("beta", 0)
    out = alpha * result
    return role, out + beta * p.values[role] if beta != 0 else out


def differs(path, p, role, got):
    """The file has nine digits of results that are integers in every run."""
    want = np.array(p.case["out"][role])
    terms = np.array(p.case["sum"].get(role, np.zeros(want.size)))
    tolerance = 1e-8 if all(k.split("x")[0] in RANGES for k in p.types_of(role)) else TOLERANCE
    with np.errstate(invalid="ignore"):
        fine = (got == want) | (np.isnan(got) & np.isnan(want)) | (
            np.abs(got - want) <= tolerance * (np.abs(want) + terms))
    if fine.all():
        return 0
    i = int(np.argmin(fine))
    print("%s %s: %s: element %d: file %r, second way %r" % (path, p.name, role, i, want[i], got[i]))
    return 1


def main():
    arguments = [a for a in sys.argv[1:] if a != "--count"]
    folder = arguments[0] if arguments else os.path.dirname(os.path.abspath(__file__))
    paths = sorted(glob.glob(os.path.join(folder, "*.vec")))
    if len(arguments) < len(sys.argv) - 1:
        return 1 if check_count.table([(c["problem"].split()[0], c["types"]) for p in paths for c in read(p)]) else 0
    torch.set_num_threads(1)
    bad = 0
    for path in paths:
        checked = 0
        for case in read(path):
            p = Problem(case)
            for role, value in expected(p, case):
                bad += differs(path, p, role, value.ravel())
            checked += 1
        print("%-40s %3d checked" % (os.path.basename(path), checked))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
