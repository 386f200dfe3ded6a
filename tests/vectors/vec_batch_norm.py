# SPDX-License-Identifier: Apache-2.0
"""Batch normalization vectors. The oracle is PyTorch's batch_norm in double and its autograd; per activation, x is
viewed as N,CHW. Factors and the reserve, which PyTorch lacks, follow the specification."""

import numpy as np
import torch
import torch.nn.functional as F

from vec_convolution import apart, finish, layout
from vec_dropout import packed
from vecfile import Case

# case name, dims, mode, epsilon, layout of x, of y, of the parameters, alpha, beta
INFERENCE = [
    ("spatial", (3, 4, 2, 5), "spatial", None, "nchw", "nchw", "nchw", 1, 0),
    ("spatial_gaps", (2, 3, 5, 4), "spatial", 0.001, "gapped", "permuted", "gapped", -0.5, 2),
    ("persistent_nhwc", (2, 5, 3, 4), "spatial_persistent", 0.25, "nhwc", "nhwc", "nchw", 1, 0),
    ("per_activation", (4, 2, 3, 5), "per_activation", None, "nchw", "nchw", "nchw", 1, 0),
    ("per_activation_views", (3, 2, 5, 4), "per_activation", 0.01, "view", "gapped", "permuted", 1.5, -1),
    ("epsilon_zero", (2, 4, 3, 5), "spatial", 0.0, "nchw", "view", "nchw", 1, 0),
    ("in_place", (2, 3, 4, 5), "spatial", 0.5, "gapped", "alias", "nchw", 2, 0.25),
    ("volume", (2, 3, 2, 4, 3), "spatial", None, "permuted", "nchw", "nchw", 1, 0),
    ("volume_per_activation", (3, 2, 2, 1, 4), "per_activation", 1.0, "nchw", "gapped", "gapped", 1, 0.5),
    ("two_dims", (5, 7), "per_activation", 0.001, "nchw", "nchw", "nchw", 1, 0),
    ("double_digits", (2, 3, 1, 4), "spatial", 0.1, "nchw", "view", "nchw", 1, 0),
    ("half_digits", (2, 5, 3, 4), "spatial", 0.01, "gapped", "nchw", "nchw", 1, 0),
    ("alpha_zero", (2, 3, 4, 5), "spatial", None, "view", "nchw", "nchw", 0, 3),
    ("integer_spatial", (3, 4, 2, 5), "spatial", 0.5, "nchw", "nchw", "nchw", 1, 0),
    ("integer_spatial_gaps", (2, 3, 5, 4), "spatial", 0.01, "gapped", "permuted", "gapped", -0.5, 2),
    ("integer_nhwc", (2, 5, 3, 4), "spatial_persistent", 0.25, "nhwc", "nhwc", "nchw", 2, 0),
    ("integer_per_activation", (4, 2, 3, 5), "per_activation", 0.1, "nchw", "view", "nchw", 1, 0),
    ("integer_in_place", (2, 3, 4, 5), "spatial", 0.5, "gapped", "alias", "nchw", 1, -1.5),
    ("integer_volume", (2, 3, 2, 4, 3), "spatial", 0.3, "permuted", "nchw", "nchw", 1.5, 0),
]

