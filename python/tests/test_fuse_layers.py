# SPDX-License-Identifier: Apache-2.0
"""Tests the patterns of `fuse` for normalizations of single samples and for linear layers, beside the unfused model.

Needs torch 2.11 or later and ANYDNN_LIBRARY.
"""
import copy
import itertools
import pathlib
import sys
import unittest
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
try:
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError:
    torch = None
if torch:
    import anydnn.torch
    from anydnn.torch import _layer_blocks

    class Transformer(nn.Module):
        """A block with two additions, of which a layer normalization follows the first and whose sum stays in use."""

        def __init__(self, width):
            super().__init__()
            self.first, self.second, self.mix = nn.LayerNorm(width), nn.LayerNorm(width), nn.Linear(width, width)
            self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

        def forward(self, x):
            x = x + self.mix(self.first(x))
            return x + self.mlp(self.second(x))

    class Residual(nn.Module):
        """A block of a diffusion model."""

        def __init__(self, channels):
            super().__init__()
            self.norm1, self.conv1 = nn.GroupNorm(2, channels), nn.Conv2d(channels, channels, 3, padding=1)
            self.norm2, self.conv2 = nn.GroupNorm(2, channels), nn.Conv2d(channels, channels, 3, padding=1)
            self.act, self.time = nn.SiLU(), nn.Linear(channels, channels)

        def forward(self, x):
            h = self.conv1(functional.silu(self.norm1(x)))
            h = h + functional.silu(self.time(x.mean((2, 3))))[:, :, None, None]
            return x + self.conv2(self.act(self.norm2(h)))

ROUTES = ("cpu_ref", "onednn, cpu_ref")


def trained(model, x):
    """Returns y and all gradients."""
    leaf = x.clone(memory_format=torch.preserve_format).requires_grad_()
    model.zero_grad()
    y = model(leaf)
    y.square().mean().backward()
    return [y.detach(), leaf.grad, *(one.grad for one in model.parameters())]


