# SPDX-License-Identifier: Apache-2.0
"""LRN and divisive normalization vectors. The oracle is PyTorch's local_response_norm in double, sums of shifted images
for divisive normalization, and PyTorch's autograd for the gradients of both."""

import itertools

import numpy as np
import torch
import torch.nn.functional as F

from vec_convolution import apart, finish, layout
from vecfile import Case

# case name, dims, (n, alpha, beta, k), layout of x and dx, of y and dy, factors
LRN = [
    ("window_5", (2, 7, 3, 4), (5, 0.5, 0.75, 2.0), "nchw", "nchw", 1, 0),
    ("window_4", (2, 7, 4, 3), (4, 0.5, 0.75, 2.0), "nchw", "nchw", 1, 0),
    ("defaults_gaps", (2, 6, 4, 3), None, "gapped", "permuted", 1, 0),
    ("window_3_views", (3, 4, 2, 5), (3, 1.5, 0.5, 1.0), "view", "gapped", -0.5, 2),
    ("window_2_nhwc", (2, 5, 4, 3), (2, 2.0, 1.25, 0.5), "nhwc", "nhwc", 1, 0.25),
    ("window_1", (2, 5, 3, 4), (1, 1.0, 0.75, 1.0), "nchw", "view", 1, 0),
    ("window_16", (2, 9, 3, 2), (16, 4.0, 0.75, 1.5), "nchw", "nchw", 1.5, 0),
    ("window_beyond_channels", (3, 2, 4, 5), (7, 1.0, 2.0, 1.0), "permuted", "nchw", 1, 0),
    ("window_6_permuted", (2, 8, 3, 2), (6, 3.0, 0.75, 2.0), "permuted", "view", 1, -1),
    ("least_k_and_beta", (2, 4, 3, 5), (3, 1.0, 0.01, 1e-5), "nchw", "nchw", 1, 0),
    ("alpha_zero", (2, 5, 3, 4), (5, 0.0, 0.75, 2.0), "gapped", "nchw", 1, 0),
    ("factor_zero", (2, 5, 3, 4), (3, 1.0, 0.75, 2.0), "nchw", "gapped", 0, -2),
    ("volume", (2, 5, 3, 1, 4), (4, 1.0, 0.75, 2.0), "nchw", "nchw", 1, 0),
    ("volume_gaps", (1, 6, 2, 3, 4), (5, 0.25, 0.5, 1.0), "gapped", "permuted", 2, 0.5),
    ("three_dims", (3, 5, 4), (3, 1.0, 0.75, 1.0), "view", "nchw", 1, 0),
    ("half_digits", (2, 5, 3, 2), (3, 1.0, 0.75, 1.0), "nchw", "gapped", 1, 0),
    ("integer_window_5", (2, 7, 3, 4), (5, 0.125, 0.75, 2.0), "nchw", "nchw", 40, 0),
    ("integer_window_4", (2, 6, 4, 3), (4, 0.0625, 0.5, 1.0), "permuted", "view", 10, 0),
    ("integer_blend", (3, 5, 2, 4), (3, 0.25, 0.75, 1.0), "nchw", "nchw", -30, 2),
    ("integer_nhwc", (2, 5, 4, 3), (2, 0.5, 0.5, 2.0), "nhwc", "nhwc", 25, -1),
    ("integer_saturated", (2, 4, 3, 5), (3, 0.01, 0.75, 2.0), "view", "nchw", 60, 0),
    ("integer_volume", (2, 5, 3, 1, 4), (4, 0.25, 0.75, 2.0), "nchw", "permuted", 50, 0),
    ("double_digits", (2, 5, 1, 4), (5, 0.3, 0.7, 1.1), "nchw", "view", 1, 0),
]

