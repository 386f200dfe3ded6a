# SPDX-License-Identifier: Apache-2.0
"""CTC loss vectors. The oracle is PyTorch's ctc_loss in double and softmax's derivative. PyTorch's gradient with
respect to log p is p minus the share of the paths. Gradients of labels without a path follow anydnn.h."""

import numpy as np
import torch
import torch.nn.functional as F

from vec_convolution import layout
from vecfile import Case

# case name, t a, labels of each sequence, steps of each (None: all), normalization, layouts of x and gradients, trait
CASES = [
    ("plain", (7, 5), ((1, 2), (3, 3, 4), (4,)), None, "softmax", "nchw", "nchw", ""),
    ("reals", (12, 9), ((1, 2, 3, 8, 8), (7, 6, 5)), None, "softmax", "nchw", "nchw", "reals"),
    ("lengths", (9, 4), ((1, 2, 3), (2,), (3, 1), (1, 1)), (9, 4, 6, 3), "softmax", "nchw", "nchw", ""),
    ("views", (6, 5), ((4, 1), (2, 2, 1)), (5, 6), "softmax", "view", "permuted", ""),
    ("gapped", (8, 3), ((1, 2, 1, 2), (2, 1), ()), None, "softmax", "gapped", "view", ""),
    ("probabilities", (7, 5), ((1, 2), (3, 3, 4), (4,)), None, "none", "nchw", "nchw", ""),
    ("probabilities_lengths", (8, 6), ((5, 1, 5), (2, 2), ()), (6, 8, 3), "none", "permuted", "nchw", ""),
    ("probabilities_reals", (10, 4), ((1, 3, 1), (2,)), None, "none", "nchw", "gapped", "reals"),
    ("half_digits", (6, 7), ((6, 2, 6), (1, 5)), None, "softmax", "nchw", "nchw", ""),
    ("impossible", (4, 5), ((1, 1, 2, 2), (1, 2, 3, 4), (4, 3, 2, 1, 2)), None, "softmax", "nchw", "nchw", ""),
    ("impossible_not_a_number", (5, 4), ((1, 1, 1, 1), (3, 2)), (5, 5), "softmax", "nchw", "nchw", "propagate"),
    ("no_labels", (5, 3), ((), (), ()), (5, 1, 0), "softmax", "nchw", "nchw", ""),
    ("no_steps", (3, 4), ((), (2,), (1, 3)), (0, 0, 3), "softmax", "nchw", "nchw", ""),
    ("one_step", (1, 6), ((5,), (), (1,), (2, 3)), None, "softmax", "nchw", "nchw", ""),
    ("just_enough", (6, 4), ((1, 1, 2, 2), (3, 1, 3, 1, 3, 1)), None, "softmax", "nchw", "nchw", ""),
    ("only_blanks", (4, 1), ((), ()), (4, 2), "softmax", "nchw", "nchw", ""),
    ("far_apart", (8, 4), ((1, 2), (3, 1, 1)), None, "softmax", "nchw", "nchw", "apart"),
    ("zero_probabilities", (5, 4), ((1, 2), (3,), (2, 1)), None, "none", "nchw", "nchw", "zeros"),
    ("costs_alone", (7, 5), ((1, 2), (3, 3, 4), (4,)), (7, 6, 2), "softmax", "view", None, ""),
    ("probabilities_costs_alone", (6, 4), ((1, 2, 3), ()), None, "none", "nchw", None, ""),
]


def draw(c, dims, normalization, trait):
    if normalization == "softmax":
        x = c.reals(dims, None if trait == "reals" else 5, 2.0)
        return x * (16.0 if trait == "apart" else 1.0)
    p = c.rng.dirichlet(np.ones(dims[2]), dims[:2])
    if trait == "reals":
        c.types = ("f64", "f32")
        return p.astype(np.float32).astype(np.float64)
    p = np.maximum(c.short(p, 10), 2.0**-10)
    if trait == "zeros":
        p[:, 0, 1] = 0.0
        p[2, 1, :2] = 0.0
        p[0, 2, 2] = 0.0
    return p


def loss(log_p, label):
    return F.ctc_loss(log_p, torch.tensor([label], dtype=torch.int64), torch.tensor([len(log_p)]),
                      torch.tensor([len(label)]), reduction="sum")


def oracle(x, labels, steps, normalization, nan):
    """Returns costs, gradients, p, and the sum of the logarithms that a cost adds."""
    costs, gradients, logs = np.zeros(len(labels)), np.zeros(x.shape), np.zeros(len(labels))
    p = torch.softmax(torch.from_numpy(x), 2).numpy() if normalization == "softmax" else x
    for n, (label, t) in enumerate(zip(labels, steps)):
        if t == 0:
            costs[n] = np.inf if label else 0.0
            continue
        raw = torch.from_numpy(x[:t, n:n + 1].copy())
        log_p = torch.log_softmax(raw, 2) if normalization == "softmax" else torch.log(raw)
        costs[n] = loss(log_p, label).item()
        if np.isinf(costs[n]):
            gradients[:t, n] = np.nan if nan else 0.0
            continue
        log_p = log_p.clamp(min=-1e4).requires_grad_()  # PyTorch's share of a letter with p 0 is 0 / 0
        loss(log_p, label).backward()
        gradients[:t, n] = log_p.grad.numpy()[:, 0]
        used = log_p.detach().numpy()[:, 0][:, sorted({0, *label})]
        logs[n] = np.abs(np.where(np.isfinite(used), used, 0.0)).max(1).sum()
    return costs, gradients, p, logs


def case(name, dims, labels, steps, normalization, lx, lg, trait):
    c = Case("ctc_loss", name)
    t, a = dims
    n = len(labels)
    steps = (t,) * n if steps is None else steps
    flat = [k for label in labels for k in label]
    c.operand("x", (t, n, a), layout(lx, (t, n, a)))
    c.operand("labels", (max(len(flat), 1),), kind="s32")
    c.operand("label_lengths", (n,), kind="s32")
    c.operand("input_lengths", (n,), kind="s32")
    c.operand("costs", (n,), wide=True)
    if lg:
        c.operand("gradients", (t, n, a), layout(lg, (t, n, a)))
    if normalization == "none":
        c.param(normalization="none")
    if trait == "propagate":
        c.param(nan="propagate")
    x = draw(c, (t, n, a), normalization, trait)
    c.feed("x", x)
    c.feed("labels", flat or [0])
    c.feed("label_lengths", [len(label) for label in labels])
    c.feed("input_lengths", steps)
    costs, gradients, p, logs = oracle(x, labels, steps, normalization, trait == "propagate")
    paths = t * (2 * max(len(label) for label in labels) + 1)
    c.expect("costs", costs, logs + np.where(np.isfinite(costs), np.abs(costs), 0.0), paths)
    if lg:
        # A share is the exponential of a sum of logarithms, whose errors become relative errors.
        shares = p + np.abs(np.nan_to_num(gradients))
        c.expect("gradients", gradients, shares * (1 + 2 * logs[None, :, None]), paths)
    return c


def make():
    return {"ctc_loss": [case(*row) for row in CASES]}