# case name, dims, mode, ops, activation, epsilon, factor, layout of x, of y, of the parameters, alpha, beta,
# traits: running, saved (the pairs are there), over_z (y is z), cudnn
TRAINING = [
    ("spatial", (3, 4, 2, 5), "spatial", "bn", None, None, None, "nchw", "nchw", "nchw", 1, 0, "running saved"),
    ("spatial_alone", (2, 3, 5, 4), "spatial", "bn", None, 0.5, None, "nchw", "nchw", "nchw", 1, 0, ""),
    ("spatial_gaps", (3, 2, 4, 5), "spatial", "bn", None, 0.001, 0.25, "gapped", "permuted", "gapped", -0.5, 2,
     "running saved"),
    ("spatial_views_running", (2, 4, 5, 3), "spatial", "bn", None, 0.01, 0.1, "view", "gapped", "nchw", 1, 0,
     "running"),
    ("persistent_nhwc_saved", (2, 5, 3, 4), "spatial_persistent", "bn", None, 0.125, None, "nhwc", "nhwc", "nchw",
     1.5, 0, "saved"),
    ("per_activation", (5, 2, 3, 4), "per_activation", "bn", None, None, 0.5, "nchw", "nchw", "nchw", 1, 0,
     "running saved"),
    ("per_activation_gaps", (4, 3, 2, 5), "per_activation", "bn", None, 0.1, 0.75, "permuted", "view", "gapped", 1,
     -0.25, "running saved"),
    ("factor_zero", (3, 2, 4, 5), "spatial", "bn", None, 0.01, 0.0, "nchw", "nchw", "nchw", 1, 0, "running"),
    ("volume", (2, 3, 2, 4, 3), "spatial", "bn", None, 0.001, 0.3, "gapped", "nchw", "nchw", 1, 0, "running saved"),
    ("two_dims", (7, 4), "per_activation", "bn", None, 0.001, 0.5, "nchw", "nchw", "nchw", 1, 0, "running saved"),
    ("in_place", (2, 3, 4, 5), "spatial", "bn", None, 0.01, None, "gapped", "alias", "nchw", 1, 0.5, "saved"),
    ("activation", (2, 4, 3, 5), "spatial", "bn_activation", "relu", 0.01, 0.5, "nchw", "nchw", "nchw", 1, 0,
     "running saved"),
    ("activation_gaps_blend", (3, 2, 5, 4), "spatial", "bn_activation", "relu", 0.1, None, "gapped", "permuted",
     "gapped", 0.5, -1, "saved"),
    ("activation_odd_size", (3, 3, 1, 7), "per_activation", "bn_activation", "relu", 0.25, None, "nchw", "nchw",
     "nchw", 1, 0, ""),
    ("activation_clipped", (2, 3, 5, 4), "spatial", "bn_activation", "clipped_relu", 0.01, None, "view", "nchw",
     "nchw", 1, 0, "saved"),
    ("activation_tanh", (2, 3, 4, 5), "spatial", "bn_activation", "tanh", 0.01, None, "nchw", "view", "nchw", 1, 0,
     "saved"),
    ("add_activation", (2, 4, 5, 3), "spatial", "bn_add_activation", "relu", 0.01, 0.25, "nchw", "nchw", "nchw", 1,
     0, "running saved"),
    ("add_activation_nhwc", (3, 5, 2, 4), "spatial_persistent", "bn_add_activation", "relu", 0.001, None, "nhwc",
     "nhwc", "nchw", 1, 0, "saved"),
    ("add_activation_views", (2, 3, 4, 5), "per_activation", "bn_add_activation", "relu", 0.5, None, "view",
     "gapped", "permuted", 2, 0.5, "saved"),
    ("add_activation_in_place", (2, 3, 4, 5), "spatial", "bn_add_activation", "relu", 0.1, None, "nchw", "gapped",
     "nchw", 1, 0.5, "saved over_z"),
    ("double_digits", (2, 3, 1, 4), "spatial", "bn", None, 0.1, 0.3, "nchw", "view", "nchw", 1, 0, "running saved"),
    ("cudnn_one_element", (1, 1, 1, 1), "spatial", "bn", None, 0.001, 0.25, "nchw", "nchw", "nchw", 1, 0,
     "running saved cudnn"),
    ("cudnn_four_elements", (1, 1, 1, 4), "spatial", "bn", None, 0.001, 0.25, "nchw", "nchw", "nchw", 1, 0,
     "running saved cudnn"),
]