# case name, dims, (n, alpha, beta, k), layout of x, of y, factors, traits
DIVISIVE = [
    ("without_means", (2, 3, 4, 5), (3, 0.5, 0.75, 2.0), "nchw", "nchw", 1, 0, ""),
    ("means", (3, 2, 5, 4), (3, 0.5, 0.75, 2.0), "nchw", "nchw", 1, 0, "means dmeans"),
    ("means_window_2", (2, 3, 5, 4), (2, 0.5, 0.75, 2.0), "nchw", "nchw", 1, 0, "means dmeans"),
    ("defaults_gaps", (2, 3, 4, 6), None, "gapped", "gapped", 1, 0, "means dmeans"),
    ("window_4_views", (2, 3, 6, 5), (4, 2.0, 1.25, 1.0), "view", "permuted", -0.5, 2, "means dmeans"),
    ("window_5_nhwc", (3, 2, 6, 4), (5, 3.0, 0.5, 0.5), "nhwc", "nhwc", 1.5, 0.25, ""),
    ("window_1", (2, 4, 3, 5), (1, 1.0, 0.75, 1.0), "permuted", "view", 1, 0, "means"),
    ("window_beyond_image", (2, 5, 3, 2), (8, 4.0, 0.75, 1.0), "nchw", "gapped", 1, -1, "means dmeans"),
    ("dmeans_without_means", (2, 3, 4, 5), (3, 1.0, 0.75, 2.0), "nchw", "nchw", 1, 0, "dmeans"),
    ("volume", (1, 2, 3, 5, 4), (3, 6.0, 0.75, 1.0), "nchw", "nchw", 1, 0, "means dmeans"),
    ("volume_window_2_gaps", (2, 2, 3, 2, 4), (2, 4.0, 0.5, 2.0), "gapped", "permuted", 1, 0.5, "means"),
    ("factor_zero", (2, 3, 4, 5), (3, 1.0, 0.75, 2.0), "nchw", "gapped", 0, 3, ""),
    ("double_digits", (2, 2, 3, 4), (3, 0.3, 0.7, 1.1), "nchw", "view", 1, 0, "means dmeans"),
]

# The results of cuDNN 9.19 (tests/probes/cudnn_questions.c), in float.
CUDNN_LRN = {
    "cudnn_window_5": (
        5, [0.399384111, 0.598139524, 0.66195029, 0.662240088, 0.640060782, 0.611627102, 0.757263064, 0.959787071],
        [0.306158841, 0.339444578, 0.180995837, -0.0134032965, -0.229981065, -0.603024364, -0.406975031,
         -0.123005331]),
    "cudnn_window_4": (
        4, [0.37108767, 0.538615823, 0.589678407, 0.592826128, 0.578190923, 0.557703733, 0.723273516, 0.994180322],
        [0.317406178, 0.355437011, 0.210293829, 0.039044559, -0.0704882517, -0.269422889, -0.64497602,
         -0.325227439])}
CUDNN_DIVISIVE = {
    "cudnn_without_means": (
        3, None,
        [0.320696354, 0.461988926, 0.77184689, 0.669866741, 0.576163352, 0.821675897, 1.19532847, 0.953214347,
         1.2818445],
        [0.312137604, -0.0171174984, -0.00807705522, -0.0342349969, -0.00701424014, -0.111497909, -0.0188464634,
         -0.148663878, 0.117607474], None),
    "cudnn_means": (
        3, [1, 1, 1, 2, 2, 2, 3, 3, 3],
        [0.395512819, 0.593202949, 0.962089062, 1.02216768, 0.90041852, 1.24198854, 2.24487448, 1.8479557,
         2.31554055],
        [0.403143495, -0.00956885889, -0.00763066579, -0.0439679101, -0.00738594867, -0.219975993, -0.038153328,
         -0.361539543, 0.0822432488],
        [0.0765508711, 0, 0, 0, 0.206028, 0, 0, 0, 1.0104177]),
    "cudnn_means_window_2": (
        2, [1, 1, 1, 2, 2, 2, 3, 3, 3],
        [0.28832382, 0.430579841, 0.821352005, 0.651171803, 0.632425785, 1.05707288, 1.60512674, 1.46399462,
         2.2108407],
        None,  # for even windows cuDNN's dx is not the gradient
        [0.082378231, 0, 0, 0, 0.150577575, 0, 0, 0, 0.765291035])}


