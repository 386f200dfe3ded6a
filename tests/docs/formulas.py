# SPDX-License-Identifier: Apache-2.0
"""Computes the formulas of docs/formulas.md with NumPy, in double, and compares them with cpu_ref."""
import numpy as np

import anydnn

rng = np.random.default_rng(7)
handle = anydnn.Handle("cpu", route="cpu_ref")
failures = 0


def run(text, **operands):
    """Runs a problem on cpu_ref. Its operands have the type that the text names, f64 mostly."""
    return anydnn.Problem(text).run(handle, **operands)


def same(name, got, wanted, tolerance=1e-12):
    """Compares two arrays, NaN with NaN. The tolerance covers the last bits of a few hundred terms in double."""
    global failures
    got, wanted = np.asarray(got, float), np.asarray(wanted, float)
    if got.shape != wanted.shape or not np.allclose(got, wanted, rtol=tolerance, atol=tolerance, equal_nan=True):
        failures += 1
        print(f"{name}:\n  library {got.ravel()[:8]}\n  formula {wanted.ravel()[:8]}")


def draw(*shape):
    return rng.standard_normal(shape)


def dims(name, a):
    return f"{name}=f64:{','.join(map(str, a.shape))}"


def convolution(x, w, pad, stride, dilation, groups, flip):
    n, k = x.shape[0], w.shape[0]
    if flip:
        w = w[:, :, ::-1, ::-1]
    size = [1 + (x.shape[2 + i] + 2 * pad - ((w.shape[2 + i] - 1) * dilation + 1)) // stride for i in (0, 1)]
    y = np.zeros((n, k, *size))
    for p in range(size[0]):
        for q in range(size[1]):
            for r in range(w.shape[2]):
                for s in range(w.shape[3]):
                    i, j = p * stride - pad + r * dilation, q * stride - pad + s * dilation
                    if 0 <= i < x.shape[2] and 0 <= j < x.shape[3]:
                        for o in range(k):
                            c = o // (k // groups) * w.shape[1]
                            y[:, o, p, q] += (x[:, c:c + w.shape[1], i, j] * w[o, :, r, s]).sum(1)
    return y


def convolutions():
    for flip, mode in ((False, "cross"), (True, "convolution")):
        x, w = draw(2, 4, 7, 6), draw(6, 2, 3, 2)
        y = run(f"convolution_forward {dims('x', x)} {dims('w', w)} pad=2,2 stride=2,2 dilation=2,2 groups=2 mode={mode}",
                x=x, w=w)["y"]
        same(f"convolution, {mode}", y, convolution(x, w, 2, 2, 2, 2, flip))
    dy = draw(2, 3, 4, 5)
    db = run(f"convolution_backward_bias {dims('dy', dy)}", dy=dy)["db"]
    same("gradient of the bias", np.ravel(db), dy.sum((0, 2, 3)))


def activations():
    x, dy = draw(1, 1, 5, 8) * 3, draw(1, 1, 5, 8)
    forward = {
        "relu": np.maximum(x, 0), "clipped_relu": np.clip(x, 0, 1.5), "sigmoid": 1 / (1 + np.exp(-x)), "tanh": np.tanh(x),
        "elu": np.where(x >= 0, x, 1.5 * (np.exp(x) - 1)), "swish": x / (1 + np.exp(-1.5 * x))}
    backward = {
        "relu": lambda y: dy * (y > 0), "clipped_relu": lambda y: dy * ((y > 0) & (y < 1.5)),
        "sigmoid": lambda y: dy * y * (1 - y), "tanh": lambda y: dy * (1 - y ** 2),
        "elu": lambda y: np.where(y >= 0, dy, dy * (y + 1.5))}
    for name, wanted in forward.items():
        same(name, run(f"activation_forward {dims('x', x)} activation={name} coef=1.5", x=x)["y"], wanted)
        for nan in ("ignore", "propagate"):
            got = run(f"activation_forward x=f64:1,1,1,1 activation={name} coef=1.5 nan={nan}", x=np.full((1, 1, 1, 1), np.nan))["y"]
            same(f"{name} of NaN, {nan}", np.ravel(got), [0 if "relu" in name and nan == "ignore" else np.nan])
        if name in backward:
            got = run(f"activation_backward {dims('y', x)} activation={name} coef=1.5", y=wanted, dy=dy, x=x)["dx"]
            same(f"{name}, backward", got, backward[name](wanted))
    got = run("activation_backward y=f64:1,1,1,1 activation=relu", y=np.full((1, 1, 1, 1), np.nan), dy=np.ones((1, 1, 1, 1)),
              x=np.ones((1, 1, 1, 1)))["dx"]
    same("relu, backward, y NaN", np.ravel(got), [0])


def softmaxes():
    inf = np.inf
    x = np.concatenate([draw(3, 5, 1, 1), np.full((1, 5, 1, 1), -inf)])
    m, exp = x[:3].max(1, keepdims=True), np.exp(x[:3])
    for name, rows, low in (("accurate", np.exp(x[:3] - m) / np.exp(x[:3] - m).sum(1, keepdims=True), 0),
                            ("fast", exp / exp.sum(1, keepdims=True), np.nan),
                            ("log", x[:3] - m - np.log(np.exp(x[:3] - m).sum(1, keepdims=True)), -inf)):
        y = run(f"softmax_forward {dims('x', x)} softmax={name}", x=x)["y"]
        same(f"softmax, {name}", y[:3], rows)
        same(f"softmax, {name}, -inf", np.ravel(y[3]), [low] * 5)
        dy = draw(3, 5, 1, 1)
        dx = run(f"softmax_backward {dims('y', dy)} softmax={name}", y=rows, dy=dy)["dx"]
        same(f"softmax, {name}, backward", dx, dy - np.exp(rows) * dy.sum(1, keepdims=True) if name == "log" else
             rows * (dy - (dy * rows).sum(1, keepdims=True)))
        if name != "fast":
            high = np.array([1, inf, 2], float).reshape(1, 3, 1, 1)
            y = run(f"softmax_forward {dims('x', high)} softmax={name}", x=high)["y"]
            if not np.isnan(y).any():
                same(f"softmax, {name}, +inf", y, np.full_like(y, np.nan))


def poolings():
    low = np.finfo(np.float64).min
    x = np.array([[3, np.nan, 1, -np.inf, -np.inf, np.nan]]).reshape(1, 1, 1, 6)
    text = "pooling_forward x=f64:1,1,1,6 mode=max window=1,2 stride=1,2 nan="
    same("max, NaN skipped", np.ravel(run(text + "ignore", x=x)["y"]), [3, 1, low])
    same("max, NaN propagates", np.ravel(run(text + "propagate", x=x)["y"]), [np.nan, 1, np.nan])
    x = draw(1, 1, 1, 5)
    v = x.ravel()
    for mode, wanted in (("average_include", [(v[0] + v[1]) / 3, v[1:4].sum() / 3, (v[3] + v[4]) / 3]),
                         ("average_exclude", [(v[0] + v[1]) / 2, v[1:4].sum() / 3, (v[3] + v[4]) / 2])):
        y = run(f"pooling_forward x=f64:1,1,1,5 mode={mode} window=1,3 stride=1,2 pad=0,1", x=x)["y"]
        same(f"pooling, {mode}", np.ravel(y), wanted)
    x = np.array([2, 2, 1.0]).reshape(1, 1, 1, 3)
    dx = run("pooling_backward y=f64:1,1,1,1 x=f64:1,1,1,3 mode=max window=1,3", y=np.full((1, 1, 1, 1), 2.0),
             dy=np.full((1, 1, 1, 1), 5.0), x=x)["dx"]
    same("max, backward: the first element that equals y", np.ravel(dx), [5, 0, 0])


def normalizations():
    x = draw(2, 6, 3, 4)
    y = run(f"lrn_forward {dims('x', x)} n=4 lrn_alpha=0.3 lrn_beta=0.75 k=1.5", x=x)["y"]
    sums = np.stack([(x[:, max(c - 1, 0):c + 3] ** 2).sum(1) for c in range(6)], 1)
    same("lrn", y, x * (1.5 + 0.3 / 4 * sums) ** -0.75)
    scale, bias = draw(1, 6, 1, 1), draw(1, 6, 1, 1)
    mean, var, m = x.mean((0, 2, 3), keepdims=True), x.var((0, 2, 3), keepdims=True), 24
    given = {"x": x, "scale": scale, "bias": bias}
    wanted = scale * (x - mean) / np.sqrt(var + 1e-3) + bias
    y = run(f"batch_normalization_inference {dims('x', x)} epsilon=0.001", mean=mean, var=var, **given)["y"]
    same("batch normalization, inference", y, wanted)
    old = {"running_mean": np.ones((1, 6, 1, 1)), "running_var": np.ones((1, 6, 1, 1))}
    out = run(f"batch_normalization_training {dims('x', x)} epsilon=0.001 average_factor=0.25"
              " running_mean=f64:1,6,1,1 running_var=f64:1,6,1,1", **given, **old)
    same("batch normalization, training", out["y"], wanted)
    same("the running variance", out["running_var"], var * m / (m - 1) * 0.25 + 0.75)
    v = draw(3, 4, 5)
    y = run(f"normalization_forward {dims('x', v)} kind=layer axes=2 epsilon=0.001", x=v)["y"]
    same("layer normalization", y, (v - v.mean(2, keepdims=True)) / np.sqrt(v.var(2, keepdims=True) + 1e-3))
    y = run(f"normalization_forward {dims('x', v)} kind=rms axes=2 epsilon=0.001", x=v)["y"]
    same("rms normalization", y, v / np.sqrt((v ** 2).mean(2, keepdims=True) + 1e-3))


def others():
    a, b, c = draw(2, 3, 4, 5), draw(1, 3, 1, 1), draw(2, 3, 4, 5)
    got = run(f"op_tensor {dims('a', a)} {dims('b', b)} op=mul alpha1=2 alpha2=3 beta=0.5", a=a, b=b, out={"c": c.copy()})["c"]
    same("op_tensor", got, 2 * a * 3 * b + 0.5 * c)
    for name, wanted in (("avg", a.mean((0, 2, 3))), ("norm2", np.sqrt((a ** 2).sum((0, 2, 3)))), ("amax", abs(a).max((0, 2, 3)))):
        got = run(f"reduce_tensor {dims('a', a)} c=f64:1,3,1,1 op={name}", a=a)["c"]
        same(f"reduce_tensor, {name}", np.ravel(got), wanted)
    theta = draw(1, 2, 3)
    grid = run("spatial_grid_forward theta=f64:1,2,3 grid=f64:1,3,4,2", theta=theta)["grid"]
    points = np.array([[[X, Y, 1] for X in np.linspace(-1, 1, 4)] for Y in np.linspace(-1, 1, 3)])
    same("spatial_grid", grid[0], points @ theta[0].T)
    p, q = draw(2, 3, 4), draw(2, 4, 5)
    same("matmul", anydnn.matmul(p, q, alpha=2, handle=handle), 2 * p @ q)
    got = run("scale_tensor y=f64:1,1,1,2 alpha=0", out={"y": np.array([[[[np.inf, 1]]]])})["y"]
    same("alpha 0 times infinity", np.ravel(got), [np.nan, 0])


for part in (convolutions, activations, softmaxes, poolings, normalizations, others):
    part()
raise SystemExit(1 if failures else 0)