# case name, dims, mode, ops, activation, epsilon, layout of x, of dy, of the parameters, data factors,
# parameter factors, traits: saved, y, bias (they are there), alias (dx is dy), over_z (dz
# is dy), cudnn
BACKWARD = [
    ("spatial", (3, 4, 2, 5), "spatial", "bn", None, None, "nchw", "nchw", "nchw", (1, 0), (1, 0), "saved"),
    ("spatial_again", (2, 3, 5, 4), "spatial", "bn", None, 0.5, "nchw", "nchw", "nchw", (1, 0), (1, 0), ""),
    ("spatial_gaps", (3, 2, 4, 5), "spatial", "bn", None, 0.01, "gapped", "permuted", "gapped", (-0.5, 2),
     (1.5, -1), "saved"),
    ("spatial_views_again", (2, 3, 4, 5), "spatial", "bn", None, 0.25, "view", "gapped", "gapped", (2, 0.5),
     (0.5, 1), ""),
    ("persistent_nhwc", (2, 5, 3, 4), "spatial_persistent", "bn", None, 0.125, "nhwc", "nhwc", "nchw", (1, 0),
     (1, 1), "saved"),
    ("per_activation", (5, 2, 3, 4), "per_activation", "bn", None, 0.1, "nchw", "nchw", "nchw", (1, 0), (1, 0),
     "saved"),
    ("per_activation_gaps", (4, 3, 2, 5), "per_activation", "bn", None, 0.5, "permuted", "view", "gapped", (1, -1),
     (2, 0), ""),
    ("volume", (2, 3, 2, 4, 3), "spatial", "bn", None, 0.01, "gapped", "nchw", "nchw", (1, 0), (1, 0), "saved"),
    ("two_dims", (7, 4), "per_activation", "bn", None, 0.01, "nchw", "nchw", "nchw", (1, 0), (1, 0), "saved"),
    ("in_place", (2, 3, 4, 5), "spatial", "bn", None, 0.01, "nchw", "gapped", "nchw", (1, 0.5), (1, 0),
     "saved alias"),
    ("activation", (2, 4, 3, 5), "spatial", "bn_activation", "relu", 0.01, "nchw", "nchw", "nchw", (1, 0), (1, 0),
     "saved y bias"),
    ("activation_gaps", (3, 2, 5, 4), "spatial", "bn_activation", "relu", 0.1, "gapped", "permuted", "gapped",
     (0.5, -1), (2, 1), "saved"),
    ("activation_odd_size", (3, 3, 1, 7), "per_activation", "bn_activation", "relu", 0.25, "nchw", "nchw", "nchw",
     (1, 0), (1, 0), "y bias"),
    ("activation_clipped", (2, 3, 5, 4), "spatial", "bn_activation", "clipped_relu", 0.01, "view", "nchw", "nchw",
     (1, 0), (1, 0), "saved y bias"),
    ("activation_tanh", (2, 3, 4, 5), "spatial", "bn_activation", "tanh", 0.01, "nchw", "view", "nchw", (1, 0),
     (1, 0), "saved y bias"),
    ("add_activation", (2, 4, 5, 3), "spatial", "bn_add_activation", "relu", 0.01, "nchw", "nchw", "nchw", (1, 0),
     (1, 0), "saved y bias"),
    ("add_activation_again_nhwc", (3, 5, 2, 4), "spatial_persistent", "bn_add_activation", "relu", 0.1, "nhwc",
     "nhwc", "nchw", (1, 0), (1, 0), "y bias"),
    ("add_activation_gaps", (2, 3, 4, 5), "per_activation", "bn_add_activation", "relu", 0.5, "view", "gapped",
     "permuted", (1, 0), (1, -1), "saved"),
    ("add_activation_in_place", (2, 3, 5, 4), "spatial", "bn_add_activation", "relu", 0.01, "nchw", "gapped",
     "nchw", (1, 0), (1, 0), "saved over_z"),
    ("double_digits", (2, 3, 1, 4), "spatial", "bn", None, 0.1, "nchw", "view", "nchw", (1, 0), (1, 0), "saved"),
    ("cudnn_one_element", (1, 1, 1, 1), "spatial", "bn", None, 0.001, "nchw", "nchw", "nchw", (1, 0), (1, 0),
     "saved cudnn"),
    ("cudnn_four_elements", (1, 1, 1, 4), "spatial", "bn", None, 0.001, "nchw", "nchw", "nchw", (1, 0), (1, 0),
     "saved cudnn"),
]

# The results of cuDNN 9.19, in float: y, running pair, saved pair; dx, dscale, dbias.
CUDNN = {
    1: ([0.5], [7.75, np.nan], [1, 31.622776], [0], 0, 1),
    4: ([-1.85321259, -0.284404218, 3.63761687, 0.5], [8.5, 17.166666], [4, 0.392202109],
        [1.28958845, -1.72724879, 0.535710812, -0.0980505347], 4.31422329, 2.5)}


# The parameters whose layouts differ from one another if they have gaps.
PARAMETERS = ["scale", "bias", "mean", "var", "running_mean", "running_var", "save_mean", "save_inv_var", "dscale",
              "dbias"]