def describe(c, params):
    n, alpha, beta, k = params or (5, 1e-4, 0.75, 2.0)
    if params:
        c.param(n=n, lrn_alpha=alpha, lrn_beta=beta, k=k)
    return n, alpha, beta, k


def power_terms(b, terms, beta):
    """Returns the relative error of b^-beta in units in the last place: that of b, and that of beta times its
    logarithm."""
    return 1 + beta * terms / b + np.abs(beta * np.log(b))


# ------------------------------------------------------------------ across channels


def response_norm(x, n, alpha, beta, k):
    """PyTorch's even windows begin one channel earlier than cuDNN's. On mirrored channels they begin like ours."""
    if n % 2:
        return F.local_response_norm(x, n, alpha, beta, k)
    return torch.flip(F.local_response_norm(torch.flip(x, [1]), n, alpha, beta, k), [1])


def channel_windows(v, n, mirrored=False):
    """Returns sums over the channels of each window or, if mirrored, over the windows that contain each channel."""
    out = np.zeros(v.shape)
    first = (n - 1) // 2
    for o in range(-first, n - first):
        o = -o if mirrored else o
        low, high = max(0, -o), min(v.shape[1], v.shape[1] - o)
        if low < high:
            out[:, low:high] += v[:, low + o:high + o]
    return out


def lrn_case(forward, name, dims, params, lx, ly, alpha, beta, given=None):
    c = Case("lrn_forward" if forward else "lrn_backward", name)
    roles = (("x", lx), ("y", ly))
    if not forward:
        roles = (("y", ly), ("dy", apart(ly)), ("x", lx), ("dx", apart(lx)))
    for role, word in roles:
        c.operand(role, dims, layout(word, dims))
    n, a, b, k = describe(c, params)
    c.blend(alpha, beta)
    x = c.reals(dims, None if "gaps" in name else 5) if given is None else given
    t = torch.from_numpy(x).requires_grad_()
    y = response_norm(t, n, a, b, k)
    base = k + a / n * channel_windows(x * x, n)
    rough = power_terms(base, k + abs(a) / n * channel_windows(x * x, n), b)
    if forward:
        c.feed("x", x)
        y = y.detach().numpy()
        finish(c, "y", y, np.abs(y) * rough, n, alpha, beta)
        return c, y
    dy = c.reals(dims) if given is None else given
    y.backward(torch.from_numpy(dy))
    y = y.detach().numpy()
    c.feed_rounded("y", y)
    c.feed("dy", dy)
    c.feed("x", x)
    part = np.abs(dy * y / base)
    factor = 2 * abs(a) * b / n * np.abs(x)
    terms = np.abs(dy) * base**-b * rough + factor * channel_windows(part * (1 + rough), n, True)
    finish(c, "dx", t.grad.numpy(), terms, n, alpha, beta, factor * channel_windows(part, n, True))
    return c, t.grad.numpy()


def lrn(forward):
    cases = [lrn_case(forward, *row)[0] for row in LRN if forward or row[0][:7] != "integer"]
    for name, (n, y, dx) in CUDNN_LRN.items():
        x = np.arange(1.0, 9.0).reshape(1, 8, 1, 1)
        c, got = lrn_case(forward, name, x.shape, (n, 0.5, 0.75, 2.0), "nchw", "nchw", 1, 0, x)
        assert np.allclose(got.ravel(), y if forward else dx, 1e-5, 1e-6), name
        cases.append(c)
    return cases


# ------------------------------------------------------------------ divisive


def shifted(v, n):
    """Yields, for each position of the window, v shifted such that element i has that position's element of i's window,
    and a mask of the elements that exist."""
    first = (n - 1) // 2
    space = v.dim() - 2
    pads = [first, n - 1 - first] * space
    wide, inside = F.pad(v, pads), F.pad(torch.ones_like(v), pads)
    for at in itertools.product(range(n), repeat=space):
        box = (slice(None), slice(None)) + tuple(slice(o, o + d) for o, d in zip(at, v.shape[2:]))
        yield wide[box], inside[box]