@unittest.skipUnless(torch, "torch is not installed")
class Layers(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        anydnn.torch.clear_report()
        self.addCleanup(anydnn.torch.disable)

    def same(self, found, wanted, units):
        """Compares results within some roundings of the largest value. The tests' sums have at most 300 terms."""
        for one, other in zip(found, wanted):
            bound = units * torch.finfo(one.dtype).eps * (1 + other.abs().max().item())
            self.assertEqual((one.dtype, one.shape, one.stride()), (other.dtype, other.shape, other.stride()))
            self.assertLessEqual((one - other).abs().max().item(), bound)

    def operators(self):
        return {line.operator for line in anydnn.torch.report() if line.operator.startswith("anydnn::")
                and line.backend != "torch" and line.calls}

    def test_blocks(self):
        """Tests training and inference of blocks against the unfused blocks on torch's kernels, and what ran."""
        norms = {"anydnn::group_norm_active", "anydnn::group_norm_active_backward"}
        added = {"anydnn::add_layer_norm", "anydnn::add_layer_norm_backward"}
        cases = [(Transformer(8), torch.randn(2, 5, 8), added), (Residual(4), torch.randn(2, 4, 6, 6), norms),
                 (Residual(4), torch.randn(2, 4, 6, 6).to(memory_format=torch.channels_last), norms)]
        for route, (model, x, wanted_operators), kind in itertools.product(ROUTES, cases, (torch.float32, torch.float64)):
            model, x = copy.deepcopy(model).to(kind), x.to(kind)
            fused = anydnn.torch.fuse(copy.deepcopy(model))
            wanted = trained(model, x)
            anydnn.torch.clear_report()
            with self.subTest(model=type(model).__name__, route=route, kind=kind), anydnn.torch.use(
                    route=route, everything=True):
                for _ in range(2):
                    self.same(trained(fused, x), wanted, 2 ** 9)
                self.assertEqual(self.operators() - {"anydnn::addmm", "anydnn::convolution_backward_onto"},
                                 {*wanted_operators, "anydnn::linear_active"})
                with torch.no_grad():
                    self.same([fused.eval()(x)], [model.eval()(x)], 2 ** 9)

    def test_activations(self):
        """Tests each activation after a group normalization and after a linear layer, with and without parameters."""
        kinds = (nn.ReLU(), nn.SiLU(), nn.GELU(), nn.GELU(approximate="tanh"), nn.Tanh(), nn.ELU(0.5))
        for active, affine, kind in itertools.product(kinds, (True, False), (torch.float32, torch.bfloat16)):
            group = nn.Sequential(nn.GroupNorm(2, 6, affine=affine), active).to(kind)
            linear = nn.Sequential(nn.Linear(6, 4, bias=affine), active).to(kind)
            for model, x in ((group, torch.randn(2, 6, 3)), (linear, torch.randn(3, 5, 6))):
                for one in model.parameters():
                    nn.init.normal_(one)
                wanted, fused = trained(model, x.to(kind)), anydnn.torch.fuse(copy.deepcopy(model))
                with self.subTest(model=str(model), kind=kind), anydnn.torch.use(route="cpu_ref", everything=True):
                    for _ in range(2):
                        # torch rounds the value before the activation, and its gradient, to bfloat16.
                        self.same(trained(fused, x.to(kind)), wanted, 2 ** 7 if kind == torch.float32 else 8)
        self.assertTrue({"anydnn::group_norm_active", "anydnn::linear_active"} <= self.operators())

    def test_derivatives_of_gradients(self):
        for model, x in ((Transformer(4), torch.randn(1, 2, 4)), (Residual(2), torch.randn(1, 2, 2, 3))):
            model = anydnn.torch.fuse(model.double())
            with anydnn.torch.use(route="cpu_ref", everything=True):
                leaf = x.double().requires_grad_()
                self.assertTrue(torch.autograd.gradcheck(model, leaf))
                self.assertTrue(torch.autograd.gradgradcheck(model, leaf))
                given = [leaf, *model.parameters()]
                once, again = (torch.autograd.grad(model(leaf).square().sum(), given, create_graph=graph)
                               for graph in (False, True))
                self.same([one.detach() for one in again], once, 2 ** 9)

    def test_parts_of_gradients(self):
        """Checks that frozen parameters and inputs get no gradient, and the others the same."""
        model, x = Transformer(4), torch.randn(2, 3, 4)
        for name, one in model.named_parameters():
            one.requires_grad_("weight" in name)
        wanted, fused = [], anydnn.torch.fuse(copy.deepcopy(model))
        for each, on in ((model, False), (fused, True), (fused, True)):
            each.zero_grad()
            with anydnn.torch.use(route="cpu_ref", operators=["normalization", "matmul"] if on else ["pooling"]):
                each(x).square().mean().backward()
            wanted.append([one.grad for one in each.parameters()])
        for found in wanted[1:]:
            for one, other in zip(found, wanted[0]):
                self.assertEqual(one is None, other is None)
                if one is not None:
                    self.same([one], [other], 2 ** 9)

    def test_sum_without_a_gradient_of_the_normalization(self):
        """Checks that the gradients of y and of the sum may each be missing."""
        norm, x, z = nn.LayerNorm(4), *(torch.randn(2, 4, requires_grad=True) for _ in range(2))
        with anydnn.torch.use(route="cpu_ref", everything=True):
            y, total = _layer_blocks.add_norm(norm, x, z)
            self.assertEqual([one.tolist() for one in torch.autograd.grad(total.sum(), (x, z), retain_graph=True)],
                             [torch.ones(2, 4).tolist()] * 2)
            found = torch.autograd.grad(y.square().sum(), (x, z, norm.weight))
        wanted = torch.autograd.grad(norm(x + z).square().sum(), (x, z, norm.weight))
        self.same(found, wanted, 2 ** 7)

    def test_not_enabled(self):
        """Checks that a fused model without the families gives torch's bits, and that the report has the reason."""
        model, x = Transformer(8), torch.randn(2, 5, 8)
        wanted, fused = trained(model, x), anydnn.torch.fuse(copy.deepcopy(model))
        for found in (trained(fused, x), None):
            if found is None:
                with anydnn.torch.use():
                    found = trained(fused, x)
            self.assertTrue(all(torch.equal(*pair) for pair in zip(found, wanted)))
        torch._dynamo.reset()
        self.assertTrue(torch.equal(torch.compile(fused, backend="eager", fullgraph=True)(x), model(x)))
        self.assertEqual({line.reason for line in anydnn.torch.report()}, {
            "anydnn.torch is not enabled for normalization", "anydnn.torch is not enabled for matmul"})

    def test_slow_backend_is_not_taken_for_an_activation(self):
        """Checks that the backend of the product alone runs it with the activation, or torch does."""
        model, x = anydnn.torch.fuse(nn.Sequential(nn.Linear(6, 4), nn.GELU())), torch.randn(3, 6)
        with anydnn.torch.use(route="onednn, cpu_ref", everything=True), torch.no_grad():
            model(x)
        lines = [line for line in anydnn.torch.report() if line.operator == "anydnn::linear_active"]
        self.assertEqual({line.backend for line in lines} - {"onednn", "torch"}, set())

    def test_additions_that_are_not_fused(self):
        """Checks additions in place, of a number, of other shapes and with an earlier user, with the same results."""
        class Added(nn.Module):
            def __init__(self, way):
                super().__init__()
                self.norm, self.way = nn.LayerNorm(4), way

            def forward(self, x):
                y = x * 2
                if self.way == "in place":
                    y += x
                elif self.way == "number":
                    y = y + 1
                elif self.way == "broadcast":
                    y = y + x[:1]
                elif self.way == "type":
                    y = y + x.double()
                elif self.way == "itself":
                    y = y + y
                else:
                    y = y + x
                    x = y * 3
                return self.norm(y.float()) if self.way == "type" else self.norm(y) + x
        for way in ("in place", "number", "broadcast", "type", "itself", "earlier"):
            model, x = Added(way), torch.randn(2, 4)
            wanted, fused = trained(model, x), anydnn.torch.fuse(copy.deepcopy(model))
            anydnn.torch.clear_report()
            with self.subTest(way=way), anydnn.torch.use(route="cpu_ref", everything=True):
                self.same(trained(fused, x), wanted, 2 ** 7)
                self.assertNotIn("anydnn::add_layer_norm", self.operators())

    def test_reasons(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.plain, self.used, self.rms = nn.GroupNorm(1, 4), nn.GroupNorm(1, 4), nn.RMSNorm(4)
                self.hooked, self.early = nn.GroupNorm(1, 4), nn.LayerNorm(4)
                self.hooked.register_forward_hook(lambda *_: None)

            def forward(self, x):
                y = self.plain(x) + torch.relu(self.hooked(x))
                z = self.used(x)
                total = y + z
                return self.rms(torch.relu(z) + z) + total * 2 + self.early(total)
        found = anydnn.torch.fused(anydnn.torch.fuse(Model()))
        self.assertEqual(found.summary.split(",")[0], "0 of 5 normalizations fused")
        for name, reason in (("plain", "add comes behind it, not an activation that the library has"),
                             ("used", "a result with other users"), ("hooked", "hooks"),
                             ("early", "an earlier user of the sum"),
                             ("rms", "no operator of ours runs RMSNorm together with another operation")):
            self.assertEqual(found.reasons[name], reason)
        self.assertEqual(anydnn.torch.fused(anydnn.torch.fuse(Transformer(4))).reasons,
                         {"first": "its input comes from the caller, not an addition"})

    def test_hooks_that_are_added_later(self):
        calls, model = [], anydnn.torch.fuse(nn.Sequential(nn.GroupNorm(1, 4), nn.SiLU()))
        with anydnn.torch.use(route="cpu_ref", everything=True):
            model(torch.randn(2, 4, 3))
            model[0].register_forward_hook(lambda *_: calls.append(1))
            model(torch.randn(2, 4, 3))
        self.assertEqual(calls, [1])

    def test_tracers(self):
        """Tests compile, export, vmap and jvp of fused models."""
        for model, x in ((Transformer(4), torch.randn(2, 3, 4)), (Residual(4), torch.randn(2, 4, 3, 3))):
            fused, wanted = anydnn.torch.fuse(copy.deepcopy(model)), model(x)
            slope = torch.func.jvp(model, (x,), (x,))[1]
            with anydnn.torch.use(route="cpu_ref", everything=True), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch._dynamo.reset()
                self.same([torch.compile(fused, backend="aot_eager", fullgraph=True)(x).detach()], [wanted.detach()], 2 ** 9)
                self.same([torch.export.export(fused, (x,)).module()(x).detach()], [wanted.detach()], 2 ** 9)
                self.same([torch.func.jvp(fused, (x,), (x,))[1].detach()], [slope.detach()], 2 ** 9)
                found = torch.vmap(lambda one, f=fused: f(one[None])[0])(x)
                self.assertLess((found - wanted).abs().max().item(), 1e-5)

    def test_autocast(self):
        model, x = Transformer(8), torch.randn(2, 5, 8)
        fused = anydnn.torch.fuse(copy.deepcopy(model))
        with torch.autocast("cpu", torch.bfloat16):
            wanted = trained(model, x)
            with anydnn.torch.use(route="cpu_ref", everything=True):
                found = trained(fused, x)
        for one, other in zip(found, wanted):
            self.assertEqual(one.dtype, other.dtype)
            self.assertLess((one - other).abs().max().item(), 32 * 2.0 ** -8 * (1 + other.abs().max().item()))


if __name__ == "__main__":
    unittest.main()