class Layer:
    """A layer: dims, mode and epsilon, and statistics and their terms as arrays that broadcast over x."""

    def __init__(self, c, dims, mode, epsilon, words):
        self.c, self.dims = c, dims
        self.per_activation = mode == "per_activation"
        self.axes = (0,) if self.per_activation else (0,) + tuple(range(2, len(dims)))
        self.small = tuple(1 if i in self.axes else d for i, d in enumerate(dims))
        self.count = int(np.prod(dims)) // int(np.prod(self.small))
        self.epsilon = 1e-5 if epsilon is None else epsilon
        self.words = words
        if mode != "spatial":
            c.param(mode=mode)
        if epsilon is not None:
            c.param(epsilon=float(epsilon))

    def operand(self, role):
        word = self.words.get(role) or apart(self.words["params"], PARAMETERS.index(role))
        wide = role not in ("x", "y", "z", "dx", "dy", "dz")
        dims = self.small if wide else self.dims
        self.c.operand(role, dims, layout(word, dims), wide=wide)

    def draw_x(self, cudnn):
        if cudnn:
            return np.array([1.0, 3, 8, 4])[:self.dims[-1]].reshape(self.dims)
        return self.c.short(self.c.reals(self.dims, 5) + self.c.reals(self.small, 3))

    def measure(self, x):
        """Computes the mean, the biased variance, 1 / sqrt(variance + epsilon) and the terms of their errors. The
        mean's terms are mean |x|. The variance's terms are the variance, plus the change of each square by an error of
        the mean."""
        self.mean = x.mean(self.axes, keepdims=True)
        self.var = ((x - self.mean)**2).mean(self.axes, keepdims=True)
        self.inv = 1 / np.sqrt(self.var + self.epsilon)
        self.mean_terms = np.abs(x).mean(self.axes, keepdims=True)
        spread = np.abs(x - self.mean) * (np.abs(x) + self.mean_terms)
        self.var_terms = self.var + 2 * spread.mean(self.axes, keepdims=True)
        self.inv_terms = self.inv * (1 + 0.5 * self.var_terms / (self.var + self.epsilon))
        self.normal = (x - self.mean) * self.inv
        self.normal_terms = self.inv * (np.abs(x) + self.mean_terms) + np.abs(x - self.mean) * self.inv_terms

    def torch(self, x, scale, bias):
        """Returns leaves that require gradients, and PyTorch's result for them."""
        seen = (self.dims[0], -1) if self.per_activation else self.dims
        leaves = [torch.from_numpy(v).requires_grad_() for v in (x, scale, bias)]
        y = F.batch_norm(leaves[0].reshape(seen), None, None, leaves[1].ravel(), leaves[2].ravel(), True, 0.0,
                         self.epsilon)
        return leaves, y.reshape(self.dims)


def parameters(c, layer, cudnn):
    if cudnn:
        return np.full(layer.small, 2.0), np.full(layer.small, 0.5)
    return c.reals(layer.small, 5) + 1 / 64, c.reals(layer.small, 5) + 1 / 64  # none of them is 0


def activation(c, ops, mode):
    if ops == "bn":
        return
    c.param(ops=ops)
    if mode != "relu":
        c.param(activation=mode)
    if mode == "clipped_relu":
        c.param(coef=0.75)


def act(mode, v, terms):
    """Returns the activation, its terms, and where it passes its gradient. All elements must be so far from a kink that
    rounding in any type does not move them across it."""
    if mode == "tanh":
        y = torch.tanh(torch.from_numpy(v)).numpy()
        return y, terms * (1 - y * y) + np.abs(y), np.ones(v.shape, bool)
    top = 0.75 if mode == "clipped_relu" else np.inf
    assert np.abs(v).min() > 2e-5 and np.abs(v / top - 1).min() > 2.0**-8, (np.abs(v).min(), np.abs(v - top).min())
    return np.clip(v, 0, top), terms, (v > 0) & (v < top)


def blend(c, role, result, terms, kred, alpha, beta, own=None):
    if own is None:
        finish(c, role, result, terms, kred, alpha, beta)
    else:
        c.expect(role, alpha * result + beta * own, np.abs(alpha * terms) + np.abs(beta * own), kred)