def deviations(x, means, n):
    return sum(mask * (v - means)**2 for v, mask in shifted(x, n))


def scattered(v, n):
    """Returns sums over the elements whose windows contain each element."""
    t = torch.zeros(v.shape, dtype=torch.float64, requires_grad=True)
    held = sum(w * mask for w, mask in shifted(t, n))
    held.backward(torch.from_numpy(v))
    return t.grad.numpy()


def divisive_case(forward, name, dims, params, lx, ly, alpha, beta, traits, given=None):
    c = Case("divisive_normalization_" + ("forward" if forward else "backward"), name)
    traits = traits.split()
    with_means, with_dmeans = "means" in traits, "dmeans" in traits and not forward
    roles = ["x"] + ["means"] * with_means + ([] if forward else ["dy"]) + ["temp", "temp2"]
    for role in roles:
        word = {"dy": ly, "means": apart(lx), "temp2": apart(lx, 2)}.get(role, lx)
        c.operand(role, dims, layout(word, dims))
    for role in ["y"] if forward else ["dx"] + ["dmeans"] * with_dmeans:
        c.operand(role, dims, layout({"dx": apart(ly), "dmeans": apart(ly, 2)}.get(role, ly), dims))
    n, a, b, k = describe(c, params)
    c.blend(alpha, beta)
    x, means, dy = given if given else (c.reals(dims), c.reals(dims, 5, 0.5), c.reals(dims))
    means = means if with_means else np.zeros(dims)
    c.feed("x", x)
    if with_means:
        c.feed("means", means)
    count = n**(len(dims) - 2)
    tx, tm = torch.from_numpy(x).requires_grad_(), torch.from_numpy(means).requires_grad_()
    base = k + a / count * deviations(tx, tm, n)
    y = tx * base**-b
    base = base.detach().numpy()
    rough = power_terms(base, base, b)
    if forward:
        y = y.detach().numpy()
        finish(c, "y", y, np.abs(y) * rough, count, alpha, beta)
        return c, (y, None)
    c.feed("dy", dy)
    y.backward(torch.from_numpy(dy))
    # With g = dy x beta B^(-beta - 1) 2 alpha / n^d: dx_i has (x_i - m_j) g_j of each window j with i in it,
    # dmeans_i (x_j - m_i) g_i of each j in i's window.
    g = np.abs(dy * x * b * base**(-b - 1) * 2 * a / count) * (1 + rough)
    terms = np.abs(dy) * base**-b * rough
    terms = terms + np.abs(x) * scattered(g, n) + scattered(np.abs(means) * g, n)
    finish(c, "dx", tx.grad.numpy(), terms, count, alpha, beta)
    if with_dmeans:
        around = sum(np.abs((v - tm).detach().numpy()) * mask.numpy() for v, mask in shifted(tx, n))
        finish(c, "dmeans", tm.grad.numpy(), g * around, count, alpha, beta)
    return c, (tx.grad.numpy(), tm.grad.numpy())


def divisive(forward):
    cases = [divisive_case(forward, *row)[0] for row in DIVISIVE]
    for name, (n, means, y, dx, dmeans) in CUDNN_DIVISIVE.items():
        shape = (1, 1, 3, 3)
        x, dy = np.arange(1.0, 10.0).reshape(shape), np.array([1.0, 0, 0, 0, 1, 0, 0, 0, 2]).reshape(shape)
        m = np.array(means or [0.0] * 9, dtype=float).reshape(shape)
        c, got = divisive_case(forward, name, shape, (n, 0.5, 0.75, 2.0), "nchw", "nchw", 1, 0,
                               "means dmeans" if means else "", (x, m, dy))
        for one, other in zip(got, (y, None) if forward else (dx, dmeans)):
            assert other is None or np.allclose(one.ravel(), other, 1e-5, 1e-6), name
        cases.append(c)
    return cases


def make():
    return {"lrn_forward": lrn(True), "lrn_backward": lrn(False),
            "divisive_normalization_forward": divisive(True),
            "divisive_normalization_backward": divisive(False)}
