# SPDX-License-Identifier: Apache-2.0
"""Compares anydnn.torch.fuse with the unfused model. Needs torch 2.11 or later and ANYDNN_LIBRARY."""
import contextlib
import copy
import gc
import io
import pathlib
import pickle
import random
import sys
import threading
import unittest
import warnings
import weakref

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
try:
    import torch
    from torch import nn
    from torch.autograd import forward_ad
    from torch.nn import functional
except ImportError:
    torch = None
if torch:
    import anydnn.torch

    class Bottleneck(nn.Module):
        """A block as in torchvision: one ReLU in three places, and an addition in place."""

        def __init__(self, channels=8, downsample=True):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(channels, channels, 1, bias=False), nn.BatchNorm2d(channels)
            self.conv2, self.bn2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
            self.relu = nn.ReLU(inplace=True)
            self.downsample = nn.Sequential(nn.Conv2d(channels, channels, 1), nn.BatchNorm2d(channels))

        def forward(self, x):
            identity = x
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.bn2(self.conv2(out))
            identity = self.downsample(x)
            out += identity
            return self.relu(out)

    class Model(nn.Module):
        """A model with every pattern: a bias, ReLU6, the addition in both orders, a normalization at a Sequential's
        end.
        """

        def __init__(self):
            super().__init__()
            self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(True), nn.Conv2d(8, 8, 1), nn.ReLU6())
            self.block = Bottleneck()
            self.path = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, groups=2), nn.BatchNorm2d(8), nn.ReLU6(True),
                                      nn.Conv2d(8, 8, 1), nn.BatchNorm2d(8))
            self.head = nn.Linear(8, 4)

        def forward(self, x):
            x = self.block(self.stem(x))
            x = functional.relu(x + self.path(x))
            return self.head(x.mean((2, 3)))

    FUSED = {"": ["path.0 + shortcut", "path.1 + path.2", "path.4 + add + relu"], "stem": ["0 + 1", "2 + 3"],
             "block": ["conv1 + shortcut", "bn1 + relu", "bn2 + iadd + relu"]}

    class Branches(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm2d(3)

        def forward(self, x):
            return functional.relu(self.norm(x)) if x.sum() > 0 else x

    class Optional(Branches):
        def forward(self, x, scale=None):
            return functional.relu(self.norm(x))

    class OptionalBranch(nn.Module):
        """A block as in timm: an optional argument, a branch on a constant, an Identity between."""

        def __init__(self, downsample=None):
            super().__init__()
            self.conv, self.bn, self.drop = nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.Identity()
            self.downsample, self.act = downsample, nn.ReLU(inplace=True)

        def forward(self, x, mask=None, *, scale=1.0):
            y = self.drop(self.bn(self.conv(x)))
            if self.downsample is not None:
                x = self.downsample(x)
            y += x
            y = self.act(y)
            if mask is not None:
                y = y * mask
            return y if scale == 1.0 else y * scale

    class BatchNormAct2d(nn.BatchNorm2d):
        """Stands for timm's module of this name: a copy of BatchNorm2d's forward, then `drop` and `act`."""

        def __init__(self, channels, act=nn.ReLU, drop=nn.Identity):
            super().__init__(channels)
            self.drop, self.act = drop(), act()

        def forward(self, x):
            torch._assert(x.ndim == 4, f"expected 4D input (got {x.ndim}D input)")
            factor = 0.0 if self.momentum is None else self.momentum
            if self.training and self.track_running_stats and self.num_batches_tracked is not None:
                self.num_batches_tracked.add_(1)
                if self.momentum is None:
                    factor = 1.0 / float(self.num_batches_tracked)
            batch = self.training or self.running_mean is None and self.running_var is None
            given = not self.training or self.track_running_stats
            x = functional.batch_norm(x, self.running_mean if given else None, self.running_var if given else None,
                                      self.weight, self.bias, batch, factor, self.eps)
            return self.act(self.drop(x))

    class Scaled(BatchNormAct2d):
        """A subclass whose forward is something else."""

        def forward(self, x):
            return self.act(self.drop(functional.batch_norm(x * 2, self.running_mean, self.running_var, self.weight,
                                                            self.bias, self.training, self.momentum, self.eps)))

    class ListOrTensor(nn.Module):
        """A layer as in DenseNet, which is called with a list of tensors."""

        def __init__(self):
            super().__init__()
            self.conv, self.norm, self.relu = nn.Conv2d(4, 3, 1, bias=False), nn.BatchNorm2d(3), nn.ReLU()

        def forward(self, x):
            x = [x] if isinstance(x, torch.Tensor) else x
            return self.relu(self.norm(self.conv(torch.cat(x, 1))))

    def randomized(model):
        """Returns a model whose normalizations have statistics and parameters of no special value."""
        for module in model.modules():
            if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.affine:
                nn.init.uniform_(module.weight, 0.5, 1.5)
                nn.init.normal_(module.bias)
            if isinstance(module, nn.modules.batchnorm._BatchNorm) and module.track_running_stats:
                nn.init.normal_(module.running_mean)
                nn.init.uniform_(module.running_var, 0.5, 1.5)
        return model

    class Counts(Branches):
        def forward(self, x):
            self.calls = getattr(self, "calls", 0) + 1
            return functional.relu(self.norm(x))

    class Draws(Branches):
        def forward(self, x):
            return functional.relu(self.norm(x)) if random.random() < 0.5 else x

    class TwoUsers(Branches):
        def forward(self, x):
            y = self.norm(x)
            return functional.relu(y) + y

    class Twice(Branches):
        def forward(self, x):
            return functional.relu(self.norm(functional.relu(self.norm(x))))

    class InPlaceOnOther(Branches):
        """An addition that changes its first operand, which has a later user."""

        def forward(self, x):
            first = z = x * 2
            z += self.norm(x)
            return functional.relu(z) + first

    class InPlaceOnThis(Branches):
        def forward(self, x):
            y = self.norm(x)
            y += x
            return functional.relu_(y)

    class ChangedBetween(Branches):
        """A normalization whose input changes before the ReLU runs."""

        def forward(self, x):
            x = x * 2
            y = self.norm(x)
            x.zero_()
            return functional.relu(y) + x

    class Asks(Branches):
        def forward(self, x):
            if not isinstance(x, torch.Tensor):
                x = torch.cat(x, 1)
            return functional.relu(self.norm(x))


def rounded_norm(model, x, dy):
    """Returns a normalization and ReLU in double, y and gradients, and the bounds for computing them in float and
    rounding.

    Each result is rounded to x's type once, by at most a unit u of it. Gradients may use a rounded mean and inverse
    deviation, each off by u, so that the normalized values are off by u times `off`.
    """
    norm, leaf, axes = model[0], x.double().requires_grad_(), [0, *range(2, x.dim())]
    before = norm(leaf)
    leaves = [leaf, *model.parameters()]
    y = model[1](before)
    found = [y, *torch.autograd.grad(y, leaves, dy.double(), retain_graph=True)]
    masked, = torch.autograd.grad(y, before, dy.double())
    mean = leaf.mean(axes, keepdim=True)
    inverse = (leaf.var(axes, correction=0, keepdim=True) + norm.eps).rsqrt()
    normal = (leaf - mean) * inverse
    off = mean.abs() * inverse + normal.abs()
    slope = (masked * normal).mean(axes, keepdim=True).abs()
    scale = inverse * (1 if norm.weight is None else norm.weight.abs().view(mean.shape))
    more = [0, found[1].abs() + scale * (off * slope + normal.abs() * (masked.abs() * off).mean(axes, keepdim=True)),
            (masked.abs() * off).sum(axes), 0]
    # A product of two such factors is also off by the square of a unit.
    unit = torch.finfo(x.dtype).eps / 2 * (1 + 2.0 ** -6)
    return [(one.detach(), (unit * (one.abs() + extra)).detach()) for one, extra in zip(found, more)]


def step(model, x, training=True):
    """Returns y, the gradients, and the buffers after the step."""
    model.train(training)
    model.zero_grad()
    leaf = x.clone().requires_grad_()
    y = model(leaf)
    (y * torch.linspace(-1, 1, y.numel(), dtype=y.dtype).view(y.shape)).sum().backward()
    return [y.detach(), leaf.grad, *(p.grad for p in model.parameters()), *(b.clone() for b in model.buffers())]


def negated(kind):
    """Returns a subclass of a module's class whose forward returns the negative."""
    return type("Negated", (kind,), {"forward": lambda self, *arguments: -kind.forward(self, *arguments)})


@unittest.skipUnless(torch, "torch is not installed")
class Fuse(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.addCleanup(anydnn.torch.disable)
        anydnn.torch.clear_report()

    def near(self, found, wanted, layers=8):
        """Compares values after some layers of sums of at most 2^8 products in another order: 2^8 units each."""
        self.assertEqual(len(found), len(wanted))
        for one, other in zip(found, wanted):
            unit = torch.finfo(other.dtype).eps if other.is_floating_point() else 0
            self.assertEqual(one.shape, other.shape)
            self.assertLessEqual((one - other).abs().max().item(),
                                 layers * 2.0 ** 8 * unit * (1 + other.abs().max().item()))

    def reasons(self):
        return [line.reason for line in anydnn.torch.report() if line.operator == "fuse"]

    def ran(self):
        return {line.operator.removeprefix("anydnn::"): line.calls for line in anydnn.torch.report()
                if line.operator.startswith("anydnn::") and line.backend != "torch"}

    def test_model(self):
        """Tests training and eval, both formats and both precisions, on anydnn and on torch's kernels."""
        for kind, last, enabled in ((torch.float32, True, True), (torch.float64, False, True),
                                    (torch.float32, False, False)):
            model = Model().to(kind)
            x = torch.randn(4, 3, 8, 8, dtype=kind)
            if last:
                model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
            other = copy.deepcopy(model)
            self.assertIs(anydnn.torch.fuse(other), other)
            self.assertEqual(anydnn.torch.fused(other), FUSED)
            if enabled:
                anydnn.torch.enable()
            anydnn.torch.clear_report()
            for training in (True, False):
                self.near(step(other, x, training), step(model, x, training))
            self.assertEqual(other.block.bn1.num_batches_tracked.item(), 1)
            wanted = {"batch_norm_relu": 4, "batch_norm_relu_backward": 4, "convolution_relu": 4,
                      "convolution_relu_backward": 4, "convolution_backward_onto": 2}
            self.assertEqual(self.ran(), wanted if enabled else {})
            if not enabled:
                self.assertIn("anydnn.torch is not enabled for batch_norm", str(anydnn.torch.report()))
            anydnn.torch.disable()

    def test_compiled_kernels(self):
        """Checks the bits of Python's kernels: forward, backward and running statistics.

        The third call runs without Python.
        """
        from unittest import mock
        for kind, last in ((torch.float32, True), (torch.float64, False), (torch.bfloat16, True)):
            plain = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.AvgPool2d(2), nn.MaxPool2d(3, 1, 1))
            for model in (anydnn.torch.fuse(Model()), plain):
                x = torch.randn(4, 3, 8, 8, dtype=torch.float64 if kind is torch.float64 else torch.float32)
                if last:
                    model, x = model.to(memory_format=torch.channels_last), x.to(memory_format=torch.channels_last)
                copies = [copy.deepcopy(model).to(x.dtype) for _ in range(2)]
                with torch.autocast("cpu", torch.bfloat16, enabled=kind is torch.bfloat16):
                    with anydnn.torch.use(route="cpu_ref", compiled=False):
                        wanted = [step(copies[0], x) for _ in range(3)]
                    anydnn.torch.clear_report()
                    with anydnn.torch.use(route="cpu_ref", compiled=True):
                        found = [step(copies[1], x) for _ in range(2)]
                        with mock.patch.object(anydnn.torch._state, "attempt", side_effect=AssertionError("Python ran")):
                            found.append(step(copies[1], x))
                for one, other in zip(found, wanted):
                    self.assertTrue(all(map(torch.equal, one, other)))
                calls = {line.operator: line.calls for line in anydnn.torch.report() if line.operator != "fuse"}
                expected = {"_convolution": 15, "convolution_backward": 9, "anydnn::batch_norm_relu": 12,
                            "anydnn::batch_norm_relu_backward": 12, "anydnn::convolution_relu": 6,
                            "anydnn::convolution_relu_backward": 6, "anydnn::convolution_backward_onto": 6,
                            "native_batch_norm": 3, "native_batch_norm_backward": 3}
                if model is plain:
                    expected = dict.fromkeys(["_convolution", "convolution_backward", "native_batch_norm", "avg_pool2d",
                                              "native_batch_norm_backward", "avg_pool2d_backward",
                                              "anydnn::max_pool2d", "anydnn::max_pool2d_backward"], 3)
                self.assertEqual(calls, expected)

    def test_norms_in_half(self):
        """Tests parameters and running statistics of x's type, plain and fused, in eager mode and traced."""
        plain = [(nn.BatchNorm1d, (9, 3), {}), (nn.BatchNorm3d, (2, 3, 4, 4, 4), {}),
                 (nn.BatchNorm2d, (4, 3, 5, 5), {"affine": False}),
                 (nn.BatchNorm2d, (4, 3, 5, 5), {"affine": False, "track_running_stats": False})]
        cases = [(norm, shape, options, lambda model: model) for norm, shape, options in plain]
        for wrap in (lambda model: model, anydnn.torch.fuse,
                     lambda model: torch.compile(anydnn.torch.fuse(model), backend="aot_eager")):
            cases.append((nn.BatchNorm2d, (4, 3, 5, 5), {}, wrap))
        for kind in (torch.bfloat16, torch.float16):
            for norm, shape, options, wrap in cases:
                torch._dynamo.reset()
                model = nn.Sequential(norm(shape[1], **options), nn.ReLU())
                for one in model.parameters():
                    nn.init.normal_(one)
                model, x, dy = model.to(kind), (torch.randn(shape) + 1).to(kind), torch.randn(shape).to(kind)
                for compiled in (False, True, True):
                    self.half_step(model, wrap, x, dy, compiled)
        self.assertEqual({line.reason for line in anydnn.torch.report()} - {"", "torch computes the gradient of inference"}, set())

    def half_step(self, model, wrap, x, dy, compiled):
        double = copy.deepcopy(model).double()
        wanted = rounded_norm(double, x, dy)
        unit = torch.finfo(x.dtype).eps / 2 * (1 + 2.0 ** -6)
        with anydnn.torch.use(route="onednn, cpu_ref", compiled=compiled):
            leaf = x.clone().requires_grad_()
            y = wrap(model)(leaf)
            found = [y, *torch.autograd.grad(y, [leaf, *model.parameters()], dy)]
            # If the batch statistics have their type, the running statistics are rounded once more.
            for one, other in zip(model.buffers(), double.buffers()):
                if one.is_floating_point():
                    found.append(one)
                    wanted.append((other.clone(), 2 * unit * other.abs() + 2.0 ** -24))
            model.eval()
            found.append(model(leaf))
            found[-1].sum().backward()  # by torch
            anydnn.torch.unfuse(model)
            model.train()
        double.load_state_dict(model.state_dict())
        other = double.eval()(x.double())
        wanted.append((other, unit * other.abs()))
        for one, (other, bound) in zip(found, wanted):
            self.assertEqual(one.dtype, x.dtype)
            bound = bound + 2.0 ** 8 * 2.0 ** -24 * (1 + other.abs().max())
            self.assertLessEqual(((one.double() - other).abs() - bound).max().item(), 0)

    def test_fold(self):
        model = Model()
        step(model, torch.randn(4, 3, 8, 8))
        model.eval()
        x = torch.randn(2, 3, 8, 8)
        wanted = model(x)
        anydnn.torch.fuse(model, fold=True)
        self.assertEqual(anydnn.torch.fused(model)["block"],
                         ["conv1 + bn1 + relu", "conv2 + bn2 + iadd + relu"])
        self.assertEqual(anydnn.torch.fused(model)["block.downsample"], ["0 + 1"])
        with anydnn.torch.use():
            self.near([model(x)], [wanted])
            with torch.no_grad():
                model.block.bn1.weight.mul_(2)
                changed = model(x)
        self.near([changed], [anydnn.torch.unfuse(model)(x)])

    ACTIVATIONS = ((nn.ReLU, (), 1), (nn.ReLU6, (), 1), (nn.Hardtanh, (0.0, 2.0), 1), (nn.SiLU, (), 1),
                   (nn.Sigmoid, (), 1), (nn.Tanh, (), 1), (nn.ELU, (0.5,), 1), (nn.Hardswish, (), 1), (nn.GELU, (), 1),
                   (nn.GELU, ("tanh",), 1), (nn.LeakyReLU, (0.2,), 1), (nn.Hardtanh, (-1.0, 2.0), 1),
                   (nn.Hardsigmoid, (), 1), (nn.Mish, (), 1)) if torch else ()

    def test_activations(self):
        """Tests each activation behind a convolution with bias, with a normalization and with an addition, in eval."""
        x = torch.randn(2, 4, 6, 6)
        for kind, arguments, calls in self.ACTIVATIONS:
            for compiled in (False, True):
                conv = nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), kind(*arguments))
                folded = nn.Sequential(nn.Conv2d(4, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), kind(*arguments))
                block = OptionalBranch()
                block.act = kind(*arguments)
                for model, names in ((conv, ["0 + 1"]), (folded, ["0 + 1 + 2"]), (block, ["conv + bn + iadd + act"])):
                    randomized(model).eval()
                    fused = anydnn.torch.fuse(copy.deepcopy(model), fold=True)
                    self.assertEqual(anydnn.torch.fused(fused), {"": names}, kind)
                    anydnn.torch.clear_report()
                    with torch.no_grad(), anydnn.torch.use(route="onednn, cpu_ref", compiled=compiled):
                        for _ in range(3):
                            self.near([fused(x)], [model(x)])
                    lines = [line for line in anydnn.torch.report() if line.calls and "convolution" in line.operator
                             and line.operator != "_convolution"]
                    self.assertEqual([(line.backend, line.calls) for line in lines], [("onednn", 3 * calls)], kind)

    def test_gradients_in_eval(self):
        """Tests the gradients through folded blocks with every activation, and under autocast."""
        for kind, arguments, _ in self.ACTIVATIONS:
            block = OptionalBranch()
            block.act = kind(*arguments)
            randomized(block)
            fused = anydnn.torch.fuse(copy.deepcopy(block), fold=True)
            x = torch.randn(2, 4, 6, 6)
            with anydnn.torch.use(route="cpu_ref"):
                self.near(step(fused, x, False), step(block, x, False))
                with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
                    y, other = fused(x).float(), block(x).float()
                self.assertLess((y - other).abs().max().item(), 8 * 2.0 ** -8 * (1 + other.abs().max()))

    def test_functions_as_activations(self):
        class Applies(nn.Module):
            def __init__(self, function):
                super().__init__()
                self.conv, self.norm, self.function = nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4), function

            def forward(self, x):
                return self.function(self.norm(self.conv(x)))
        x = torch.randn(2, 3, 6, 6)
        for function in (functional.silu, functional.hardswish, lambda x: functional.gelu(x, approximate="tanh"),
                         lambda x: functional.leaky_relu(x, 0.3), lambda x: functional.hardtanh(x, -0.5, 0.5, True),
                         torch.sigmoid, lambda x: x.sigmoid(), torch.tanh, lambda x: functional.elu(x, alpha=2.0),
                         lambda x: functional.relu6(x, inplace=True), functional.mish, functional.hardsigmoid):
            model = randomized(Applies(function)).eval()
            fused = anydnn.torch.fuse(copy.deepcopy(model), fold=True)
            self.assertEqual(len(anydnn.torch.fused(fused)[""][0].split(" + ")), 3)
            with torch.no_grad():
                self.near([fused(x)], [model(x)])

    def test_compound_norms(self):
        """Tests BatchNormAct2d: fused as its parts in training and in eval, with its buffers unchanged by `fuse`."""
        for act, training in ((nn.ReLU, ["bn1 + bn1.act"]), (nn.SiLU, []), (nn.Identity, [])):
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.conv1, self.bn1 = nn.Conv2d(3, 4, 3, bias=False), BatchNormAct2d(4, act)

                def forward(self, x):
                    return self.bn1(self.conv1(x)) * 2
            model, x = randomized(Net()), torch.randn(2, 3, 6, 6)
            other = anydnn.torch.fuse(copy.deepcopy(model), fold=True)
            self.assertEqual(other.bn1.num_batches_tracked.item(), 0)
            self.assertEqual(anydnn.torch.fused(other).get("", []), training)
            name = "conv1 + bn1" + ("" if act is nn.Identity else " + bn1.act")
            self.assertEqual(anydnn.torch.fused(other.eval()), {"": [name]})
            self.assertEqual(anydnn.torch.fused(other).summary, "1 of 1 normalizations fused")
            with anydnn.torch.use(route="cpu_ref"):
                for mode in (True, False):
                    self.near(step(other, x, mode), step(model, x, mode))
                with torch.no_grad():
                    self.near([other(x)], [model(x)])
                # A later change of the activation, or a hook on it, has effect.
                other.bn1.act, model.bn1.act = nn.Tanh(), nn.Tanh()
                self.near([other(x)], [model(x)])
                seen = []
                for one in (other, model):
                    one.bn1.act.register_forward_hook(lambda *found: (seen.append(1), -found[2])[1])
                self.near([other(x)], [model(x)])
                self.assertEqual(len(seen), 2)

    def test_compound_norms_that_are_not(self):
        for norm, reason in ((Scaled(4), "is not a normalization with an activation behind it"),
                             (BatchNormAct2d(4, nn.PReLU), "PReLU behind the normalization"),
                             (BatchNormAct2d(4, nn.ReLU, nn.Dropout2d), "2 modules behind the normalization")):
            model = randomized(nn.Sequential(nn.Conv2d(3, 4, 1), norm)).eval()
            fused = anydnn.torch.fuse(copy.deepcopy(model), fold=True)
            found = anydnn.torch.fused(fused)
            self.assertEqual(found, {})
            self.assertIn(reason, found.reasons["1"])
            x = torch.randn(2, 3, 5, 5)
            self.near([fused(x)], [model(x)])
            self.assertEqual(fused[1].num_batches_tracked.item(), 0)

    def test_optional_arguments(self):
        x, mask = torch.randn(2, 4, 5, 5), torch.rand(2, 4, 5, 5)
        for downsample in (None, nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4))):
            model = randomized(OptionalBranch(downsample))
            fused = anydnn.torch.fuse(copy.deepcopy(model), fold=True)
            self.assertEqual(anydnn.torch.fused(fused)[""][-1], "bn + iadd + act")
            for training in (True, False):
                model.train(training)
                fused.train(training)
                for given, named in (((x,), {}), ((x, None), {}), ((x,), {"mask": None, "scale": 1.0}), ((x, mask), {}),
                                     ((x,), {"mask": mask}), ((), {"x": x}), ((x,), {"scale": 2.0})):
                    self.near([fused(*given, **named)], [model(*given, **named)])
                with self.assertRaises(TypeError):
                    fused(x, None, 1.0)
                with self.assertRaises(TypeError):
                    fused(x, other=None)
            fused.drop.register_forward_hook(lambda *found: found[2] * 3)
            model.drop.register_forward_hook(lambda *found: found[2] * 3)
            self.near([fused(x)], [model(x)])

    def test_lists_of_tensors(self):
        model = randomized(ListOrTensor()).eval()
        fused = anydnn.torch.fuse(copy.deepcopy(model), fold=True)
        x = torch.randn(2, 4, 5, 5)
        with torch.no_grad(), anydnn.torch.use(route="onednn"):
            for given in (x, [x], [x[:, :1], x[:, 1:]], (x[:, :2], x[:, 2:3], x[:, 3:])):
                self.near([fused(given)], [model(given)])
        self.assertEqual(self.ran(), {"convolution_relu": 4})

    def test_transposed(self):
        for dims, conv, norm in ((1, nn.ConvTranspose1d, nn.BatchNorm1d), (2, nn.ConvTranspose2d, nn.BatchNorm2d),
                                 (3, nn.ConvTranspose3d, nn.BatchNorm3d)):
            x = torch.randn(2, 4, *(5,) * dims)
            for bias in (True, False):
                for behind in ((), (nn.ReLU(True),), (nn.SiLU(),)):
                    options = {"stride": 2, "padding": 1, "output_padding": 1, "groups": 2, "bias": bias}
                    model = randomized(nn.Sequential(conv(4, 6, 3, **options), norm(6), *behind)).eval()
                    fused = anydnn.torch.fuse(copy.deepcopy(model), fold=True)
                    self.assertEqual(anydnn.torch.fused(fused).summary, "1 of 1 normalizations fused")
                    with anydnn.torch.use(route="onednn, cpu_ref"):
                        self.near([fused(x)], [model(x)])
                        with torch.no_grad():
                            self.near([fused(x)], [model(x)])
            model = nn.Sequential(conv(4, 6, 3), nn.ReLU()).eval()
            fused = anydnn.torch.fuse(copy.deepcopy(model))
            self.assertEqual(anydnn.torch.fused(fused), {"": ["0 + 1"]})
            self.near(step(fused, x, False), step(model, x, False))

    def test_one_call_ends_a_block(self):
        """Counts the calls of the library: one for each convolution, also where a block ends with an addition."""
        class Inverted(nn.Module):
            """A block as in MobileNetV2, with no activation behind the addition."""

            def __init__(self):
                super().__init__()
                self.conv = nn.Sequential(nn.Conv2d(8, 8, 1, bias=False), nn.BatchNorm2d(8))

            def forward(self, x):
                return x + self.conv(x)
        for model, calls in ((Bottleneck(), {"_convolution": 1, "convolution_relu": 1, "convolution_epilogue": 1}),
                             (Inverted(), {"convolution_epilogue": 1})):
            randomized(model).eval()
            fused = anydnn.torch.fuse(copy.deepcopy(model), fold=True)
            x = torch.randn(2, 8, 6, 6)
            for last in (False, True):
                x = x.to(memory_format=torch.channels_last if last else torch.contiguous_format)
                for compiled in (False, True):
                    with torch.no_grad(), anydnn.torch.use(route="onednn, cpu_ref", compiled=compiled):
                        fused(x)
                        anydnn.torch.clear_report()
                        found = fused(x)
                        lines = {line.operator.removeprefix("anydnn::"): line.calls for line in anydnn.torch.report()
                                 if line.backend == "onednn" and line.calls}
                    self.near([found], [model(x)])
                    self.assertEqual(found.stride(), x.stride())
                    self.assertEqual(lines, calls)

    def test_parts_that_another_backend_would_run(self):
        """Tests that the convolution stays with its backend if the addition or the activation would go to another."""
        from unittest import mock
        plan, block = anydnn.torch._state.Plan, OptionalBranch()
        block.act = nn.SiLU()
        fused, x = anydnn.torch.fuse(randomized(block).eval(), fold=True), torch.randn(2, 4, 5, 5)
        made, ran = plan.__init__, plan.run
        with torch.no_grad():
            wanted = anydnn.torch.unfuse(copy.deepcopy(block))(x)
        for words, included in (((), "swish"), (("swish",), "identity"), (("swish", "alpha2=1"), "without=z")):
            def make(self, handle, text):
                made(self, handle, text)
                self.text = text
                if any(word in text for word in words):
                    self.choice = "slow"

            def run(self, tensors):
                self.texts.append(self.text)
                ran(self, tensors)
            with mock.patch.object(plan, "__init__", make), mock.patch.object(plan, "run", run), \
                    mock.patch.object(plan, "texts", [], create=True), torch.no_grad(), \
                    anydnn.torch.use(route="cpu_ref", compiled=False):
                anydnn.torch._state._own.__dict__.pop("handles", None)
                self.near([fused(x)], [wanted])
                self.assertEqual([included in text for text in plan.texts], [True])

    def test_an_addition_of_another_shape(self):
        class Broadcasts(OptionalBranch):
            def forward(self, x):
                return self.act(self.bn(self.conv(x)) + x.mean((2, 3), keepdim=True))

        class Grows(OptionalBranch):
            def forward(self, x):
                return self.act(self.bn(self.conv(x)) + torch.stack([x, x]))
        x = torch.randn(2, 4, 5, 5)
        for kind in (Broadcasts, Grows):
            model = randomized(kind()).eval()
            fused = anydnn.torch.fuse(copy.deepcopy(model), fold=True)
            with torch.no_grad(), anydnn.torch.use(route="cpu_ref"):
                self.near([fused(x)], [model(x)])

    def test_an_input_that_changes_within_a_block(self):
        class Changes(OptionalBranch):
            def forward(self, x):
                x = x * 2
                y = self.bn(self.conv(x))
                x.mul_(3)
                return self.act(y + x)
        model, x = randomized(Changes()).eval(), torch.randn(2, 4, 5, 5)
        fused = anydnn.torch.fuse(copy.deepcopy(model), fold=True)
        self.near([fused(x)], [model(x)])

    def test_summary(self):
        model = Model().eval()
        said = repr(anydnn.torch.fused(model)).splitlines()
        self.assertEqual(said[0], "0 of 5 normalizations fused, because the model is not fused")
        said = repr(anydnn.torch.fused(anydnn.torch.fuse(model, fold=True))).splitlines()
        self.assertEqual(said[0], "5 of 5 normalizations fused")
        self.assertIn("block: conv1 + bn1 + relu; conv2 + bn2 + iadd + relu", said)
        found = anydnn.torch.fused(anydnn.torch.fuse(model))
        self.assertEqual(found.summary, "0 of 5 normalizations fused, because in eval mode fold=True is needed")
        found = anydnn.torch.fused(model.train())
        self.assertTrue(found.summary.startswith("4 of 5 normalizations fused"))
        self.assertEqual(set(found.reasons), {"block.downsample.1"})

        class Mixed(Branches):
            def __init__(self):
                super().__init__()
                self.group, self.layer = nn.Sequential(nn.GroupNorm(1, 3), nn.Mish()), nn.Sequential(nn.LayerNorm(4))
                self.path = nn.Sequential(nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3), nn.SiLU())
                self.first, self.unused = nn.Sequential(nn.BatchNorm2d(3), nn.ReLU()), nn.Sequential(nn.BatchNorm2d(3))
        found = anydnn.torch.fused(anydnn.torch.fuse(Mixed().eval(), fold=True))
        self.assertEqual(set(found.reasons), {"norm", "group.0", "layer.0", "first.0", "unused.0"})
        said = repr(found)
        self.assertTrue(said.startswith("1 of 6 normalizations fused, because "), said)
        for name, kind, reason in (("group.0", "GroupNorm", "mish comes behind it, which the library does not have"),
                                   ("layer.0", "LayerNorm", "its input comes from the caller, not an addition"),
                                   ("norm", "BatchNorm2d", "the model has a forward that is no fixed graph"),
                                   ("first.0", "BatchNorm2d", "its input comes from the caller, not a convolution")):
            self.assertIn(f"{name} ({kind}): NOT fused, because {reason}", said)
        found = anydnn.torch.fused(anydnn.torch.fuse(Mixed().train()))
        self.assertIn("silu behind it has no fused operator in training", found.reasons["path.1"])

    def test_buffers_stay(self):
        """A forward that changes a buffer of its own is left alone, and the buffer keeps its value."""
        class Ticks(Branches):
            def __init__(self):
                super().__init__()
                self.register_buffer("ticks", torch.zeros(()))

            def forward(self, x):
                self.ticks.add_(1)
                return functional.relu(self.norm(x))
        model = anydnn.torch.fuse(Ticks())
        self.assertEqual(anydnn.torch.fused(model), {})
        self.assertEqual(model.ticks.item(), 0)
        self.assertIn("the model: a forward that changes its buffers", self.reasons())
        model(torch.randn(2, 3, 4, 4))
        self.assertEqual(model.ticks.item(), 1)

    def test_modules_stay(self):
        model = Model()
        held, keys = list(model.modules()), list(model.state_dict())
        parameters = [id(one) for one in model.parameters()]
        anydnn.torch.fuse(model)
        self.assertEqual([id(one) for one in model.modules()], [id(one) for one in held])
        self.assertEqual([id(one) for one in model.parameters()], parameters)
        self.assertEqual(list(model.state_dict()), keys)
        self.assertIn("forward", vars(model))
        anydnn.torch.unfuse(model)
        for module in model.modules():
            self.assertNotIn("forward", vars(module))

    def test_copies(self):
        """Tests that deepcopy, pickle and torch.save keep the fusion, on separate modules."""
        model, x = anydnn.torch.fuse(Model()), torch.randn(2, 3, 8, 8)
        stream = io.BytesIO()
        torch.save(model, stream)
        stream.seek(0)
        anydnn.torch.enable()
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.load(stream, weights_only=False)):
            self.assertIs(vars(other)["forward"].module, other)
            anydnn.torch.clear_report()
            wanted = step(copy.deepcopy(model), x)
            self.near(step(other, x), wanted)
            self.assertEqual(self.ran()["batch_norm_relu"], 8)
            self.assertEqual(anydnn.torch.fused(other), FUSED)
        self.assertEqual(model.block.bn1.num_batches_tracked.item(), 0)
        plain = Model()
        plain.load_state_dict(model.state_dict())

    def test_declined(self):
        for change, reason in (
                (lambda m: m.block.bn1.register_forward_hook(lambda *_: None), "block: hooks of bn1"),
                (lambda m: setattr(m.block.bn1, "momentum", None), "block: momentum None of bn1"),
                (lambda m: setattr(m.block, "bn1", nn.BatchNorm2d(8, track_running_stats=False)),
                 "block: no running statistics of bn1"),
                (lambda m: setattr(m.block, "bn1", nn.BatchNorm2d(8, affine=False)),
                 "block: no affine parameters of bn1"),
                (lambda m: setattr(m.block, "bn1", nn.SyncBatchNorm(8)), "block: bn1 is a SyncBatchNorm"),
                (lambda m: m.stem[0].register_forward_hook(lambda *_: None), "stem: hooks of 0"),
                (lambda m: m.path.register_forward_hook(lambda *_: None), ""),
                (lambda m: m.block.register_forward_hook(lambda *_: None), "")):
            model = Model()
            change(model)
            anydnn.torch.clear_report()
            anydnn.torch.fuse(model)
            if reason:
                self.assertIn(reason, self.reasons())
                self.assertEqual(anydnn.torch.report().calls(), {})
        for kind, reason in ((Branches, "no fixed graph"),
                             (Counts, "changes its module"), (Draws, "draws numbers"),
                             (TwoUsers, "a result with other users of norm"), (Twice, "several calls of norm"),
                             (ChangedBetween, "a result with other users of norm")):
            anydnn.torch.clear_report()
            model = anydnn.torch.fuse(kind())
            self.assertEqual(anydnn.torch.fused(model), {})
            self.assertIn(reason, " ".join(self.reasons()), kind)
            self.assertFalse(hasattr(model, "calls"))
        with self.assertRaisesRegex(ValueError, "before it becomes a DataParallel"):
            anydnn.torch.fuse(nn.DataParallel(Model()))

    def test_what_a_forward_may_do(self):
        x = torch.randn(4, 3, 5, 5)
        for kind in (InPlaceOnOther, InPlaceOnThis, ChangedBetween, TwoUsers, Asks, Optional):
            model = kind()
            with torch.no_grad():
                wanted = [model(x.clone()), model.norm.running_var.clone()]
                model.norm.reset_running_stats()
                anydnn.torch.fuse(model)
                self.near([model(x.clone()), model.norm.running_var], wanted)
        model = anydnn.torch.fuse(Asks())
        self.assertEqual(anydnn.torch.fused(model), {"": ["norm + relu"]})
        model([x[:, :1], x[:, 1:]])

    def test_later_changes(self):
        """Tests that hooks added later are called, and that a frozen normalization keeps its statistics."""
        model, x, seen = anydnn.torch.fuse(Model()), torch.randn(2, 3, 8, 8), []
        model.block.bn1.register_forward_hook(lambda *_: seen.append(1))
        model(x)
        self.assertEqual(seen, [1])
        model.block.bn2.eval()
        model(x)
        self.assertEqual(model.block.bn2.num_batches_tracked.item(), 1)
        with self.assertRaisesRegex(ValueError, "more than 1 value per channel"):
            anydnn.torch.fuse(Asks())(torch.randn(1, 3, 1, 1))

    def test_modules_are_read_once(self):
        """Tests that a call reads a module again only if the module has changed, also with parts in lists."""
        class Lists(nn.Module):
            def __init__(self):
                super().__init__()
                self.convs = nn.ModuleList([nn.Conv2d(3, 4, 3, bias=False)])
                self.norms = nn.ModuleDict({"first": nn.BatchNorm2d(4)})

            def forward(self, x):
                return functional.relu(self.norms["first"](self.convs[0](x)))
        x = torch.randn(2, 3, 8, 8)
        for model in (Model(), Lists()):
            anydnn.torch.fuse(model, fold=True)
            for mode in (True, False):
                reading = model.train(mode).forward.reading
                model(x)
                self.assertIs(model.forward.reading, reading)
        model.norms["first"] = nn.Identity()
        model(x)
        self.assertIsNot(model.forward.reading, reading)

    def test_hooks_keep_their_tensors(self):
        """Tests that a fused model does not write into a tensor that a hook has received."""
        x = torch.randn(2, 3, 6, 6)
        for act in (nn.ReLU, nn.SiLU):
            for model, hooked in ((nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), act()), 1),
                                  (nn.Sequential(nn.Conv2d(3, 4, 3), act()), 0)):
                seen = []
                for one in (randomized(model).eval(), anydnn.torch.fuse(copy.deepcopy(model), fold=True)):
                    one[hooked].register_forward_hook(lambda *found: seen.append(found[2]))
                    with torch.no_grad():
                        one(x)
                self.near(seen[1:], seen[:1])

    def test_modules_that_change(self):
        """Tests that a replaced, added or removed module has effect from the next call on, anywhere in the tree."""
        changes = (lambda m: setattr(m.block, "relu", nn.SiLU()), lambda m: setattr(m.block, "bn1", nn.Identity()),
                   lambda m: m.stem.append(nn.Tanh()), lambda m: m.stem.insert(1, nn.Identity()),
                   lambda m: m.block.downsample.append(nn.Tanh()), lambda m: delattr(m.block, "downsample"),
                   lambda m: setattr(m, "block", nn.Identity()),
                   lambda m: setattr(m.block, "bn2", nn.BatchNorm2d(8, affine=False)),
                   lambda m: m.block.downsample.register_forward_hook(lambda *found: -found[2]),
                   lambda m: m.block.relu.register_forward_hook(lambda *found: -found[2]),
                   lambda m: setattr(m.block.relu, "forward", torch.tanh),
                   lambda m: setattr(m.block.conv1, "forward", lambda x, old=m.block.conv1.forward: -old(x)),
                   lambda m: setattr(m.block.bn1, "forward", lambda x, old=m.block.bn1.forward: -old(x)),
                   lambda m: setattr(m.block, "__class__", negated(type(m.block))))
        x = torch.randn(2, 3, 8, 8)
        for fold in (True, False):
            for training in (True, False):
                for number, change in enumerate(changes):
                    model = Model().train(training)
                    step(model, x, training)
                    anydnn.torch.fuse(model, fold=fold)
                    other = anydnn.torch.unfuse(copy.deepcopy(model))
                    model(x)
                    other(x)
                    answers = []
                    for one in (model, other):
                        change(one)
                        try:
                            answers.append(one(x))
                        except (AttributeError, RuntimeError, TypeError) as error:
                            answers.append(str(error))
                    if isinstance(answers[1], str):
                        self.assertEqual(*answers, number)
                    else:
                        self.near([answers[0]], [answers[1]])

    def test_new_modules_are_fused(self):
        model = anydnn.torch.fuse(Asks())
        self.assertEqual(anydnn.torch.fused(model), {"": ["norm + relu"]})
        model = anydnn.torch.fuse(nn.Sequential(nn.BatchNorm2d(3), nn.ReLU()))
        model.append(nn.Sequential(nn.BatchNorm2d(3), nn.ReLU()))
        model(torch.randn(2, 3, 4, 4))
        self.assertEqual(sum(map(len, anydnn.torch.fused(model).values())), 2)

    def test_unfusable_change(self):
        class Chosen(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.relu = nn.BatchNorm2d(3), nn.ReLU()

            def forward(self, x):
                if isinstance(self.relu, nn.SiLU) and x.sum() > 0:
                    return x
                return self.relu(self.norm(x))
        model, x = anydnn.torch.fuse(Chosen()), torch.randn(2, 3, 4, 4)
        model.relu = nn.SiLU()
        with self.assertWarnsRegex(UserWarning, "Chosen has changed and runs unfused: a forward that is no fixed graph"):
            y = model(x)
        self.near([y], [anydnn.torch.unfuse(model)(x)])

    def test_fold_is_kept(self):
        """Tests that the folded filter is made once, and again after any change of its sources."""
        model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).eval()
        conv, norm, x = model[0], model[1], torch.randn(2, 3, 8, 8)
        anydnn.torch.fuse(model, fold=True)
        folding, made = anydnn.torch._blocks._folding, []
        now = folding.now

        def counted(*modules):
            made.append(1)
            return now(*modules)
        folding.now = counted
        self.addCleanup(setattr, folding, "now", now)

        def data(one):
            one.data = one.data * 3
        changes = (lambda: None, lambda: norm.weight.mul_(2), lambda: norm.bias.add_(1), lambda: norm.running_mean.add_(1),
                   lambda: norm.running_var.mul_(2), lambda: conv.weight.mul_(2), lambda: conv.bias.add_(1),
                   lambda: setattr(norm, "eps", 0.5), lambda: data(conv.weight), lambda: data(norm.running_var),
                   lambda: setattr(conv, "weight", nn.Parameter(torch.randn(4, 3, 3, 3))),
                   lambda: setattr(conv, "bias", None), lambda: model.double(), lambda: model.bfloat16())
        for guard in (torch.no_grad, torch.inference_mode):
            made.clear()
            model.float()
            conv.bias = nn.Parameter(torch.randn(4))
            for number, change in enumerate(changes):
                with torch.no_grad():
                    change()
                like = x.to(conv.weight.dtype)
                with guard():
                    model(like)
                    before = len(made)
                    y = model(like)
                self.assertEqual(len(made), before, number)
                with torch.no_grad():
                    wanted = anydnn.torch.unfuse(copy.deepcopy(model))(like)
                if like.dtype != torch.bfloat16:
                    self.near([y], [wanted])
            self.assertGreaterEqual(len(made), len(changes) - 1)
        made.clear()
        model.float()
        for _ in range(2):
            model(x).sum().backward()
        self.assertEqual(len(made), 2)

    def test_fold_in_captures(self):
        """Tests that a CUDA graph computes the fold, and with `frozen` takes the kept one, which then lives on."""
        from unittest import mock
        folding, x = anydnn.torch._blocks._folding, torch.randn(2, 3, 8, 8)
        for fold, count in ((True, 1), ("frozen", 0)):
            model = randomized(nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU())).eval()
            with torch.no_grad():
                wanted = model(x)
                anydnn.torch.fuse(model, fold=fold)(x)
                with mock.patch.object(folding, "_captured", return_value=True), \
                        mock.patch.object(folding, "now", side_effect=folding.now) as now:
                    self.near([model(x)], [wanted])
                    self.assertEqual(now.call_count, count)
                    model[1].weight.mul_(2)
                    self.near([model(x)], [anydnn.torch.unfuse(copy.deepcopy(model))(x)])
            self.assertEqual(len(folding._recorded.get(model[0], [])), 1 - count)
            anydnn.torch.unfuse(model)
            self.assertEqual(len(folding._recorded.get(model[0], [])), 1 - count)
        with self.assertRaisesRegex(ValueError, "fold is 'once'; it must be False, True or \"frozen\""):
            anydnn.torch.fuse(model, fold="once")

    def test_fold_after_changes_without_a_version(self):
        """Tests changes that torch's version counters do not show: fused optimizers, statistics in training, views."""
        model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)).eval()
        conv, norm, x = model[0], model[1], torch.randn(2, 3, 8, 8)
        anydnn.torch.fuse(model, fold=True)

        def stepped(kind, **options):
            for one in model.parameters():
                one.grad = torch.ones_like(one)
            kind(model.parameters(), lr=0.1, **options).step()

        def trained():
            model.train()
            model(3 * x + 1)
            model.eval()

        def refused():
            for one in (*model.parameters(), *model.buffers()):
                one.data.mul_(2)
            anydnn.torch.fuse(model, fold=True)
        changes = (*(lambda kind=kind, way=way: stepped(kind, **{way: True}) for way in ("fused", "foreach")
                     for kind in (torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.Adagrad)),
                   trained, lambda: setattr(conv.weight, "data", conv.weight.data.transpose(2, 3)), refused)
        for enabled in (False, True):
            with anydnn.torch.use() if enabled else contextlib.nullcontext():
                for number, change in enumerate(changes):
                    with self.subTest(enabled=enabled, change=number):
                        with torch.no_grad():
                            before = model(x)
                        change()
                        with torch.no_grad():
                            found, wanted = model(x), norm(conv(x))
                        self.near([found], [wanted])
                        self.assertGreater((found - before).abs().max().item(), 1e-3)

    def test_fold_is_discarded(self):
        """Tests that folds end with `unfuse`, with the model, and with a step of an optimizer of its parameters alone."""
        folds, x = anydnn.torch._blocks._folding._folds, torch.randn(2, 3, 8, 8)
        models = [nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)).eval() for _ in range(2)]

        def held():
            with torch.no_grad():
                for model in models:
                    anydnn.torch.fuse(model, fold=True)(x)
            return [model[0] in folds for model in models]
        self.assertEqual(held(), [True, True])
        state = list(models[0].state_dict())
        self.assertEqual(state, list(anydnn.torch.unfuse(models[0]).state_dict()))
        self.assertEqual([model[0] in folds for model in models], [False, True])
        self.assertEqual(held(), [True, True])
        torch.optim.SGD(models[1].parameters(), lr=0.1).step()
        self.assertEqual([model[0] in folds for model in models], [True, False])
        gone = weakref.ref(models[0][0])
        del models[0]
        gc.collect()
        self.assertIsNone(gone())

    def test_fold_in_threads(self):
        """Tests threads that infer while another one discards the folds."""
        model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).eval()
        anydnn.torch.fuse(model, fold=True)
        x, optimizer, failed = torch.randn(2, 3, 8, 8), torch.optim.SGD(model.parameters(), lr=0.0, fused=True), []
        for one in model.parameters():
            one.grad = torch.ones_like(one)
        with torch.no_grad():
            wanted = model(x)

        def infer():
            try:
                with torch.no_grad():
                    for _ in range(100):
                        self.near([model(x)], [wanted])
            except Exception as error:
                failed.append(error)
        threads = [threading.Thread(target=infer) for _ in range(3)]
        for one in threads:
            one.start()
        while any(one.is_alive() for one in threads):
            optimizer.step()
        self.assertEqual(failed, [])

    def test_fold_of_all_dims(self):
        for dims, conv, norm in ((2, nn.Conv2d, nn.BatchNorm2d), (3, nn.Conv3d, nn.BatchNorm3d)):
            x = torch.randn(2, 3, *(6,) * dims)
            for behind in ((), (nn.ReLU(),), (nn.Tanh(),)):
                model = nn.Sequential(conv(3, 4, 3), norm(4), *behind)
                step(model, x)
                model.eval()
                wanted = model(x)
                anydnn.torch.fuse(model, fold=True)
                self.near([model(x)], [wanted])

    def test_copies_that_are_compiled(self):
        """A copy is fused before its first call, on modules of its own."""
        model, x = anydnn.torch.fuse(Model()), torch.randn(2, 3, 8, 8)
        other = copy.deepcopy(model)
        self.assertFalse(vars(other)["forward"].reading.tree.changed())
        wanted = model(x)
        self.near([torch.compile(copy.deepcopy(model), backend="eager", fullgraph=True)(x)], [wanted])
        other.block.relu = nn.SiLU()
        model.block.relu = nn.SiLU()
        self.near([other(x)], [anydnn.torch.unfuse(model)(x)])

    def test_transforms_of_parameters(self):
        """Tests torch.func over the parameters of one model, and of several at once."""
        def answers(models, x):
            parameters, buffers = torch.func.stack_module_state(models)

            def loss(parameters, buffers, x):
                return torch.func.functional_call(models[0], (parameters, buffers), (x,)).sin().sum()
            one = torch.func.grad(loss)(dict(models[0].named_parameters()), dict(models[0].named_buffers()), x)
            many = torch.func.vmap(torch.func.grad(loss), (0, 0, None))(parameters, buffers, x)
            return [*one.values(), *many.values()]
        x = torch.randn(2, 3, 8, 8)
        for fold in (True, False):
            for training in (True, False):
                models = [randomized(Model()).train(training) for _ in range(3)]
                if training:  # vmap does not support running statistics
                    for module in (each for model in models for each in model.modules()):
                        if isinstance(module, nn.BatchNorm2d):
                            module.eval()
                fused = [anydnn.torch.fuse(copy.deepcopy(model), fold=fold) for model in models]
                with anydnn.torch.use(route="cpu_ref"):
                    self.near(answers(fused, x), answers(models, x))

    def test_export_and_script(self):
        model, x = anydnn.torch.fuse(Model().eval(), fold=True), torch.randn(2, 3, 8, 8)
        wanted = model(x)
        self.near([torch.export.export(model, (x,)).module()(x)], [wanted])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.near([torch.jit.script(model)(x)], [wanted])

    def test_nan_passes(self):
        model, x = anydnn.torch.fuse(Asks()), torch.randn(2, 3, 4, 4)
        x[0, 0, 0, 0] = float("nan")
        with anydnn.torch.use():
            y = model(x)
        self.assertTrue(y[:, 0].isnan().all())
        self.assertFalse(y[:, 1:].isnan().any())
        conv = anydnn.torch.fuse(nn.Sequential(nn.Conv2d(3, 2, 1), nn.ReLU6()))
        with anydnn.torch.use():
            self.assertTrue(conv(x)[0, :, 0, 0].isnan().all())
        self.assertEqual(set(self.ran()), {"batch_norm_relu", "convolution_relu"})

    def test_operators_keep_torchs_rules(self):
        """Runs opcheck: schema, fake kernels, autograd, tracing. x has 54 elements, not a multiple of 8."""
        names = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
        for enabled in (True, False):
            if enabled:
                anydnn.torch.enable()
            for last in (False, True):
                x, z = (torch.randn(2, 3, 3, 3) for _ in range(2))
                if last:
                    x, z = (one.to(memory_format=torch.channels_last) for one in (x, z))
                x, z = x.requires_grad_(), z.requires_grad_()
                weight, bias = torch.rand(3, requires_grad=True), torch.randn(3, requires_grad=True)
                for other, ceiling in ((None, None), (z, 1.0)):
                    torch.library.opcheck(torch.ops.anydnn.batch_norm_relu, (x, other, weight, bias, 1e-5, ceiling),
                                          test_utils=names)
                w, b = torch.randn(4, 3, 3, 3, requires_grad=True), torch.randn(4, requires_grad=True)
                torch.library.opcheck(torch.ops.anydnn.convolution_relu,
                                      (x, w, b, [1, 1], [1, 1], [1, 1], 1, 1.0), test_utils=names)
            anydnn.torch.disable()

    def test_gradients(self):
        """Compares first and second derivatives with differences, with the kernels of anydnn and of torch."""
        x, z = (torch.randn(2, 2, 3, 3, dtype=torch.double, requires_grad=True) for _ in range(2))
        weight, bias = (torch.rand(2, dtype=torch.double, requires_grad=True) for _ in range(2))
        w = torch.randn(2, 2, 2, 2, dtype=torch.double, requires_grad=True)

        def norm(x, z, weight, bias):
            return torch.ops.anydnn.batch_norm_relu(x, z, weight, bias, 1e-5, 1.5)[0]

        def conv(x, w, bias):
            return torch.ops.anydnn.convolution_relu(x, w, bias, [1, 1], [1, 0], [1, 1], 1, None)
        for enabled in (True, False):
            if enabled:
                anydnn.torch.enable(route="cpu_ref")
            for check in (torch.autograd.gradcheck, torch.autograd.gradgradcheck):
                self.assertTrue(check(norm, (x, z, weight, bias)))
                self.assertTrue(check(lambda x, weight, bias: norm(x, None, weight, bias), (x, weight, bias)))
                self.assertTrue(check(conv, (x, w, bias)))
            anydnn.torch.disable()

    def test_gradients_in_eager_mode(self):
        """Compares first and second derivatives of fused modules with differences, for both kinds of kernels and for
        torch's.
        """
        class Sum(Branches):
            def forward(self, x):
                return functional.relu6(x + self.norm(x))
        x = torch.randn(2, 3, 3, 3, dtype=torch.double, requires_grad=True)
        models = (Sum(), nn.Sequential(nn.BatchNorm2d(3), nn.ReLU()), nn.Sequential(nn.Conv2d(3, 2, 2), nn.ReLU6()))
        for model in models:
            anydnn.torch.fuse(model.double())
            names = list(dict(model.named_parameters()))

            def run(x, *parameters):
                return torch.func.functional_call(model, dict(zip(names, parameters)), (x,))
            for compiled in (None, False, True):
                if compiled is not None:
                    anydnn.torch.enable(route="cpu_ref", compiled=compiled)
                for check in (torch.autograd.gradcheck, torch.autograd.gradgradcheck):
                    self.assertTrue(check(run, (x, *model.parameters())))
                once, twice = (torch.autograd.grad((model(x) ** 3).sum(), (x, *model.parameters()), create_graph=again)
                               for again in (False, True))
                self.near(twice, once)
                anydnn.torch.disable()
        self.assertTrue({"batch_norm_relu_backward", "convolution_relu_backward"} <= set(self.ran()))

    def test_what_was_saved_has_not_changed(self):
        """Tests that a changed input before the gradient, and a second gradient, raise as in torch."""
        anydnn.torch.enable()
        for model in (nn.Sequential(nn.BatchNorm2d(3), nn.ReLU()), nn.Sequential(nn.Conv2d(3, 2, 2), nn.ReLU())):
            anydnn.torch.fuse(model)
            x = torch.randn(2, 3, 4, 4).requires_grad_().clone()
            y = model(x).sum()
            x.mul_(2)
            with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                y.backward()
            y = model(torch.randn(2, 3, 4, 4)).sum()
            y.backward()
            with self.assertRaisesRegex(RuntimeError, "a second time"):
                y.backward()

    def test_derivatives_taken_forward(self):
        """Tests that blocks run their parts, which have forward-mode formulas."""
        model = Model()
        fused = anydnn.torch.fuse(copy.deepcopy(model))
        x, tangent = torch.randn(2, 3, 6, 6), torch.randn(2, 3, 6, 6)

        def run(one):
            with forward_ad.dual_level():
                return [each.detach() for each in forward_ad.unpack_dual(one(forward_ad.make_dual(x, tangent)))]
        wanted = run(model)
        with anydnn.torch.use(route="cpu_ref"):
            found = run(fused)
        for one, other in zip(found, wanted):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)

    def test_parts_can_take_over(self):
        """Tests that the backward parts read a reserve of anydnn's forward, and vice versa."""
        x, z, dy = (torch.randn(2, 3, 3, 3) for _ in range(3))
        weight, bias = torch.rand(3), torch.randn(3)
        results = {}
        for enabled in (True, False):
            if enabled:
                anydnn.torch.enable()
            results[enabled] = torch.ops.anydnn.batch_norm_relu(x, z, weight, bias, 1e-5, 1.0)
            anydnn.torch.disable()
        self.near(results[True][:3], results[False][:3])
        self.assertTrue(torch.equal(results[True][3], results[False][3]))

    def test_autocast(self):
        model, x = Model(), torch.randn(4, 3, 8, 8)
        other = anydnn.torch.fuse(copy.deepcopy(model))
        with torch.autocast("cpu", torch.bfloat16):
            wanted = model(x)
            with anydnn.torch.use():
                y = other(x)
        y.float().sum().backward()
        self.assertEqual((y.dtype, other.stem[0].weight.grad.dtype), (torch.bfloat16, torch.float32))
        # Both round to bfloat16 after each of about 16 operations. Normalization keeps values near 1.
        self.assertLess((y.float() - wanted.float()).abs().max().item(), 16 * 2.0 ** -8 * (1 + wanted.abs().max()))
        self.assertEqual(self.ran()["batch_norm_relu"], 4)
        self.assertEqual(self.ran()["convolution_relu"], 2)

    def test_compile(self):
        torch._dynamo.reset()
        model, x = Model(), torch.randn(4, 3, 8, 8)
        other = anydnn.torch.fuse(copy.deepcopy(model))
        anydnn.torch.enable()
        compiled = torch.compile(other, fullgraph=True)
        for training in (True, False):
            for _ in range(2):
                self.near(step(compiled, x, training), step(model, x, training))
        self.assertEqual(self.ran()["batch_norm_relu"], 8)
        self.assertEqual(self.ran()["batch_norm_relu_backward"], 8)


if __name__ == "__main__":
    unittest.main()