def inference_case(name, dims, mode, epsilon, lx, ly, lp, alpha, beta):
    c = Case("batch_normalization_inference", name)
    alias = ly == "alias"
    layer = Layer(c, dims, mode, epsilon, {"x": lx, "y": lx if alias else ly, "params": lp})
    for role in ("x", "scale", "bias", "mean", "var", "y"):
        layer.operand(role)
    c.blend(alpha, beta)
    if alias:
        c.param(alias="y:x")
    x = c.reals(dims)
    scale, bias, mean = (c.reals(layer.small) for _ in range(3))
    var = np.abs(c.reals(layer.small)) + 0.25
    if c.whole:  # about as large as x
        scale, bias, var = scale / 32 + 0.5, bias / 4 + 0.375, 10 * var
    for role, v in (("x", x), ("scale", scale), ("bias", bias), ("mean", mean), ("var", var)):
        c.feed(role, v)
    seen = (dims[0], -1) if layer.per_activation else dims
    parameter = [torch.from_numpy(v).ravel() for v in (mean, var, scale, bias)]
    y = F.batch_norm(torch.from_numpy(x).reshape(seen), *parameter, False, 0.0, layer.epsilon).numpy().reshape(dims)
    terms = 2 * np.abs(scale) * (np.abs(x) + np.abs(mean)) / np.sqrt(var + layer.epsilon) + np.abs(bias)
    blend(c, "y", y, terms, 1, alpha, beta, x if alias else None)
    return c


def training_roles(ops, traits):
    roles = ["x", "scale", "bias"] + ["z"] * (ops == "bn_add_activation")
    roles += ["running_mean", "running_var"] * ("running" in traits) + ["y"]
    return roles + ["save_mean", "save_inv_var"] * ("saved" in traits)


def check_cudnn(name, traits, *pairs):
    if "cudnn" in traits:
        for got, want in pairs:
            assert np.allclose(np.ravel(got), want, 1e-5, 1e-6, equal_nan=True), name


def training_case(name, dims, mode, ops, bend, epsilon, factor, lx, ly, lp, alpha, beta, traits):
    c = Case("batch_normalization_training", name)
    alias, traits = ly == "alias", traits.split()
    lz = ly if "over_z" in traits else apart(ly)
    layer = Layer(c, dims, mode, epsilon, {"x": lx, "y": lx if alias else ly, "z": lz, "params": lp})
    for role in training_roles(ops, traits):
        layer.operand(role)
    if ops != "bn":
        c.bytes("reserve", (int(np.prod(dims)) + 7) // 8)
    activation(c, ops, bend)
    if factor is not None:
        c.param(average_factor=float(factor))
    c.blend(alpha, beta)
    if alias or "over_z" in traits:
        c.param(alias="y:x" if alias else "y:z")
    x = layer.draw_x("cudnn" in traits)
    scale, bias = parameters(c, layer, "cudnn" in traits)
    z = c.reals(dims) if ops == "bn_add_activation" else np.zeros(dims)
    for role, v in (("x", x), ("scale", scale), ("bias", bias)) + ((("z", z),) if z.any() else ()):
        c.feed(role, v)
    layer.measure(x)
    y = bias + z if layer.count == 1 else layer.torch(x, scale, bias)[1].detach().numpy() + z
    terms = np.abs(scale) * layer.normal_terms + np.abs(bias) + np.abs(z)
    passed = None
    if ops != "bn":
        y, terms, passed = act(bend, y, terms)
    blend(c, "y", y, terms, layer.count, alpha, beta, x if alias else z if "over_z" in traits else None)
    if "running" in traits:
        running(c, layer, 1.0 if factor is None else factor, traits)
    if "saved" in traits:
        c.expect("save_mean", layer.mean, layer.mean_terms, layer.count)
        c.expect("save_inv_var", layer.inv, layer.inv_terms, layer.count)
        check_cudnn(name, traits, (y, CUDNN.get(dims[-1], [0])[0]),
                    ([layer.mean, layer.inv], CUDNN.get(dims[-1], [0, 0, 0])[2]))
    if passed is not None:
        c.expect("reserve", packed(passed.ravel()))
    return c


def running(c, layer, factor, traits):
    """Adds the running statistics. Their variance is the unbiased one, m / (m - 1) times as large; for one element it
    is NaN."""
    m = layer.count
    if "cudnn" in traits:
        mean, var = np.full(layer.small, 10.0), np.full(layer.small, 20.0)
    else:
        mean, var = c.reals(layer.small), np.abs(c.reals(layer.small)) + 0.5
    c.prior("running_mean", mean)
    c.prior("running_var", var)
    sample = m / (m - 1) if m > 1 else np.nan
    new_mean = factor * layer.mean + (1 - factor) * mean
    new_var = factor * sample * layer.var + (1 - factor) * var
    c.expect("running_mean", new_mean, factor * layer.mean_terms + np.abs((1 - factor) * mean), m)
    c.expect("running_var", new_var, factor * sample * layer.var_terms + (1 - factor) * var, m)
    check_cudnn("running", traits, ([new_mean, new_var], CUDNN.get(layer.dims[-1], [0, 0])[1]))


def backward_roles(ops, traits):
    roles = ["x", "dy"] + ["y"] * ("y" in traits) + ["scale"] + ["bias"] * ("bias" in traits)
    return roles + ["save_mean", "save_inv_var"] * ("saved" in traits)


def backward_case(name, dims, mode, ops, bend, epsilon, lx, ly, lp, data, param, traits):
    c = Case("batch_normalization_backward", name)
    traits = traits.split()
    alias, cudnn = "alias" in traits, "cudnn" in traits
    words = {"x": lx, "dx": ly if alias else apart(lx), "y": apart(ly), "dy": ly,
             "dz": ly if "over_z" in traits else apart(lx, 2), "params": lp}
    layer = Layer(c, dims, mode, epsilon, words)
    for role in backward_roles(ops, traits):
        layer.operand(role)
    if ops != "bn":
        c.bytes("reserve", (int(np.prod(dims)) + 7) // 8)
    for role in ["dx"] + ["dz"] * (ops == "bn_add_activation") + ["dscale", "dbias"]:
        layer.operand(role)
    activation(c, ops, bend)
    for (key, initial), value in zip((("alpha_data", 1), ("beta_data", 0), ("alpha_param", 1), ("beta_param", 0)),
                                     data + param):
        if value != initial:
            c.param(**{key: float(value)})
    if alias or "over_z" in traits:
        c.param(alias="dx:dy" if alias else "dz:dy")
    x, (scale, bias) = layer.draw_x(cudnn), parameters(c, layer, cudnn)
    dy = np.array([1, -2, 3, 0.5])[:dims[-1]].reshape(dims) if cudnn else c.reals(dims)
    layer.measure(x)
    leaves, v = layer.torch(x, scale, bias) if layer.count > 1 else (None, torch.from_numpy(bias))
    g, g_terms = given(c, layer, ops, bend, traits, x, dy, scale, bias, v.detach().numpy())
    if leaves:
        v.backward(torch.from_numpy(g))
        dx, dscale, dbias = (t.grad.numpy() for t in leaves)
    else:
        dx, dscale, dbias = np.zeros(dims), np.zeros(layer.small), g
    check_cudnn(name, traits, *zip((dx, dscale, dbias), CUDNN.get(dims[-1], [0] * 6)[3:]))
    m = layer.count
    sum_g = g_terms.sum(layer.axes, keepdims=True)
    sum_gx = (g_terms * layer.normal_terms).sum(layer.axes, keepdims=True)
    inner = g_terms + sum_g / m + layer.normal_terms * np.abs(dscale) / m + np.abs(layer.normal) * sum_gx / m
    blend(c, "dx", dx, np.abs(scale) * layer.inv_terms * inner, m, *data, dy if alias else None)
    if ops == "bn_add_activation":
        c.expect("dz", g)
    blend(c, "dscale", dscale, sum_gx, m, *param)
    blend(c, "dbias", dbias, sum_g, m, *param)
    return c


def given(c, layer, ops, bend, traits, x, dy, scale, bias, v):
    """Feeds the inputs. Returns the part of dy that passes the activation, and its terms."""
    g, terms, passed = dy, np.abs(dy), None
    if ops != "bn":
        z = c.reals(layer.dims) if ops == "bn_add_activation" else 0.0
        y, _, passed = act(bend, v + z, 0.0)
        y = c.short(y)
        slope = 1 - y * y if bend == "tanh" else passed * 1.0
        g, terms = dy * slope, np.abs(dy) * ((1 + y * y) if bend == "tanh" else slope)
    c.feed("x", x)
    c.feed("dy", dy)
    if "y" in traits:
        c.feed("y", y)
    c.feed("scale", scale)
    if "bias" in traits:
        c.feed("bias", bias)
    if "saved" in traits:
        c.feed_rounded("save_mean", layer.mean)
        c.feed_rounded("save_inv_var", layer.inv)
    if passed is not None:
        c.feed("reserve", packed(passed.ravel()))
    return g, terms


def make():
    return {"batch_normalization_inference": [inference_case(*row) for row in INFERENCE],
            "batch_normalization_training": [training_case(*row) for row in TRAINING],
            "batch_normalization_backward": [backward_case(*row) for row in BACKWARD]}
